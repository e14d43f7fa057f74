public import StrandlineModels

/// A consistent view of the store while a closure runs.
///
/// It cannot leave its closure: it is not `Sendable`, and it is useless once the closure ends.
public class ReadTransaction {
  package let connection: Connection
  package let catalog: Catalog

  init(connection: Connection, catalog: Catalog) {
    self.connection = connection
    self.catalog = catalog
  }

  /// The schema of the store.
  public var schema: Schema { catalog.schema }

  /// The record of that id, or nil where there is none, or where it has not arrived yet.
  public func record(_ entity: String, _ id: RecordID) throws -> Record? {
    let layout = try catalog.layout(named: entity)
    return try connection.first(
      Self.select(layout) + " WHERE id = ?", [id.value]
    ) { try Self.record($0, layout) }
  }

  /// The records that a query names.
  public func records(_ query: Query) throws -> [Record] {
    var records: [Record] = []
    try forEachRecord(query) { records.append($0) }
    return records
  }

  /// Hands the records that a query names to the body, one at a time.
  public func forEachRecord(_ query: Query, _ body: (Record) throws -> Void) throws {
    let layout = try catalog.layout(named: query.entity)
    try explaining(query) {
      try connection.forEach(Self.select(layout) + query.tail(), query.arguments) {
        try body(Self.record($0, layout))
      }
    }
  }

  /// How many records a query names.
  public func count(_ query: Query) throws -> Int {
    let layout = try catalog.layout(named: query.entity)
    let condition = query.condition.map { " WHERE (\($0)\n)" } ?? ""
    return try explaining(query) {
      Int(
        try connection.integer(
          "SELECT count(*) FROM \(layout.table)\(condition)", query.arguments))
    }
  }

  /// The records on the other side of a to-many relationship.
  public func related(_ record: Record, _ name: String) throws -> [Record] {
    let layout = try catalog.layout(named: record.entity)
    guard let side = layout.entity.toMany.first(where: { $0.name == name }) else {
      throw StorageError.unknownProperty(name, of: record.entity)
    }
    let condition: String
    if let link = side.link {
      condition =
        "id IN (SELECT \(link.otherColumn) FROM \(link.entity.quoted) "
        + "WHERE \(link.ownColumn) = ?)"
    } else {
      condition = "\(side.inverse.quoted) = ?"
    }
    return try records(
      Query(side.destination, where: condition, arguments: [record.id.value]))
  }

  static func select(_ layout: EntityLayout) -> String {
    "SELECT id" + layout.columns.map { ", " + $0.name }.joined() + " FROM \(layout.table)"
  }

  static func record(_ row: Row, _ layout: EntityLayout) throws -> Record {
    var values: [String: Value] = [:]
    values.reserveCapacity(layout.columns.count)
    for (index, column) in layout.columns.enumerated() {
      values[column.property.name] = row.value(index + 1)
    }
    return Record(
      entity: layout.entity.name, id: try recordID(row.value(0), in: layout), values: values)
  }

  static func recordID(_ value: Value, in layout: EntityLayout) throws(StorageError) -> RecordID {
    guard let id = RecordID(value) else {
      throw StorageError(
        .damaged, "Could not read a record of \(layout.entity.name), its id is not an id.",
        advice: "Run an integrity check of the database file.")
    }
    return id
  }

  /// Says of a condition that cannot be run what people most often mean by it.
  package func explaining<T>(_ query: Query, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as StorageError where error.code == .invalidQuery {
      throw Self.explain(error, query)
    }
  }

  private static func explain(_ error: StorageError, _ query: Query) -> StorageError {
    let text = error.context["sqliteMessage"] ?? error.message
    let prefix = "no such column: "
    guard text.hasPrefix(prefix) else {
      return StorageError(
        .invalidQuery, "Could not read \(query.entity), \(text).",
        advice: "Correct the condition; it is SQL over the columns of \(query.entity).",
        context: error.context, cause: error)
    }
    let name = text.dropFirst(prefix.count)
    let isQuoted = [query.condition, query.order].contains { $0?.contains("\"\(name)\"") == true }
    return StorageError(
      .invalidQuery, "Could not read \(query.entity), it has no column '\(name)'.",
      advice: isQuoted
        ? "Write text in single quotes: '\(name)'."
        : "Name a column, or write text in quotes: "
          + "'\(name)'.",
      context: error.context, cause: error)
  }
}
