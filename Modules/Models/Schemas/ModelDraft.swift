/// A model as its author wrote it, before relationships are resolved and checked.
///
/// Both the reader of model files and the reader of Swift types make one.
package struct ModelDraft {
  package struct Attribute {
    package var name: String
    package var renamedFrom: String?
    package var type: AttributeType
    package var isOptional: Bool
    package var defaultValue: Value?

    package init(
      name: String, renamedFrom: String? = nil, type: AttributeType, isOptional: Bool,
      defaultValue: Value?
    ) {
      self.name = name
      self.renamedFrom = renamedFrom
      self.type = type
      self.isOptional = isOptional
      self.defaultValue = defaultValue
    }
  }

  package struct Relationship {
    package var name: String
    package var renamedFrom: String?
    /// The permanent key: the first name.
    package var key: String { renamedFrom ?? name }
    package var destination: String
    package var inverse: String?
    package var isToMany: Bool
    package var isOptional: Bool
    package var onDelete: String?

    package init(
      name: String, renamedFrom: String? = nil, destination: String, inverse: String?,
      isToMany: Bool, isOptional: Bool = true, onDelete: String? = nil
    ) {
      self.name = name
      self.renamedFrom = renamedFrom
      self.destination = destination
      self.inverse = inverse
      self.isToMany = isToMany
      self.isOptional = isOptional
      self.onDelete = onDelete
    }
  }

  /// A member of an entity in the order of the model.
  package enum Member {
    case attribute(Attribute)
    case relationship(Relationship)

    package var name: String {
      switch self {
      case .attribute(let attribute): attribute.name
      case .relationship(let relationship): relationship.name
      }
    }

    package var renamedFrom: String? {
      switch self {
      case .attribute(let attribute): attribute.renamedFrom
      case .relationship(let relationship): relationship.renamedFrom
      }
    }

    /// The permanent key: the first name.
    package var key: String { renamedFrom ?? name }
  }

  package struct Entity {
    package var name: String
    package var renamedFrom: String?
    package var members: [Member] = []
    package var indexes: [[String]] = []
    package var identity: [String] = []
    /// The properties whose earlier values history keeps, by name.
    package var preserved: [String] = []
    package var configuration = "synced"
    package var hasUniqueConstraint = false

    package init(name: String, renamedFrom: String? = nil) {
      self.name = name
      self.renamedFrom = renamedFrom
    }

    /// The permanent key: the first name.
    package var key: String { renamedFrom ?? name }

    package var relationships: [Relationship] {
      members.compactMap { if case .relationship(let one) = $0 { one } else { nil } }
    }

    package var attributes: [Attribute] {
      members.compactMap { if case .attribute(let one) = $0 { one } else { nil } }
    }
  }

  package var version: Int
  package var entities: [Entity]

  package init(version: Int, entities: [Entity]) {
    self.version = version
    self.entities = entities
  }

  package subscript(name: String) -> Entity? {
    entities.first { $0.name == name }
  }
}
