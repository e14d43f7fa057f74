import StrandlineModels
import StrandlineStorage

extension ReadTransaction {
  /// The numbers of the events that can still run: the latest of each peer, and its latest phase,
  /// in the middle of which something else may have been recorded.
  func eventsThatMayRun() throws -> Set<Int64> {
    let numbers = try connection.map(
      """
      SELECT max(id) FROM strandline_event GROUP BY peer
      UNION SELECT max(id) FROM strandline_event WHERE kind IN (\(EventKind.phaseList)) GROUP BY peer
      """
    ) { $0.integer(0) }
    return Set(numbers)
  }

  /// The number of the latest event of a peer that is a phase of syncing.
  func latestPhase(of peer: Int64) throws -> Int64? {
    try connection.first(
      """
      SELECT max(id) FROM strandline_event WHERE peer = ? AND kind IN (\(EventKind.phaseList))
      """, [.integer(peer)]
    ) { $0.optionalInteger(0) } ?? nil
  }

  /// How many other devices have told a peer what they hold, and how many of them hold
  /// everything that this store sent.
  func receiptCounts(at peer: Int64) throws -> StatusSnapshot.Receipts {
    let own = try deviceID().description
    let known = try latestReceipts(at: peer).filter { $0.device != own }
    let sent = try connection.integer(
      "SELECT coalesce(max(position), 0) FROM strandline_delivery WHERE peer = ?",
      [.integer(peer)])
    return StatusSnapshot.Receipts(
      devices: known.count, complete: known.count { $0.position >= sent },
      hasSent: sent > 0)
  }

  /// Why the purge of a peer's cloud copy is still pending, and when it is tried again.
  func pendingPurge(of peer: Int64) throws -> StatusSnapshot.Purge? {
    try connection.first(
      """
      SELECT message, advice, retry_at FROM strandline_purge WHERE peer = ? AND withdrawn = 0
      """, [.integer(peer)]
    ) {
      StatusSnapshot.Purge(
        reason: $0.optionalText(0), cure: $0.optionalText(1), until: $0.optionalInteger(2))
    }
  }

  func switchState() throws -> (wanted: Bool, pendingPurge: Bool, automatic: Bool) {
    try connection.first("SELECT wanted, pending_purge, automatic FROM strandline_switch") {
      ($0.integer(0) != 0, $0.integer(1) != 0, $0.integer(2) != 0)
    } ?? (false, false, true)
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
