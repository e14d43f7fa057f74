import StrandlineModels

/// What the store knows of one followed peer.
package struct PeerRow: Sendable, Hashable {
  package var id: Int64
  /// The transport and its address as the person wrote them.
  package var specification: String
  package var zoneName: String
  package var environment: String
  /// The account and the zone, once they were seen.
  package var account: String?
  package var zone: String?
  package var isFollowed: Bool
  /// The last log sequence that the peer acknowledged.
  package var acknowledged: Int64
  /// The log sequence up to which everything that is not acknowledged came from the peer itself.
  package var examined: Int64
  /// The log's head when a full compare began, or 0: up to it everything is offered, whatever
  /// was acknowledged before and wherever it came from.
  package var compareHead: Int64
  /// The transport's bytes for the place up to which its changes are imported.
  package var cursor: [UInt8]?
  /// The latest thing that the zone has shown: incarnation, sequence, nonce.
  package var proof: ProofRow?
  /// Whether a long catch-up is under way, so that the store is not consistent with the zone.
  package var isCatchingUp: Bool
  package var lastSuccess: Int64?
  /// When the store was last known to hold all that the peer had, with nothing pending.
  package var caughtUp: Int64?
  package var waitingUntil: Int64?
  package var isBlocked: Bool
  package var reasonCode: String?
  package var reason: String?
  package var cure: String?
  package var attempts: Int

  package struct ProofRow: Sendable, Hashable {
    package var incarnation: Int64
    package var sequence: Int64
    package var nonce: UInt64

    package init(incarnation: Int64, sequence: Int64, nonce: UInt64) {
      self.incarnation = incarnation
      self.sequence = sequence
      self.nonce = nonce
    }
  }
}

extension PeerRow {
  /// A peer of which nothing was seen yet.
  package init(id: Int64, specification: String, zoneName: String, environment: String) {
    self.init(
      id: id, specification: specification, zoneName: zoneName, environment: environment,
      isFollowed: true, acknowledged: 0, examined: 0, compareHead: 0, isCatchingUp: false,
      isBlocked: false,
      attempts: 0)
  }
}

extension ReadTransaction {
  private static let peerColumns = """
    id, specification, zone_name, environment, account, zone, followed, acknowledged, cursor,
    incarnation, proof_sequence, proof_nonce, catching_up, last_success, caught_up, waiting_until,
    blocked, reason_code, reason, cure, attempts, examined, compare_head
    """

  /// All peers that were not forgotten, the followed ones first.
  package func peers() throws -> [PeerRow] {
    try connection.map(
      "SELECT \(Self.peerColumns) FROM strandline_peer ORDER BY followed DESC, id",
      [], Self.peer)
  }

  /// The peer of that number.
  package func peer(_ id: Int64) throws -> PeerRow? {
    try connection.first(
      "SELECT \(Self.peerColumns) FROM strandline_peer WHERE id = ?", [.integer(id)], Self.peer)
  }

  private static func peer(_ row: Row) -> PeerRow {
    let proof = row.optionalInteger(9).map {
      PeerRow.ProofRow(
        incarnation: $0, sequence: row.integer(10), nonce: UInt64(bitPattern: row.integer(11)))
    }
    return PeerRow(
      id: row.integer(0), specification: row.text(1), zoneName: row.text(2),
      environment: row.text(3), account: row.optionalText(4), zone: row.optionalText(5),
      isFollowed: row.integer(6) != 0, acknowledged: row.integer(7),
      examined: row.integer(21), compareHead: row.integer(22), cursor: row.value(8).blob,
      proof: proof, isCatchingUp: row.integer(12) != 0, lastSuccess: row.optionalInteger(13),
      caughtUp: row.optionalInteger(14), waitingUntil: row.optionalInteger(15),
      isBlocked: row.integer(16) != 0, reasonCode: row.optionalText(17),
      reason: row.optionalText(18), cure: row.optionalText(19), attempts: Int(row.integer(20)))
  }

  /// Writes everything of a peer that may change.
  package func update(_ peer: PeerRow) throws {
    try connection.run(
      """
      UPDATE strandline_peer SET account = ?, zone = ?, followed = ?, acknowledged = ?,
        cursor = ?, incarnation = ?, proof_sequence = ?, proof_nonce = ?, catching_up = ?,
        last_success = ?, caught_up = ?, waiting_until = ?, blocked = ?, reason_code = ?,
        reason = ?, cure = ?, attempts = ?, examined = ?, compare_head = ? WHERE id = ?
      """,
      [
        .init(peer.account), .init(peer.zone), .integer(peer.isFollowed ? 1 : 0),
        .integer(peer.acknowledged), peer.cursor.map(Value.blob) ?? .null,
        .init(peer.proof?.incarnation), .init(peer.proof?.sequence),
        .init(peer.proof.map { Int64(bitPattern: $0.nonce) }),
        .integer(peer.isCatchingUp ? 1 : 0), .init(peer.lastSuccess), .init(peer.caughtUp),
        .init(peer.waitingUntil), .integer(peer.isBlocked ? 1 : 0), .init(peer.reasonCode),
        .init(peer.reason), .init(peer.cure), .integer(Int64(peer.attempts)),
        .integer(peer.examined), .integer(peer.compareHead), .integer(peer.id),
      ])
  }

  /// Follows a peer: the known one of that address, or a new one.
  package func followPeer(
    specification: String, zoneName: String, environment: String
  ) throws -> PeerRow {
    let known = try peers().first {
      $0.specification == specification && $0.zoneName == zoneName
        && $0.environment == environment
    }
    if var known {
      known.isFollowed = true
      try update(known)
      return known
    }
    try connection.run(
      "INSERT INTO strandline_peer(specification, zone_name, environment) VALUES (?, ?, ?)",
      [.text(specification), .text(zoneName), .text(environment)])
    let id = try connection.integer("SELECT last_insert_rowid()")
    guard let made = try peer(id) else {
      throw StorageError(
        .damaged, "Could not follow '\(specification)', the store lost its row.",
        advice: "Run an integrity check of the database file.")
    }
    return made
  }

  /// Stops following all peers but one, or all.
  package func unfollowPeers(except id: Int64? = nil) throws {
    try connection.run(
      "UPDATE strandline_peer SET followed = 0 WHERE id <> ?", [.integer(id ?? 0)])
  }
}

extension PeerRow {
  /// Makes everything in the log pending, what came from this peer too, up to a sequence.
  package mutating func offerEverything(upTo head: Int64) {
    acknowledged = 0
    examined = 0
    compareHead = head
  }
}
