import StrandlineModels
import StrandlineStorage

/// Takes the rows of pruned history out of the tables, a portion at a time.
///
/// What stays of it is one row for each birth and each death that is still the record's latest:
/// a peer that is followed later, or compared as a whole, is offered every record by these rows,
/// in the order and in the portions in which they stand (C19). They are no part of history.
/// The transaction that ends at a peer's acknowledgement stays too: its token tells a lost answer
/// from a restored store (C8). So does the newest one, from which numbering goes on.
struct LogSweep {
  let transaction: ReadTransaction
  private var connection: Connection { transaction.connection }

  init(_ transaction: ReadTransaction) {
    self.transaction = transaction
  }

  private static let sweptKey = "historySwept"

  /// Sweeps the next portion.
  ///
  /// - Returns: Whether more is left.
  func sweepNext(rows: Int64) throws -> Bool {
    let pruned = try transaction.prunedSequence()
    let start = try connection.integer(
      "SELECT value FROM strandline_meta WHERE key = ?", [.text(Self.sweptKey)])
    guard start < pruned else { return false }
    let end = min(start + rows, pruned)
    try sweep(after: start, upTo: end)
    try transaction.setNumber(end, for: Self.sweptKey)
    return end < pruned
  }

  private func sweep(after start: Int64, upTo end: Int64) throws {
    let range: [Value] = [.integer(start), .integer(end)]
    // Sequence 0 holds a copy that an insert laid aside and nobody needed.
    try connection.run("DELETE FROM strandline_preserved WHERE sequence <= ?", [.integer(end)])
    try connection.run(
      """
      DELETE FROM strandline_log WHERE sequence > ? AND sequence <= ? AND kind IN
        (\(LogKind.update.rawValue), \(LogKind.unknown.rawValue))
      """, range)
    var emptied = try connection.map(
      """
      DELETE FROM strandline_log WHERE sequence IN (
        SELECT old.sequence FROM strandline_log AS new
        JOIN strandline_log AS old ON old.record = new.record AND old.entity = new.entity
          AND old.sequence < new.sequence
        WHERE new.sequence > ? AND new.sequence <= ? AND old.kind = new.kind)
      RETURNING sequence
      """, range
    ) { $0.integer(0) }
    emptied += try sweepBirthsOfTheDead(range)
    try connection.run(
      """
      DELETE FROM strandline_log AS l WHERE sequence > ? AND sequence <= ?
        AND kind = \(LogKind.parked.rawValue) AND NOT EXISTS (
          SELECT 1 FROM strandline_parked WHERE record = l.record AND entity = l.entity)
      """, range)
    try sweepTransactions(range, emptied: emptied.filter { $0 <= start })
  }

  /// Of a record that is gone its death alone is told.
  private func sweepBirthsOfTheDead(_ range: [Value]) throws -> [Int64] {
    let entities = try connection.map(
      """
      SELECT DISTINCT entity FROM strandline_log WHERE sequence > ? AND sequence <= ?
        AND kind = \(LogKind.delete.rawValue)
      """, range
    ) { $0.integer(0) }
    return try entities.flatMap { entity in
      let layout = transaction.catalog.layout(number: entity)
      let isDead =
        layout.map { "SELECT 1 FROM \($0.shadow) WHERE id = d.record AND born <= died" }
          ?? """
          SELECT 1 FROM strandline_unknown_record
            WHERE record = d.record AND entity = d.entity AND born <= died
          """
      return try connection.map(
        """
        DELETE FROM strandline_log WHERE sequence IN (
          SELECT b.sequence FROM strandline_log AS d
          JOIN strandline_log AS b ON b.record = d.record AND b.entity = d.entity
            AND b.sequence < d.sequence
          WHERE d.sequence > ?1 AND d.sequence <= ?2 AND d.entity = ?3
            AND d.kind = \(LogKind.delete.rawValue) AND b.kind = \(LogKind.insert.rawValue)
            AND EXISTS (\(isDead)))
        RETURNING sequence
        """, range + [.integer(entity)]
      ) { $0.integer(0) }
    }
  }

  private func sweepTransactions(_ range: [Value], emptied: [Int64]) throws {
    let isEmpty = """
      NOT EXISTS (SELECT 1 FROM strandline_log WHERE sequence BETWEEN t.first AND t.last)
        AND last NOT IN (SELECT acknowledged FROM strandline_peer)
        AND last < (SELECT max(last) FROM strandline_transaction)
      """
    try connection.run(
      "DELETE FROM strandline_transaction AS t WHERE last > ? AND last <= ? AND \(isEmpty)", range)
    // Who made what and for what reason is history, and goes with it.
    try connection.run(
      """
      UPDATE strandline_transaction SET author = NULL, context = NULL
      WHERE last > ? AND last <= ? AND (author IS NOT NULL OR context IS NOT NULL)
      """, range)
    for sequence in emptied {
      try connection.run(
        """
        DELETE FROM strandline_transaction AS t WHERE last = (
          SELECT min(last) FROM strandline_transaction WHERE last >= ?) AND \(isEmpty)
        """, [.integer(sequence)])
    }
  }
}
