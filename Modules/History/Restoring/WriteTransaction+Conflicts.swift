import StrandlineModels
public import StrandlineStorage

extension WriteTransaction {
  /// Sets a value that lost to a concurrent one again, as a new edit.
  ///
  /// The entry is settled on this device: it leaves the list here, while other devices, which
  /// list it too, see the edit. Where the record was deleted it begins a new life with all its
  /// values that are still held.
  ///
  /// - Parameter number: The entry's number in the list.
  /// - Returns: What was brought back.
  /// - Throws: `unknownConflict`; `constraint` where the value refers to a record that is gone.
  @discardableResult
  public func restoreConflict(_ number: Int64) throws -> Restoration {
    guard let row = try conflict(number) else { throw HistoryError.unknownConflict(number) }
    guard let layout = catalog.layout(number: row.entity), layout.index(ofKey: row.property) != nil
    else { throw HistoryError.strangeConflict(number) }
    let present = try record(layout.entity.name, row.record)
    var values: [String: Value?] = [:]
    var settled = [row.id]
    if present == nil {
      values = try heldValues(layout, row.record)
      for other in try conflicts(of: row.record, in: row.entity) {
        values[other.property] = .some(other.loser.value)
        settled.append(other.id)
      }
    }
    values[row.property] = .some(row.loser.value)
    let restoration = try apply(values, to: present, layout, row.record)
    for id in settled { try settleConflict(id) }
    return restoration
  }

  /// What a deleted record's last life was, as far as that is still known.
  private func heldValues(_ layout: EntityLayout, _ id: RecordID) throws -> [String: Value?] {
    let reader = try PastReader(self, layout, id)
    guard let place = try reader.placeBeforeLatestChange() else {
      return Dictionary(
        uniqueKeysWithValues: layout.columns.map { ($0.property.key, Value?.none) })
    }
    return try reader.past(at: place, isAlive: false).values
  }
}

extension Store {
  /// Sets a value that lost to a concurrent one again, as a new edit.
  ///
  /// - Parameters:
  ///   - number: The entry's number in the list.
  ///   - author: Who brings it back, for history.
  /// - Returns: What was brought back.
  /// - Throws: As `WriteTransaction.restoreConflict`.
  @discardableResult
  public func restoreConflict(
    _ number: Int64, author: String? = nil
  ) async throws -> Restoration {
    try await write(author: author, context: "restore") { try $0.restoreConflict(number) }
  }
}
