/// What an attribute holds, and so how its values stand in SQL and in JSON.
public enum AttributeType: String, Hashable, Sendable, CaseIterable {
  /// Unicode text; SQL `TEXT`.
  case text
  /// A 64-bit integer; SQL `INTEGER`.
  case integer
  /// A double; SQL `REAL`.
  case real
  /// True or false; SQL `INTEGER`, 1 or 0.
  case boolean
  /// A moment; SQL `REAL`, seconds since 1970 in UTC.
  case date
  /// A UUID; SQL `BLOB` of 16 bytes.
  case uuid
  /// Bytes; SQL `BLOB`.
  case data
  /// A JSON value; SQL `TEXT`.
  case composite

  /// The column type in SQL.
  public var columnType: String {
    switch self {
    case .text, .composite: "TEXT"
    case .integer, .boolean: "INTEGER"
    case .real, .date: "REAL"
    case .uuid, .data: "BLOB"
    }
  }

  /// The simplest value of the type, for a property whose default is no constant.
  ///
  /// A composite has none, since nobody knows what its type can be made from.
  var zero: Value? {
    switch self {
    case .text: .text("")
    case .integer, .boolean: .integer(0)
    case .real, .date: .real(0)
    case .uuid: .blob(Array(repeating: 0, count: 16))
    case .data: .blob([])
    case .composite: nil
    }
  }
}
