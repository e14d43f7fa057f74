import StrandlineModels
import StrandlineStorage

extension ReadTransaction {
  func latestEvent(peer: Int64) throws -> EventRow? {
    try events(limit: 20).first { $0.peer == peer }
  }

  func switchState() throws -> (wanted: Bool, pendingPurge: Bool) {
    try connection.first("SELECT wanted, pending_purge FROM strandline_switch") {
      ($0.integer(0) != 0, $0.integer(1) != 0)
    } ?? (false, false)
  }

  /// When the oldest transaction beyond a sequence was committed that did not come from a peer.
  func timeOfFirstTransaction(
    after sequence: Int64, notFrom peer: Int64, comparingUpTo compareHead: Int64
  ) throws -> Int64? {
    try connection.first(
      """
      SELECT time FROM strandline_transaction WHERE last > ? AND (origin <> ? OR last <= ?)
      ORDER BY id LIMIT 1
      """, [.integer(sequence), .integer(peer), .integer(compareHead)]
    ) { $0.integer(0) }
  }

  func conflictCount() throws -> Int {
    Int(try connection.integer("SELECT count(*) FROM strandline_conflict WHERE unsent & 2 = 0"))
  }

  func parkedCount() throws -> Int {
    Int(try connection.integer("SELECT count(*) FROM strandline_parked"))
  }
}
