package import StrandlineModels

/// A record as it would be if what is not saved yet were saved.
package struct UnsavedRecord: Sendable {
  package let entity: String
  package let id: RecordID
  /// The values of all properties; nil where the record would be deleted.
  package let values: [String: Value]?

  package init(entity: String, id: RecordID, values: [String: Value]?) {
    self.entity = entity
    self.id = id
    self.values = values
  }
}

extension ReadTransaction {
  /// The greatest number of arguments for values that are not saved, below SQLite's own.
  private static let argumentLimit = 30_000

  /// The records that a query names, as if some records were saved already.
  ///
  /// The condition, its subqueries, the order and the limit all see them: each entity's table
  /// is hidden behind a common table expression of its name.
  package func records(_ query: Query, with unsaved: [UnsavedRecord]) throws -> [Record] {
    if unsaved.isEmpty { return try records(query) }
    let groups = Dictionary(grouping: unsaved, by: \.entity).sorted { $0.key < $1.key }
    let mine = Dictionary(uniqueKeysWithValues: unsaved.map { (UnsavedKey($0), $0.values) })
    var expressions: [String] = []
    var arguments: [Value] = []
    for (entity, rows) in groups {
      let layout = try catalog.layout(named: entity)
      expressions += Self.expressions(layout, rows, &arguments)
      guard arguments.count <= Self.argumentLimit else { throw Self.tooMany(unsaved.count) }
    }
    let layout = try catalog.layout(named: query.entity)
    let sql = "WITH " + expressions.joined(separator: ", ") + " " + Self.select(layout)
    var found: [Record] = []
    try explaining(query) {
      try connection.forEach(sql + query.tail(), arguments + query.arguments) { row in
        let record = try Self.record(row, layout)
        // The values went through SQL only to be compared; those in memory are exact.
        let values = mine[UnsavedKey(entity: record.entity, id: record.id)] ?? record.values
        found.append(
          Record(entity: record.entity, id: record.id, values: values ?? record.values))
      }
    }
    return found
  }

  private struct UnsavedKey: Hashable {
    let entity: String
    let id: RecordID

    init(entity: String, id: RecordID) {
      self.entity = entity
      self.id = id
    }

    init(_ record: UnsavedRecord) {
      self.init(entity: record.entity, id: record.id)
    }
  }

  private static func expressions(
    _ layout: EntityLayout, _ rows: [UnsavedRecord], _ arguments: inout [Value]
  ) -> [String] {
    let unsaved = "strandline_unsaved_\(layout.entity.key)".quoted
    let names = layout.columns.map { ", " + $0.name }.joined()
    // A column of a subquery has the affinity that its cast has; ids have none.
    let casts = layout.columns.map { column in
      let type = column.property.attributeType?.columnType
      return ", " + (type.map { "CAST(\(column.name) AS \($0))" } ?? column.name)
    }.joined()
    let marks = "(?, ?" + String(repeating: ", ?", count: layout.columns.count) + ")"
    let rows = padded(rows, width: layout.columns.count + 2)
    for row in rows {
      arguments += [row.id.value, .integer(row.values == nil ? 1 : 0)]
      arguments += layout.columns.map { row.values?[$0.property.name] ?? .null }
    }
    return [
      "\(unsaved)(id, strandline_gone\(names)) AS "
        + "(VALUES \(Array(repeating: marks, count: rows.count).joined(separator: ", ")))",
      "\(layout.table)(id\(names)) AS (SELECT id\(names) FROM main.\(layout.table) "
        + "WHERE id NOT IN (SELECT id FROM \(unsaved)) "
        + "UNION ALL SELECT id\(casts) FROM \(unsaved) WHERE NOT strandline_gone)",
    ]
  }

  /// Rows up to the next power of two, so that a few statements serve any number of them.
  ///
  /// A row that is repeated as deleted changes nothing.
  private static func padded(_ rows: [UnsavedRecord], width: Int) -> [UnsavedRecord] {
    var count = 1
    while count < rows.count { count *= 2 }
    guard let first = rows.first, count * width <= argumentLimit else { return rows }
    let filler = UnsavedRecord(entity: first.entity, id: first.id, values: nil)
    return rows + Array(repeating: filler, count: count - rows.count)
  }

  private static func tooMany(_ count: Int) -> StorageError {
    StorageError(
      .invalidQuery, "Could not read through \(count) unsaved changes, they are too many.",
      advice: "Save first, or fetch single records by their ids.")
  }
}
