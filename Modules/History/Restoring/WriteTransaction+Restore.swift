public import StrandlineModels
public import StrandlineStorage

extension WriteTransaction {
  /// Brings back what a record was at an earlier place in history, as a new edit.
  ///
  /// A record that was deleted since begins a new life. Of the earlier values those are brought
  /// back that history preserved or the list of values that lost still holds; the outcome tells
  /// of each property whether it was. Records that a delete rule took along are not brought back
  /// with it.
  ///
  /// - Parameters:
  ///   - entity: The entity's name.
  ///   - id: The record.
  ///   - sequence: The place; nil for the one before the latest transaction that changed it.
  /// - Returns: What was brought back, and what was not.
  /// - Throws: `unknownEntity`, `unknownRecord`, `historyExpired`, `tokenBeyondHistory`;
  ///   `recordNotThere` where the record did not exist then; `valuesNotHeld` where nothing of
  ///   what changed is known any more.
  @discardableResult
  public func restore(
    _ entity: String, _ id: RecordID, to sequence: Int64? = nil
  ) throws -> Restoration {
    let layout = try catalog.layout(named: entity)
    let present = try record(entity, id)
    let reader = try PastReader(self, layout, id)
    let place = try place(sequence, reader, isAlive: present != nil, entity, id)
    let past = try reader.past(at: place, isAlive: present != nil)
    guard past.existed else { throw HistoryError.notThere(entity, id, at: place) }
    return try apply(past.values, to: present, layout, id)
  }

  /// Writes known earlier values, into the living record or into a new life.
  func apply(
    _ values: [String: Value?], to present: Record?, _ layout: EntityLayout, _ id: RecordID
  ) throws -> Restoration {
    var outcomes: [String: Restoration.Outcome] = [:]
    var restored: [String: Value] = [:]
    for column in layout.columns {
      let name = column.property.name
      guard let earlier = values[column.property.key] else {
        outcomes[name] = .unchanged
        continue
      }
      outcomes[name] = try outcome(earlier, column.property, present)
      if outcomes[name] == .restored { restored[name] = earlier }
    }
    if restored.isEmpty {
      let isLost = outcomes.values.contains { $0 == .notHeld || $0 == .targetMissing }
      if isLost || present == nil { throw HistoryError.notHeld(layout.entity.name, id) }
    } else if present == nil {
      try insert(layout.entity.name, id: id, values: restored)
    } else {
      try update(layout.entity.name, id, values: restored)
    }
    return Restoration(
      entity: layout.entity.name, id: id, isNewLife: present == nil, outcomes: outcomes)
  }

  private func outcome(
    _ earlier: Value?, _ property: Property, _ present: Record?
  ) throws -> Restoration.Outcome {
    // Another client may have written a null where none may stand; it cannot be written again.
    guard let earlier, property.isOptional || !earlier.isNull else { return .notHeld }
    if let present, present[property.name] == earlier { return .unchanged }
    if let destination = property.destination, let target = RecordID(earlier),
      try record(destination, target) == nil
    {
      return .targetMissing
    }
    return .restored
  }
}

extension Store {
  /// Brings back what a record was at an earlier place in history, as a new edit.
  ///
  /// - Parameters:
  ///   - entity: The entity's name.
  ///   - id: The record, which may have been deleted.
  ///   - token: The place; nil for the one before the latest transaction that changed the record.
  ///   - author: Who brings it back, for history.
  /// - Returns: What was brought back, and what was not.
  /// - Throws: As `WriteTransaction.restore`; `tokenFromAnotherStore`.
  @discardableResult
  public func restore(
    _ entity: String, _ id: RecordID, to token: HistoryToken? = nil, author: String? = nil
  ) async throws -> Restoration {
    try check(token)
    return try await write(author: author, context: "restore") {
      try $0.restore(entity, id, to: token?.sequence)
    }
  }
}
