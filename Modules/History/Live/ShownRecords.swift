public import StrandlineModels
public import StrandlineStorage

/// What a view shows, so that one can ask whether a change in the store concerns it.
public struct ShownRecords: Sendable {
  /// The query whose records are shown.
  public var query: Query
  /// The ids of the records that are shown now.
  public var ids: Set<RecordID>
  /// The properties that are shown; nil for all of them.
  ///
  /// Those that the query's condition and order look at count by themselves.
  public var properties: Set<String>?

  /// Describes what is shown.
  public init(_ query: Query, ids: Set<RecordID>, properties: Set<String>? = nil) {
    self.query = query
    self.ids = ids
    self.properties = properties
  }
}

extension Store {
  /// Tells whether changes after a token touch what is shown.
  ///
  /// It looks at the changes alone, whether they were made here, by other processes and SQLite
  /// clients or by imports; its cost follows their number. A change is irrelevant if it is of
  /// another entity, if it is an update of properties that are neither shown nor looked at by the
  /// query, or if its record was not shown and does not meet the query's condition now. In doubt
  /// the answer is yes: with subqueries, and where history was pruned beyond the token.
  ///
  /// - Parameters:
  ///   - shown: What is shown, as of the token.
  ///   - token: The place to begin after.
  ///   - end: The last place to look at; nil looks at everything.
  /// - Returns: Whether it should be shown anew.
  /// - Throws: `tokenFromAnotherStore`; `unknownEntity`, `invalidQuery`.
  public func isTouched(
    _ shown: ShownRecords, after token: HistoryToken, upTo end: HistoryToken? = nil
  ) async throws -> Bool {
    try check(token)
    try check(end)
    return try await read { transaction in
      try Relevance(shown.query, showing: shown.properties, in: transaction).isTouched(
        showing: shown.ids, after: token.sequence,
        upTo: end?.sequence ?? transaction.logHead(), in: transaction)
    }
  }

  /// Tells which records of some entities were changed after a token, in a fixed order.
  ///
  /// - Parameters:
  ///   - entities: The names of the entities; nil for all.
  ///   - token: The place to begin after.
  /// - Returns: The records, deleted ones included.
  /// - Throws: `historyExpired`; recover by loading everything again. `tokenFromAnotherStore`.
  public func touchedRecords(
    of entities: Set<String>? = nil, after token: HistoryToken
  ) async throws -> [RecordIdentity] {
    try check(token)
    return try await read { transaction in
      let head = try transaction.logHead()
      guard
        let changes = try LogChanges.read(
          after: token.sequence, upTo: head, in: transaction)
      else { throw HistoryError.expired }
      return changes.touched.filter { entities?.contains($0.entity) ?? true }
    }
  }
}
