public import StrandlineModels

/// One record as it stood in a transaction, its values by property name.
public struct Record: Hashable, Sendable, Identifiable {
  /// The entity's name.
  public let entity: String
  /// The id.
  public let id: RecordID
  /// The values, each as SQLite stores it.
  public var values: [String: Value]

  /// Makes a record.
  public init(entity: String, id: RecordID, values: [String: Value]) {
    self.entity = entity
    self.id = id
    self.values = values
  }

  /// The value of a property; null for one that the entity does not have.
  public subscript(name: String) -> Value { values[name] ?? .null }
}

/// Which records of an entity to read, in SQL over the entity's columns.
public struct Query: Hashable, Sendable {
  /// The entity's name.
  public var entity: String
  /// An SQL condition with question marks for the arguments; nil reads all.
  public var condition: String?
  /// The arguments of the condition.
  public var arguments: [Value]
  /// What follows `ORDER BY`; nil orders by id, which is the order of making.
  public var order: String?
  /// The greatest number of records; nil reads all.
  public var limit: Int?

  /// Makes a query.
  public init(
    _ entity: String, where condition: String? = nil, arguments: [Value] = [],
    orderBy order: String? = nil, limit: Int? = nil
  ) {
    self.entity = entity
    self.condition = condition
    self.arguments = arguments
    self.order = order
    self.limit = limit
  }

  /// The condition and order as the end of a `SELECT`.
  func tail() -> String {
    var sql = ""
    if let condition { sql += " WHERE (\(condition)\n)" }
    sql += " ORDER BY \(order ?? "id")"
    if let limit { sql += " LIMIT \(limit)" }
    return sql
  }
}
