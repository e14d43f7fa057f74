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
  /// What the zone was known to lack when it was read last, as sentences.
  package var waits: [String] = []
  /// What people may want to know of the zone and what holds nothing back.
  package var notices: [String] = []
  /// Whether its acceptance proves only that others can find the changes, see the traits of its
  /// transport.
  package var isPublished = false
  /// The place in the log after which this peer's imports are not passed on yet, since the head
  /// of its zone was not reached (C27); nil where it was.
  package var heldAfter: Int64?
  /// Whether another device is in the middle of a long upload to the zone.
  package var isZoneUploading = false
  /// Whether the peer was told that more groups follow.
  package var isMarked = false
  /// The number in the store's list up to which it was told of values that lost elsewhere.
  package var conflictsTold: Int64 = 0
  /// The policy of the first sync; nil once that is over.
  package var firstSync: FirstSync?
  /// Whether the records that were here when the first sync began are listed.
  package var hasBegunFirstSync = false
  /// What the person has to decide before anything is synced.
  package var question: PeerQuestion?
  /// What the person has decided for good.
  package var choice: PeerChoice?
  /// How many questions about it were answered.
  package var answers: Int64 = 0
  /// The place in the log up to which nothing of this store goes to the peer.
  package var unsentUntil: Int64 = 0
  /// What was acknowledged before the last full compare began.
  package var compareBase: Int64 = 0

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
    blocked, reason_code, reason, cure, attempts, examined, compare_head, waits, notices,
    published, held_after, zone_uploading, marked, conflicts_told, first_sync, first_sync_begun,
    question, choice, answers, unsent_until, compare_base
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
    var peer = PeerRow(
      id: row.integer(0), specification: row.text(1), zoneName: row.text(2),
      environment: row.text(3), account: row.optionalText(4), zone: row.optionalText(5),
      isFollowed: row.integer(6) != 0, acknowledged: row.integer(7),
      examined: row.integer(21), compareHead: row.integer(22), cursor: row.value(8).blob,
      proof: proof, isCatchingUp: row.integer(12) != 0, lastSuccess: row.optionalInteger(13),
      caughtUp: row.optionalInteger(14), waitingUntil: row.optionalInteger(15),
      isBlocked: row.integer(16) != 0, reasonCode: row.optionalText(17),
      reason: row.optionalText(18), cure: row.optionalText(19), attempts: Int(row.integer(20)),
      waits: SentenceList.read(row.optionalText(23)),
      notices: SentenceList.read(row.optionalText(24)), isPublished: row.integer(25) != 0,
      heldAfter: row.optionalInteger(26), isZoneUploading: row.integer(27) != 0,
      isMarked: row.integer(28) != 0, conflictsTold: row.integer(29))
    peer.firstSync = row.optionalText(30).flatMap(FirstSync.init)
    peer.hasBegunFirstSync = row.integer(31) != 0
    peer.question = row.optionalText(32).flatMap(PeerQuestion.init(text:))
    peer.choice = row.optionalText(33).flatMap(PeerChoice.init)
    peer.answers = row.integer(34)
    peer.unsentUntil = row.integer(35)
    peer.compareBase = row.integer(36)
    return peer
  }

  /// Writes everything of a peer that may change.
  package func update(_ peer: PeerRow) throws {
    try connection.run(
      """
      UPDATE strandline_peer SET account = ?, zone = ?, followed = ?, acknowledged = ?,
        cursor = ?, incarnation = ?, proof_sequence = ?, proof_nonce = ?, catching_up = ?,
        last_success = ?, caught_up = ?, waiting_until = ?, blocked = ?, reason_code = ?,
        reason = ?, cure = ?, attempts = ?, examined = ?, compare_head = ?, waits = ?,
        notices = ?, published = ?, held_after = ?, zone_uploading = ?, marked = ?,
        conflicts_told = ?, first_sync = ?, first_sync_begun = ?, question = ?, choice = ?,
        answers = ?, unsent_until = ?, compare_base = ? WHERE id = ?
      """,
      [
        .init(peer.account), .init(peer.zone), .integer(peer.isFollowed ? 1 : 0),
        .integer(peer.acknowledged), peer.cursor.map(Value.blob) ?? .null,
        .init(peer.proof?.incarnation), .init(peer.proof?.sequence),
        .init(peer.proof.map { Int64(bitPattern: $0.nonce) }),
        .integer(peer.isCatchingUp ? 1 : 0), .init(peer.lastSuccess), .init(peer.caughtUp),
        .init(peer.waitingUntil), .integer(peer.isBlocked ? 1 : 0), .init(peer.reasonCode),
        .init(peer.reason), .init(peer.cure), .integer(Int64(peer.attempts)),
        .integer(peer.examined), .integer(peer.compareHead),
        .init(SentenceList.text(peer.waits)), .init(SentenceList.text(peer.notices)),
        .integer(peer.isPublished ? 1 : 0), .init(peer.heldAfter),
        .integer(peer.isZoneUploading ? 1 : 0), .integer(peer.isMarked ? 1 : 0),
        .integer(peer.conflictsTold), .init(peer.firstSync?.rawValue),
        .integer(peer.hasBegunFirstSync ? 1 : 0), .init(peer.question?.text),
        .init(peer.choice?.rawValue), .integer(peer.answers), .integer(peer.unsentUntil),
        .integer(peer.compareBase), .integer(peer.id),
      ])
  }
}

extension PeerRow {
  /// Makes everything in the log that may go to this peer pending, what came from it too, up to a
  /// sequence.
  package mutating func offerEverything(upTo head: Int64) {
    acknowledged = unsentUntil
    examined = 0
    compareHead = head
  }

  /// The acknowledgement as the peer knows it: what never goes there was never sent.
  package var sentUpTo: Int64 { acknowledged > unsentUntil ? acknowledged : 0 }

  /// What the peer had acknowledged of this store's own changes, a compare left aside.
  package var ownAcknowledged: Int64 {
    acknowledged < compareHead ? max(acknowledged, compareBase) : acknowledged
  }

  /// Whether the person decided to stay on this device.
  package var isKept: Bool { choice == .keep }

  /// Whether what was here before stays apart from what the peer has.
  package var isApart: Bool { choice == .apart }
}
