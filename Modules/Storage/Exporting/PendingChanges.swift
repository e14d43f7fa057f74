package import StrandlineModels

/// A record by its store's number for the entity.
package struct PendingKey: Hashable, Sendable {
  package let entity: Int64
  package let id: RecordID
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
  /// for those that came from it.
  ///
  /// - Parameters:
  ///   - sequence: The peer's acknowledgement.
  ///   - peer: The peer.
  ///   - compareHead: The sequence up to which rows count that came from the peer, too.
  ///   - limit: The number of records after which gathering ends with the transaction it is in.
  /// - Returns: What is pending, as of this snapshot.
  /// - Throws: Errors of the store.
  package func pendingChanges(
    after sequence: Int64, for peer: Int64, comparingUpTo compareHead: Int64 = 0,
    limit: Int = .max
  ) throws -> PendingChanges {
    guard let head = try sealedHead(), head.sequence > sequence else {
      return PendingChanges(records: [], head: sequence, headToken: 0)
    }
    var places: [PendingKey: Int] = [:]
    var records: [PendingRecord] = []
    var end: (sequence: Int64, token: UInt64)?
    var last: Int64 = 0
    try connection.forEach(
      Self.pendingSQL, [.integer(sequence), .integer(peer), .integer(compareHead)]
    ) { row in
      guard end == nil else { return }
      if records.count >= limit && row.integer(5) != last {
        end = (last, try transactionToken(endingAt: last) ?? 0)
        return
      }
      last = row.integer(5)
      let entity = row.integer(0)
      guard try isSynced(entity), let id = RecordID(row.value(1)) else { return }
      let key = PendingKey(entity: entity, id: id)
      let place = places[key] ?? records.count
      if place == records.count {
        places[key] = place
        records.append(PendingRecord(entity: entity, id: id))
      }
      records[place].add(
        LogKind(rawValue: row.integer(2)), mask: row.integer(3), bank: Int(row.integer(4)))
    }
    let covered = end ?? head
    return PendingChanges(
      records: records, head: covered.sequence, headToken: covered.token, isAll: end == nil)
  }

  private static let pendingSQL = """
    SELECT l.entity, l.record, l.kind, l.properties, l.bank, t.last
    FROM strandline_transaction AS t
    JOIN strandline_log AS l ON l.sequence BETWEEN t.first AND t.last
    WHERE t.last > ?1 AND l.sequence > ?1 AND (t.origin <> ?2 OR l.sequence <= ?3)
    ORDER BY l.sequence
    """

  /// Counts the records that are pending for a peer, rows of other clients included.
  package func pendingCounts(
    after sequence: Int64, for peer: Int64, comparingUpTo compareHead: Int64 = 0
  ) throws -> [Int64: Int] {
    var counts: [Int64: Int] = [:]
    try connection.forEach(
      """
      SELECT entity, count(*) FROM (
        SELECT DISTINCT l.entity AS entity, l.record FROM strandline_log AS l
        LEFT JOIN strandline_transaction AS t
          ON t.last = (SELECT min(last) FROM strandline_transaction WHERE last >= l.sequence)
        WHERE l.sequence > ?1 AND (coalesce(t.origin, -1) <> ?2 OR l.sequence <= ?3))
      GROUP BY entity
      """, [.integer(sequence), .integer(peer), .integer(compareHead)]
    ) { row in
      if try isSynced(row.integer(0)) { counts[row.integer(0)] = Int(row.integer(1)) }
    }
    return counts
  }

  /// Whether an entity's records may leave the device, also where the model no longer has it.
  private func isSynced(_ entity: Int64) throws -> Bool {
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
