import StrandlineModels
import StrandlineStorage

/// What a record was at an earlier place in history, as far as that is still known.
struct RecordPast {
  /// Whether the record existed.
  var existed: Bool
  /// The earlier values of what may have changed since, by permanent key.
  ///
  /// A nil stands for a value that is no longer held. What is not named here has the value that
  /// it has now.
  var values: [String: Value?] = [:]
}

/// Goes back from what a record is now, change by change.
///
/// Before an update its properties had the values that were preserved with it, before a delete
/// the record had those that were preserved with that. A value that is in no row of history may
/// still stand in the list of values that lost.
struct PastReader {
  private let transaction: ReadTransaction
  private let layout: EntityLayout
  private let id: RecordID
  private let hasPreserved: Bool

  init(_ transaction: ReadTransaction, _ layout: EntityLayout, _ id: RecordID) throws {
    hasPreserved = try transaction.holdsPreservedValues()
    self.transaction = transaction
    self.layout = layout
    self.id = id
  }

  private struct Step {
    var sequence: Int64
    var kind: LogKind
    var mask: Int64
    var bank: Int
  }

  /// The place before the latest transaction that changed the record; nil where history holds
  /// none.
  func placeBeforeLatestChange() throws -> Int64? {
    let latest = try transaction.connection.integer(
      "SELECT max(sequence) FROM strandline_log WHERE record = ? AND entity = ?",
      [id.value, .integer(layout.number)])
    guard latest > 0 else { return nil }
    let pruned = try transaction.prunedSequence()
    guard latest > pruned else { return nil }
    // The rows of a transaction that is still open come after all that are closed.
    return try transaction.connection.integer(
      "SELECT max(last) FROM strandline_transaction WHERE last < ?", [.integer(latest)])
  }

  /// What the record was after the transaction that ends at a sequence.
  func past(at sequence: Int64, isAlive: Bool) throws -> RecordPast {
    var past = RecordPast(existed: isAlive)
    let steps = try transaction.connection.map(
      """
      SELECT sequence, kind, properties, bank FROM strandline_log
      WHERE record = ? AND entity = ? AND sequence > ? ORDER BY sequence DESC
      """, [id.value, .integer(layout.number), .integer(sequence)]
    ) { row in
      LogKind(rawValue: row.integer(1)).map {
        Step(
          sequence: row.integer(0), kind: $0, mask: row.integer(2), bank: Int(row.integer(3)))
      }
    }
    for case .some(let step) in steps { try undo(step, in: &past) }
    if past.existed { try addListed(to: &past, at: sequence) }
    return past
  }

  private func undo(_ step: Step, in past: inout RecordPast) throws {
    switch step.kind {
    case .insert:
      let preserved = try preservedValues(step)
      if preserved.isEmpty {
        past = RecordPast(existed: false)
      } else {
        begin(&past, with: preserved)
      }
    case .delete:
      // The end of an earlier life, told by a peer, took nothing from a record that lives on.
      guard !past.existed else { return }
      begin(&past, with: try preservedValues(step))
    case .update:
      if !past.existed { begin(&past, with: [:]) }
      let preserved = try preservedValues(step)
      for key in layout.keys(in: step.mask, bank: step.bank) {
        past.values[key] = .some(preserved[key])
      }
    case .parked, .unknown: break
    }
  }

  private func preservedValues(_ step: Step) throws -> [String: Value] {
    hasPreserved ? try transaction.preservedValues(at: step.sequence) : [:]
  }

  /// Another life, of which nothing is known but what was preserved.
  private func begin(_ past: inout RecordPast, with preserved: [String: Value]) {
    past.existed = true
    past.values = [:]
    for column in layout.columns {
      past.values[column.property.key] = .some(preserved[column.property.key])
    }
  }

  /// Finds values that are not held otherwise by the stamp of their writing.
  private func addListed(to past: inout RecordPast, at sequence: Int64) throws {
    for (key, value) in past.values where value == nil {
      guard let index = layout.index(ofKey: key) else { continue }
      let listed = try transaction.connection.first(
        """
        SELECT value FROM strandline_conflict
        WHERE record = ?1 AND entity = ?2 AND property = ?3 AND stamp = (
          SELECT stamp FROM strandline_log
          WHERE record = ?1 AND entity = ?2 AND sequence <= ?4
            AND (kind = \(LogKind.insert.rawValue)
              OR (kind = \(LogKind.update.rawValue) AND bank = ?5 AND properties & ?6 <> 0))
          ORDER BY sequence DESC LIMIT 1)
        LIMIT 1
        """,
        [
          id.value, .integer(layout.number), .text(key), .integer(sequence),
          .integer(Int64(layout.columns[index].bank)), .integer(layout.columns[index].bit),
        ]
      ) { $0.value(0) }
      if let listed { past.values[key] = .some(listed) }
    }
  }
}
