package import StrandlineModels

/// A record by its store's number for the entity.
package struct PendingKey: Hashable, Sendable {
  package let entity: Int64
  package let id: RecordID

  package init(entity: Int64, id: RecordID) {
    self.entity = entity
    self.id = id
  }
}

/// One record's changes that a peer has not acknowledged, gathered from the log.
package struct PendingRecord: Sendable {
  package let entity: Int64
  package let id: RecordID
  package var isInserted = false
  package var isDeleted = false
  package var hasParked = false
  package var hasUnknown = false
  /// The properties that were written, by bank of the log's masks.
  package var masks: [Int: Int64] = [:]

  package var key: PendingKey { PendingKey(entity: entity, id: id) }

  /// The record with everything that is known of it, for a peer that refused earlier changes.
  package var whole: PendingRecord {
    var whole = self
    (whole.isInserted, whole.isDeleted, whole.hasParked) = (true, true, true)
    return whole
  }
}

/// Everything that a peer has not acknowledged, as of one snapshot.
package struct PendingChanges: Sendable {
  /// The records in the order of their first change.
  package var records: [PendingRecord]
  /// The last sequence that is covered.
  package var head: Int64
  /// The random token of the transaction that ends there.
  package var headToken: UInt64
  /// Whether nothing is pending beyond ``head``.
  package var isAll = true
  /// The imports among it that an earlier group had left out, by the end of their transaction.
  package var released: [Int64] = []
  /// Rows that name no record, which no writer of this store leaves.
  package var unreadable: [DamagedRow] = []
}

extension ReadTransaction {
  /// The last sealed sequence, with the random token of its transaction; nil in an empty log.
  package func sealedHead() throws -> (sequence: Int64, token: UInt64)? {
    try connection.first(
      "SELECT last, token FROM strandline_transaction ORDER BY id DESC LIMIT 1"
    ) { ($0.integer(0), UInt64(bitPattern: $0.integer(1))) }
  }

  /// Whether the log holds rows of other SQLite clients that are in no transaction yet.
  package func hasUnsealedRows() throws -> Bool {
    try logHead() > (try sealedHead()?.sequence ?? 0)
  }

  /// The token of the transaction that ends at a sequence, if there is one.
  package func transactionToken(endingAt sequence: Int64) throws -> UInt64? {
    try connection.first(
      "SELECT token FROM strandline_transaction WHERE last = ?", [.integer(sequence)]
    ) { UInt64(bitPattern: $0.integer(0)) }
  }

  /// Gathers what is pending for a peer: each log row beyond its acknowledgement by itself, but
  /// for those that came from it, and those that are not passed on yet (C27).
  ///
  /// - Parameters:
  ///   - sequence: The peer's acknowledgement.
  ///   - peer: The peer.
  ///   - compareHead: The sequence up to which rows count that came from the peer, too.
  ///   - released: Imports that earlier groups had left out and that may go now.
  ///   - limit: The number of records after which gathering ends with the transaction it is in.
  /// - Returns: What is pending, as of this snapshot.
  /// - Throws: Errors of the store.
  package func pendingChanges(
    after sequence: Int64, for peer: Int64, comparingUpTo compareHead: Int64 = 0,
    releasing released: [Int64] = [], limit: Int = .max
  ) throws -> PendingChanges {
    var gathered = Gathering()
    var pending = PendingChanges(records: [], head: sequence, headToken: 0)
    for last in released where gathered.records.count < limit {
      try connection.forEach(Self.transactionSQL, [.integer(last)]) { try add($0, to: &gathered) }
      pending.released.append(last)
    }
    let head = try sealedHead()
    if let head, head.sequence == sequence { pending.headToken = head.token }
    if let head, head.sequence > sequence {
      let end = try gather(after: sequence, for: peer, compareHead, limit, &gathered)
      pending.head = end?.sequence ?? head.sequence
      pending.headToken = end?.token ?? head.token
      pending.isAll = end == nil
    }
    pending.isAll = pending.isAll && pending.released.count == released.count
    pending.records = gathered.records
    pending.unreadable = gathered.unreadable
    return pending
  }

  /// The records of log rows, each once, in the order of their first row.
  private struct Gathering {
    var places: [PendingKey: Int] = [:]
    var records: [PendingRecord] = []
    var unreadable: [DamagedRow] = []
  }

  private func add(_ row: Row, to gathered: inout Gathering) throws {
    let entity = row.integer(0)
    guard try isSynced(entity) else { return }
    guard let id = RecordID(row.value(1)) else {
      let damaged = DamagedRow(entity, row.value(1), .noID)
      if !gathered.unreadable.contains(damaged) { gathered.unreadable.append(damaged) }
      return
    }
    let key = PendingKey(entity: entity, id: id)
    let place = gathered.places[key] ?? gathered.records.count
    if place == gathered.records.count {
      gathered.places[key] = place
      gathered.records.append(PendingRecord(entity: entity, id: id))
    }
    gathered.records[place].add(
      LogKind(rawValue: row.integer(2)), mask: row.integer(3), bank: Int(row.integer(4)))
  }

  /// Gathers rows beyond a sequence.
  ///
  /// - Returns: Where it ended, if more is left.
  private func gather(
    after sequence: Int64, for peer: Int64, _ compareHead: Int64, _ limit: Int,
    _ gathered: inout Gathering
  ) throws -> (sequence: Int64, token: UInt64)? {
    let before = gathered.records.count
    var end: (sequence: Int64, token: UInt64)?
    var last: Int64 = 0
    try connection.forEach(
      Self.pendingSQL, [.integer(peer), .integer(sequence), .integer(compareHead)]
    ) { row in
      guard end == nil else { return }
      if gathered.records.count - before >= limit && row.integer(5) != last {
        end = (last, try transactionToken(endingAt: last) ?? 0)
        return
      }
      last = row.integer(5)
      try add(row, to: &gathered)
    }
    return end
  }

  private static let pendingSQL = """
    SELECT l.entity, l.record, l.kind, l.properties, l.bank, t.last
    FROM strandline_transaction AS t
    JOIN strandline_log AS l ON l.sequence BETWEEN t.first AND t.last
    WHERE t.last > ?2 AND l.sequence > ?2 AND (t.origin <> ?1 OR l.sequence <= ?3)
      AND NOT \(isHeldSQL)
    ORDER BY l.sequence
    """

  private static let transactionSQL = """
    SELECT l.entity, l.record, l.kind, l.properties, l.bank, t.last
    FROM strandline_transaction AS t
    JOIN strandline_log AS l ON l.sequence BETWEEN t.first AND t.last
    WHERE t.last = ? ORDER BY l.sequence
    """

  /// Counts the records that are pending for a peer, rows of other clients included, and those
  /// that are not passed on yet.
  package func pendingCounts(
    after sequence: Int64, for peer: Int64, comparingUpTo compareHead: Int64 = 0
  ) throws -> [Int64: Int] {
    var counts: [Int64: Int] = [:]
    try connection.forEach(
      """
      SELECT entity, count(*) FROM (
        SELECT l.entity AS entity, l.record AS record FROM strandline_log AS l
        LEFT JOIN strandline_transaction AS t
          ON t.last = (SELECT min(last) FROM strandline_transaction WHERE last >= l.sequence)
        WHERE l.sequence > ?1 AND (coalesce(t.origin, -1) <> ?2 OR l.sequence <= ?3)
        UNION
        SELECT l.entity, l.record FROM strandline_held AS h
        JOIN strandline_transaction AS t ON t.last = h.last
        JOIN strandline_log AS l ON l.sequence BETWEEN t.first AND t.last
        WHERE h.peer = ?2)
      GROUP BY entity
      """, [.integer(sequence), .integer(peer), .integer(compareHead)]
    ) { row in
      if try isSynced(row.integer(0)) { counts[row.integer(0)] = Int(row.integer(1)) }
    }
    return counts
  }

  /// Whether an entity's records may leave the device, also where the model no longer has it.
  func isSynced(_ entity: Int64) throws -> Bool {
    if let layout = catalog.layout(number: entity) {
      return layout.entity.configuration == .synced
    }
    return try connection.integer(
      "SELECT synced FROM strandline_entity WHERE number = ?", [.integer(entity)]) == 1
  }

}

extension PendingRecord {
  fileprivate mutating func add(_ kind: LogKind?, mask: Int64, bank: Int) {
    switch kind {
    case .insert: isInserted = true
    case .delete: isDeleted = true
    case .update: masks[bank, default: 0] |= mask
    case .parked: hasParked = true
    case .unknown: hasUnknown = true
    case nil: break
    }
  }
}
