public import StrandlineModels
public import StrandlineStorage

extension ReadTransaction {
  /// Tells what became of a record since an earlier place in history.
  ///
  /// - Parameters:
  ///   - entity: The entity's name.
  ///   - id: The record.
  ///   - sequence: The place; nil for the one before the latest transaction that changed it.
  ///   - store: The store's identity, for the token.
  /// - Returns: The difference.
  /// - Throws: `unknownEntity`, `unknownRecord`, `historyExpired`, `tokenBeyondHistory`.
  package func difference(
    _ entity: String, _ id: RecordID, since sequence: Int64?, store: String
  ) throws -> RecordDifference {
    let layout = try catalog.layout(named: entity)
    let present = try record(entity, id)
    let reader = try PastReader(self, layout, id)
    let place = try place(sequence, reader, isAlive: present != nil, entity, id)
    let past = try reader.past(at: place, isAlive: present != nil)
    return RecordDifference(
      entity: entity, id: id, since: HistoryToken(store: store, sequence: place),
      existedThen: past.existed, existsNow: present != nil,
      changes: Self.changes(from: past, to: present, layout))
  }

  /// The place that is asked for, if history reaches it.
  func place(
    _ sequence: Int64?, _ reader: PastReader, isAlive: Bool, _ entity: String, _ id: RecordID
  ) throws -> Int64 {
    if let sequence {
      try checkPlace(sequence)
      return sequence
    }
    if let found = try reader.placeBeforeLatestChange() { return found }
    if isAlive { return try sealedHead()?.sequence ?? 0 }
    throw try prunedSequence() > 0
      ? HistoryError.expired : StorageError.unknownRecord(id, of: entity)
  }

  private static func changes(
    from past: RecordPast, to present: Record?, _ layout: EntityLayout
  ) -> [RecordDifference.Change] {
    layout.columns.compactMap { column in
      let new = present.map { $0[column.property.name] }
      guard past.existed else {
        return new.map { .init(property: column.property.name, old: .absent, new: $0) }
      }
      guard let old = past.values[column.property.key] else { return nil }
      guard let old else { return .init(property: column.property.name, old: .notHeld, new: new) }
      return old == new ? nil : .init(property: column.property.name, old: .known(old), new: new)
    }
  }

  /// The entities of the model that have, or had, a record of an id.
  package func entities(knowing id: RecordID) throws -> [String] {
    try catalog.layouts.filter { layout in
      try connection.first("SELECT 1 FROM \(layout.shadow) WHERE id = ?", [id.value]) { _ in true }
        ?? false
    }.map(\.entity.name)
  }
}

extension Store {
  /// Tells what became of a record since an earlier place in history.
  ///
  /// Earlier values are known where the model asks to preserve them, and where they stand in the
  /// list of values that lost.
  ///
  /// - Parameters:
  ///   - entity: The entity's name.
  ///   - id: The record, which may have been deleted.
  ///   - token: The place; nil for the one before the latest transaction that changed the record.
  /// - Returns: The difference.
  /// - Throws: `unknownEntity`, `unknownRecord`, `historyExpired`, `tokenBeyondHistory`,
  ///   `tokenFromAnotherStore`.
  public func difference(
    of entity: String, _ id: RecordID, since token: HistoryToken? = nil
  ) async throws -> RecordDifference {
    try check(token)
    let store = self.id
    return try await read {
      try $0.difference(entity, id, since: token?.sequence, store: store)
    }
  }
}
