package import StrandlineModels

/// A record that a peer refused, or a value that could not be stored (C17).
package struct SetAsideRow: Sendable, Hashable {
  package var peer: Int64
  package var entity: Int64
  /// The record's id as it stands in the log, which a damaged row may have anything in.
  package var record: Value
  /// The sequence at which the group ended that went without the record; 0 for what arrived and
  /// could not be stored.
  package var sequence: Int64
  /// The stable name of the reason.
  package var code: String
  /// The reason as a sentence.
  package var message: String
  /// When it was refused last.
  package var time: Int64
  /// How often it was refused.
  package var attempts: Int
  /// When it is offered again without an edit; nil for what is not offered.
  package var retryAt: Int64?

  /// The reason of a value that arrived and is carried, since its column would convert it.
  package static let carriedCode = "valueCarried"
}

extension ReadTransaction {
  /// Sets a record aside that a peer refused, with its reason.
  ///
  /// Each row has its own back-off. An attempt counts when it was due, so that a cycle which names
  /// a refusal several times counts it once.
  package func setAside(
    peer: Int64, entity: Int64, record: Value, sequence: Int64, code: String, message: String,
    at time: Int64, wait: (_ attempts: Int) -> Int64? = { _ in nil }
  ) throws {
    let known = try connection.first(
      """
      SELECT attempts, retry_at FROM strandline_set_aside
      WHERE peer = ? AND record = ? AND entity = ?
      """, [.integer(peer), record, .integer(entity)]
    ) { (attempts: Int($0.integer(0)), retryAt: $0.optionalInteger(1)) }
    var attempts = known?.attempts ?? 0
    var retryAt = known?.retryAt
    if retryAt.map({ $0 <= time }) ?? true {
      attempts += 1
      retryAt = wait(attempts).map { time + $0 }
    }
    try connection.run(
      """
      INSERT INTO strandline_set_aside(
        peer, entity, record, sequence, code, message, time, attempts, retry_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET sequence = excluded.sequence,
        code = excluded.code, message = excluded.message, time = excluded.time,
        attempts = excluded.attempts, retry_at = excluded.retry_at
      """,
      [
        .integer(peer), .integer(entity), record, .integer(sequence), .text(code),
        .text(message), .integer(time), .integer(Int64(attempts)), .init(retryAt),
      ])
  }

  /// Records at which sequence a group was accepted that went without a record.
  package func markSetAside(
    peer: Int64, entity: Int64, record: Value, sequence: Int64
  ) throws {
    try connection.run(
      """
      UPDATE strandline_set_aside SET sequence = ?4
      WHERE peer = ?1 AND record = ?2 AND entity = ?3
      """, [.integer(peer), record, .integer(entity), .integer(sequence)])
  }

  /// Takes back what was set aside of a record, since it was sent.
  package func clearSetAside(peer: Int64, entity: Int64, record: Value) throws {
    try connection.run(
      """
      DELETE FROM strandline_set_aside
      WHERE peer = ? AND record = ? AND entity = ? AND code <> '\(SetAsideRow.carriedCode)'
      """, [.integer(peer), record, .integer(entity)])
  }

  /// Takes back what was set aside of the records that an accepted group held.
  ///
  /// - Parameters:
  ///   - peer: The peer.
  ///   - base: The acknowledgement before the group.
  ///   - end: The group's sequence, which records that were refused in it carry.
  /// - Throws: Errors of the store.
  package func clearSetAside(peer: Int64, sentAfter base: Int64, upTo end: Int64) throws {
    try connection.run(
      """
      DELETE FROM strandline_set_aside AS s
      WHERE peer = ?1 AND sequence > 0 AND sequence < ?3 AND EXISTS (
        SELECT 1 FROM strandline_log AS l
        JOIN strandline_transaction AS t
          ON t.last = (SELECT min(last) FROM strandline_transaction WHERE last >= l.sequence)
        WHERE l.record = s.record AND l.entity = s.entity AND l.sequence > ?2
          AND l.sequence <= ?3 AND t.origin <> ?1)
      """, [.integer(peer), .integer(base), .integer(end)])
  }

  /// Takes back that values are carried, where the model holds them now or later ones have
  /// replaced them.
  package func clearStoredValues(peer: Int64) throws {
    let rows = try setAsideRows().filter {
      $0.peer == peer && $0.code == SetAsideRow.carriedCode
    }
    for row in rows {
      guard try !isValueCarried(row) else { continue }
      try connection.run(
        "DELETE FROM strandline_set_aside WHERE peer = ? AND record = ? AND entity = ?",
        [.integer(peer), row.record, .integer(row.entity)])
    }
  }

  /// Whether a value of the record is carried beside its column and is later than what that shows.
  private func isValueCarried(_ row: SetAsideRow) throws -> Bool {
    guard let layout = catalog.layout(number: row.entity) else { return true }
    for column in layout.columns {
      let found = try connection.first(
        """
        SELECT 1 FROM strandline_unknown_value AS u JOIN \(layout.shadow) AS s ON s.id = u.record
        WHERE u.record = ? AND u.entity = ? AND u.property = ?
          AND u.stamp > coalesce(s.\(column.stampColumn), s.born)
        """, [row.record, .integer(row.entity), .text(column.property.key)]
      ) { _ in true }
      if found != nil { return true }
    }
    return false
  }

  /// The records that a peer refused: it lacks what was acknowledged around them (C17).
  package func refusedRecords(peer: Int64) throws -> Set<PendingKey> {
    Set(try refused(peer: peer, where: "sequence > 0"))
  }

  /// The refused records that are to be offered again now, without an edit, the longest due first.
  package func dueRecords(peer: Int64, at time: Int64) throws -> [PendingKey] {
    try refused(peer: peer, where: "sequence > 0 AND retry_at <= \(time) ORDER BY retry_at")
  }

  private func refused(peer: Int64, where condition: String) throws -> [PendingKey] {
    try connection.map(
      "SELECT entity, record FROM strandline_set_aside WHERE peer = ? AND \(condition)",
      [.integer(peer)]
    ) { row in RecordID(row.value(1)).map { PendingKey(entity: row.integer(0), id: $0) } }
    .compactMap(\.self)
  }

  /// When the next refused record is to be offered again; nil where none is set aside.
  package func nextRetry(peer: Int64) throws -> Int64? {
    try connection.first(
      "SELECT min(retry_at) FROM strandline_set_aside WHERE peer = ? AND sequence > 0",
      [.integer(peer)]
    ) { $0.optionalInteger(0) } ?? nil
  }

  /// Makes all refused records due, of one peer or of all.
  ///
  /// - Returns: How many there are.
  @discardableResult
  package func retryRefused(peer: Int64? = nil, at time: Int64) throws -> Int {
    try connection.run(
      """
      UPDATE strandline_set_aside SET retry_at = ?2
      WHERE sequence > 0 AND (?1 IS NULL OR peer = ?1)
      """, [.init(peer), .integer(time)])
  }

  /// All that is set aside, the oldest first.
  package func setAsideRows() throws -> [SetAsideRow] {
    try connection.map(
      """
      SELECT peer, entity, record, sequence, code, message, time, attempts, retry_at
      FROM strandline_set_aside ORDER BY time, entity, record
      """
    ) { row in
      SetAsideRow(
        peer: row.integer(0), entity: row.integer(1), record: row.value(2),
        sequence: row.integer(3), code: row.text(4), message: row.text(5), time: row.integer(6),
        attempts: Int(row.integer(7)), retryAt: row.optionalInteger(8))
    }
  }

  /// How many records are set aside for a peer.
  package func setAsideCount(peer: Int64) throws -> Int {
    Int(
      try connection.integer(
        "SELECT count(*) FROM strandline_set_aside WHERE peer = ?", [.integer(peer)]))
  }
}

extension PendingKey {
  /// The record with everything that is known of it, as it is offered again.
  package var whole: PendingRecord { PendingRecord(entity: entity, id: id).whole }
}
