/// A JSON value that keeps the order of its objects' members.
///
/// Foundation's JSON types lose that order, and both a model file's properties and the fields of
/// a printed record have one that people expect to see again.
public indirect enum JSONValue: Hashable, Sendable {
  /// JSON `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number without fraction or exponent that fits 64 bits.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object, its members in order.
  case object([Member])

  /// One member of an object.
  public struct Member: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The value.
    public let value: JSONValue

    /// Makes a member.
    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }
}

extension JSONValue {
  /// Makes an object from pairs, in their order.
  public static func object(_ pairs: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(pairs.map { Member($0.key, $0.value) })
  }

  /// The member of that name, if this is an object that has it.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The members, if this is an object.
  public var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The elements, if this is an array.
  public var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The string, if this is one.
  public var string: String? {
    if case .string(let string) = self { string } else { nil }
  }

  /// The integer, if this is one.
  public var integer: Int64? {
    if case .integer(let integer) = self { integer } else { nil }
  }

  /// The truth value, if this is one.
  public var bool: Bool? {
    if case .bool(let bool) = self { bool } else { nil }
  }

  /// Wraps a string, or null for nil.
  public init(_ string: String?) {
    self = string.map(JSONValue.string) ?? .null
  }

  /// Wraps an integer, or null for nil.
  public init(_ integer: Int64?) {
    self = integer.map(JSONValue.integer) ?? .null
  }
}
