package import StrandlineModels

/// A pending row that cannot be sent, since it says what no writer of this store leaves.
///
/// Only another program that switched the triggers off, or damage of the file, makes one. It is set
/// aside with the reason, and the rest goes on.
package struct DamagedRow: Hashable, Sendable {
  /// What is wrong with it.
  package enum Fault: Hashable, Sendable {
    /// What stands in place of the record's id cannot be one.
    case noID
    /// The record lives by its stamps and has no row in its table.
    case noRow
    /// The log tells of a record of which there are no stamps.
    case noStamps
    /// A stamp is no number, or none that a clock gives.
    case wrongStamp
    /// The log tells of properties that the store never had.
    case unknownProperties
  }

  /// The stable name of the reason.
  package static let code = "damagedRow"

  package let entity: Int64
  /// The record's id as it stands in the log.
  package let record: Value
  package let fault: Fault

  package init(_ entity: Int64, _ record: Value, _ fault: Fault) {
    self.entity = entity
    self.record = record
    self.fault = fault
  }

  /// The reason as a sentence.
  package var message: String {
    let reason =
      switch fault {
      case .noID: "a row of the log has something else in the place of its id"
      case .noRow: "its row is missing from its table"
      case .noStamps: "its stamps are missing"
      case .wrongStamp: "a stamp of it makes no sense"
      case .unknownProperties: "a row of the log names properties that were never there"
      }
    return "Could not send the record, \(reason)."
  }
}

extension DeltaReader {
  /// What reading a pending record found.
  package enum Reading {
    /// Facts to send.
    case delta(RecordDelta)
    /// Nothing is left to say of it.
    case nothing
    /// It cannot be sent.
    case damaged(DamagedRow)
  }

  /// Reads the facts that are pending for one record, and does not take damage for facts.
  package func reading(of pending: PendingRecord) throws -> Reading {
    let layout = transaction.catalog.layout(number: pending.entity)
    let stored = try load(pending, layout)
    if let layout, let fault = try fault(of: pending, layout, stored) {
      return .damaged(DamagedRow(pending.entity, pending.id.value, fault))
    }
    return try delta(for: pending, layout, stored.state).map(Reading.delta) ?? .nothing
  }

  private func fault(
    of pending: PendingRecord, _ layout: EntityLayout, _ stored: StoredState
  ) throws -> DamagedRow.Fault? {
    guard stored.hasShadow else { return pending.hasParked ? nil : .noStamps }
    let state = stored.state
    let versions = state.versions.values
    // Stamps that are no numbers are read as unset ones, which few records have.
    let isSuspicious =
      (state.isAlive && versions.count < layout.columns.count)
      || (state.born == .unset && state.death == nil) || versions.contains { $0.stamp < .unset }
    if try isSuspicious && !hasSoundStamps(pending.id, layout) { return .wrongStamp }
    if state.isAlive && !stored.hasRow { return .noRow }
    for (bank, mask) in pending.masks where try !isKnown(mask, bank, in: layout) {
      return .unknownProperties
    }
    return nil
  }

  private func hasSoundStamps(_ id: RecordID, _ layout: EntityLayout) throws -> Bool {
    let stamps = layout.columns.map {
      " AND (\($0.stampColumn) IS NULL OR typeof(\($0.stampColumn)) = 'integer' "
        + "AND \($0.stampColumn) >= 0)"
    }.joined()
    return try transaction.connection.integer(
      """
      SELECT count(*) FROM \(layout.shadow) WHERE id = ? AND typeof(born) = 'integer'
        AND typeof(died) = 'integer' AND typeof(deleted) = 'integer' AND born >= 0 AND died >= 0
        AND deleted >= 0 AND (born > 0 OR died > 0)\(stamps)
      """, [id.value]) == 1
  }

  /// Whether every bit of a mask stands for a property that the store has or had.
  private func isKnown(_ mask: Int64, _ bank: Int, in layout: EntityLayout) throws -> Bool {
    if layout.keys(in: mask, bank: bank).count == mask.nonzeroBitCount { return true }
    guard mask >= 0, (0...1_000_000).contains(bank) else { return false }
    let first = Int64(bank * EntityLayout.Column.bankSize)
    let known = try transaction.connection.integer(
      """
      SELECT count(*) FROM strandline_property
      WHERE entity = ?1 AND number BETWEEN ?2 AND ?2 + ?3 - 1 AND ?4 & (1 << (number - ?2))
      """,
      [
        .integer(layout.number), .integer(first),
        .integer(Int64(EntityLayout.Column.bankSize)), .integer(mask),
      ])
    return known == Int64(mask.nonzeroBitCount)
  }
}
