package import StrandlineModels

extension ReadTransaction {
  /// The identity under which the store writes now.
  package func deviceID() throws -> DeviceID {
    let text = try connection.first(
      "SELECT value FROM strandline_meta WHERE key = 'device'"
    ) { $0.text(0) }
    guard let device = text.flatMap({ DeviceID($0) }) else {
      throw StorageError(
        .damaged, "Could not read the store's identity.",
        advice: "Restore the file from a backup, or sync into a new store.")
    }
    return device
  }

  /// Gives the store a new epoch of its device, since another store may write under the old one.
  package func takeNewIdentity() throws {
    let old = try deviceID()
    let new = DeviceID(device: old.device, epoch: UInt32.random(in: .min ... .max))
    try connection.run(
      "UPDATE strandline_meta SET value = ? WHERE key = 'device'", [.text(new.description)])
  }

  /// The store's number for an entity, which the model need not have.
  package func number(ofEntity key: String) throws -> Int64 {
    if let layout = catalog.layout(key: key) { return layout.number }
    return try Catalog.entityNumber(of: key, on: connection)
  }

  /// Forgets all that a peer's zone showed and acknowledged, but keeps following it.
  package func forgetContents(of peer: Int64) throws {
    for table in ["delivery", "receipt", "set_aside", "held", "held_delete", "first_sync"] {
      try connection.run("DELETE FROM strandline_\(table) WHERE peer = ?", [.integer(peer)])
    }
    try connection.run(
      """
      UPDATE strandline_peer SET account = NULL, zone = NULL, acknowledged = 0, examined = 0,
        compare_head = 0,
        cursor = NULL, incarnation = NULL, proof_sequence = NULL, proof_nonce = NULL,
        catching_up = 0, held_after = NULL, zone_uploading = 0, marked = 0, conflicts_told = 0,
        waits = NULL, notices = NULL, first_sync_begun = 0, question = NULL, choice = NULL,
        unsent_until = 0, compare_base = 0 WHERE id = ?
      """, [.integer(peer)])
  }
}
