/// A Swift type whose values are records.
///
/// Conform a struct whose every property has a default or is optional; the schema is read by
/// encoding an empty value.
///
///     struct TodoItem: Model {
///       var id = RecordID()
///       var name = ""
///       var done = false
///       var due: Date?
///       var list: Reference<TodoList>?
///     }
///
/// `Bool`, integers, `Double`, `String`, `Date`, `UUID`, `Data` and ``Reference`` have columns of
/// their own kind; any other `Codable` property is stored as JSON text. The fields that the type
/// does not name, since a later version of the model added them, are left as they are by a save.
public protocol Model: Codable, Sendable, Identifiable where ID == RecordID {
  /// The record's identity; a new value has a new one.
  var id: RecordID { get set }

  /// Makes a value with all defaults.
  init()

  /// The entity's name; the type's name unless the type says otherwise.
  static var entityName: String { get }

  /// What the properties alone do not tell: inverses, delete rules, indexes, renamings.
  static var layout: ModelLayout { get }
}

extension Model {
  /// The type's name.
  public static var entityName: String { String(describing: Self.self) }

  /// Nothing beyond the properties.
  public static var layout: ModelLayout { ModelLayout() }
}

/// What the properties of a ``Model`` alone do not tell.
public struct ModelLayout: Sendable {
  /// One relationship's other side and rule.
  public struct Relationship: Sendable {
    let name: String
    let destination: String?
    let inverse: String
    let isToMany: Bool
    let onDelete: DeleteRule

    /// A to-one relationship: a ``Reference`` property and its inverse's name.
    public static func toOne(
      _ name: String, inverse: String, onDelete: DeleteRule = .nullify
    ) -> Relationship {
      Relationship(
        name: name, destination: nil, inverse: inverse, isToMany: false, onDelete: onDelete)
    }

    /// A to-many relationship, which has no property in the type.
    public static func toMany<Other: Model>(
      _ name: String, of other: Other.Type, inverse: String
    ) -> Relationship {
      Relationship(
        name: name, destination: Other.entityName, inverse: inverse, isToMany: true,
        onDelete: .nullify)
    }
  }

  /// The relationships.
  public var relationships: [Relationship]
  /// Indexes, each over properties by name.
  public var indexes: [[String]]
  /// The properties whose values make the id.
  public var identity: [String]
  /// Whether the records leave the device.
  public var configuration: Entity.Configuration
  /// The entity's first name, where it has another one now.
  public var renamedFrom: String?
  /// The first names of properties that have other names now, by present name.
  public var renamedProperties: [String: String]
  /// The properties whose earlier values history keeps when a delete or an update takes them.
  ///
  /// They are kept on this device until they are pruned with the rest of history, and let
  /// deleted records and earlier values be brought back.
  public var preserved: [String]

  /// Makes a layout.
  public init(
    relationships: [Relationship] = [], indexes: [[String]] = [], identity: [String] = [],
    configuration: Entity.Configuration = .synced, renamedFrom: String? = nil,
    renamedProperties: [String: String] = [:], preserved: [String] = []
  ) {
    self.relationships = relationships
    self.indexes = indexes
    self.identity = identity
    self.configuration = configuration
    self.renamedFrom = renamedFrom
    self.renamedProperties = renamedProperties
    self.preserved = preserved
  }
}

/// A to-one relationship: the id of a record that may not have arrived yet.
public struct Reference<Destination: Model>: Hashable, Sendable, Codable {
  /// The id of the record that it refers to.
  public var id: RecordID

  /// Refers to a record by its id.
  public init(id: RecordID) {
    self.id = id
  }

  /// Refers to a record.
  public init(_ destination: Destination) {
    id = destination.id
  }
}

/// What the coders see of every reference, whatever it refers to.
protocol ReferenceValue {
  static var destinationName: String { get }
  var id: RecordID { get }
  init(id: RecordID)
}

extension Reference: ReferenceValue {
  static var destinationName: String { Destination.entityName }
}
