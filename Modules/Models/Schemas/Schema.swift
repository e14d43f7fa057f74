/// The kinds of record that a store holds.
///
/// A schema is made from Swift types or from a JSON model file; both make the same value. It
/// holds one entity more for each many-to-many relationship: the links between its two sides.
public struct Schema: Hashable, Sendable {
  /// The model's version, chosen by its author.
  public var version: Int
  /// The entities in the order of the model, links last.
  public var entities: [Entity]

  /// Takes entities that were checked; ``Schema/init(parsing:)`` checks a model file.
  public init(version: Int = 1, entities: [Entity]) {
    self.version = version
    self.entities = entities
  }

  /// The entity of that name.
  public subscript(name: String) -> Entity? {
    entities.first { $0.name == name }
  }

  /// The entity of that permanent key.
  public func entity(key: String) -> Entity? {
    entities.first { $0.key == key }
  }

  /// The permanent keys that may be sent, by permanent key of the entity.
  public var syncedKeys: [String: Set<String>] {
    var keys: [String: Set<String>] = [:]
    for entity in entities where entity.configuration == .synced {
      keys[entity.key] = Set(entity.properties.map(\.key))
    }
    return keys
  }
}

/// One kind of record.
public struct Entity: Hashable, Sendable {
  /// Whether its records leave the device.
  public enum Configuration: String, Hashable, Sendable {
    /// Its records are synced.
    case synced
    /// Its records stay on this device.
    case local
  }

  /// The name in the present model, which is the table's name.
  public var name: String
  /// The permanent key: the entity's first name, used on the wire for ever.
  public var key: String
  /// The properties that have columns, in the order of the model.
  public var properties: [Property]
  /// The to-many sides of relationships.
  public var toMany: [ToMany]
  /// Indexes, each over properties by name.
  public var indexes: [[String]]
  /// The properties whose values make the id, where records are the same on every device.
  public var identity: [String]
  /// Whether its records leave the device.
  public var configuration: Configuration
  /// Whether it holds the links of a many-to-many relationship.
  public var isLink: Bool

  /// Describes an entity; without a key its name is its first one.
  public init(
    name: String, key: String? = nil, properties: [Property], toMany: [ToMany] = [],
    indexes: [[String]] = [], identity: [String] = [],
    configuration: Configuration = .synced, isLink: Bool = false
  ) {
    self.name = name
    self.key = key ?? name
    self.properties = properties
    self.toMany = toMany
    self.indexes = indexes
    self.identity = identity
    self.configuration = configuration
    self.isLink = isLink
  }

  /// The property of that name.
  public subscript(name: String) -> Property? {
    properties.first { $0.name == name }
  }

  /// The names of the columns of a link.
  public static let linkColumns = (source: "source", target: "target")
}

extension Entity {
  /// The id that the values of the identity make: their canonical text, joined by a bar.
  ///
  /// Plain SQL can write the same. Null is empty text; an integer is its digits. Where several
  /// values are joined, a bar or a backslash in a text stands behind a backslash, so that no two
  /// identities make one id.
  public func identityText(_ value: (String) -> Value) -> String {
    identity.map { name in
      switch value(name) {
      case .null: ""
      case .integer(let number): String(number)
      case .real(let number): "\(number)"
      case .text(let text): identity.count > 1 ? Self.escaped(text) : text
      case .blob(let bytes): Hexadecimal.text(bytes)
      }
    }.joined(separator: "|")
  }

  private static func escaped(_ text: String) -> String {
    // By scalars, as SQL does: a bar may be part of a longer character.
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == "|" || scalar == "\\" { out.append("\\") }
      out.append(scalar)
    }
    return String(out)
  }
}
