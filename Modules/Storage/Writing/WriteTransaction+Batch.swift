public import StrandlineModels

extension WriteTransaction {
  /// Sets properties of all records that a query names, in one statement.
  ///
  /// Records that have the values already stay untouched, and so are not exported.
  ///
  /// - Returns: How many records changed.
  /// - Throws: `unknownEntity`, `unknownProperty`, `wrongType`, `invalidQuery`, `constraint`.
  @discardableResult
  public func updateAll(_ query: Query, values: [String: Value]) throws -> Int {
    let layout = try catalog.layout(named: query.entity)
    let checked = try check(values, in: layout)
    guard !checked.isEmpty else { return 0 }
    try beginChanges()
    let sets = checked.map { "\($0.column.name) = ?" }.joined(separator: ", ")
    // Naming a row whose values are these already would check its foreign keys again, and fail
    // for a reference to a record that has not arrived yet.
    let differs = checked.map {
      "\($0.column.name) COLLATE BINARY IS NOT ? OR typeof(\($0.column.name)) <> typeof(?)"
    }.joined(separator: " OR ")
    return try explaining(query) {
      try connection.run(
        "UPDATE \(layout.table) SET \(sets) WHERE id IN (\(Self.ids(query, layout))) AND (\(differs))",
        checked.map(\.value) + query.arguments + checked.flatMap { [$0.value, $0.value] })
    }
  }

  /// Deletes all records that a query names, and what their delete rules say.
  ///
  /// - Returns: How many records of the entity were deleted, without those of the rules.
  /// - Throws: `unknownEntity`, `invalidQuery`, `constraint`.
  @discardableResult
  public func deleteAll(_ query: Query) throws -> Int {
    let layout = try catalog.layout(named: query.entity)
    try beginChanges()
    return try explaining(query) {
      try connection.run(
        "DELETE FROM \(layout.table) WHERE id IN (\(Self.ids(query, layout)))", query.arguments)
    }
  }

  private static func ids(_ query: Query, _ layout: EntityLayout) -> String {
    "SELECT id FROM \(layout.table)\(query.tail())"
  }
}
