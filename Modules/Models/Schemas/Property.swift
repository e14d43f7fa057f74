/// A property that has a column of its own: an attribute, or a reference to one other record.
public struct Property: Hashable, Sendable {
  /// What the column holds.
  public enum Kind: Hashable, Sendable {
    /// A value.
    case attribute(AttributeType)
    /// The id of a record of the named entity, and what becomes of this record without it.
    case reference(to: String, onDelete: DeleteRule)
  }

  /// The name in the present model, which is the column's name.
  public var name: String
  /// The permanent key: the property's first name, used on the wire for ever.
  public var key: String
  /// What the column holds.
  public var kind: Kind
  /// Whether null is a value of it.
  public var isOptional: Bool
  /// What shows until something is written.
  public var defaultValue: Value
  /// Whether history keeps the values that deletes and updates take away.
  ///
  /// It keeps them on this device only, until they are pruned with the rest of history.
  public var isPreserved: Bool

  /// Describes a property; without a key its name is its first one.
  public init(
    name: String, key: String? = nil, kind: Kind, isOptional: Bool = false,
    defaultValue: Value = .null, isPreserved: Bool = false
  ) {
    self.name = name
    self.key = key ?? name
    self.kind = kind
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.isPreserved = isPreserved
  }

  /// The type of its values; nil for a reference.
  public var attributeType: AttributeType? {
    if case .attribute(let type) = kind { type } else { nil }
  }

  /// The entity that it refers to; nil for an attribute.
  public var destination: String? {
    if case .reference(let entity, _) = kind { entity } else { nil }
  }
}

/// What becomes of a record when the record that it refers to is deleted.
public enum DeleteRule: String, Hashable, Sendable {
  /// The reference becomes null.
  case nullify
  /// The record is deleted too.
  case cascade
}

/// A to-many side of a relationship, which has no column: it is read from the other side.
public struct ToMany: Hashable, Sendable {
  /// The name in the present model.
  public var name: String
  /// The permanent key: the first name, from which a link has its key.
  public var key: String
  /// The entity whose records it lists.
  public var destination: String
  /// The property on the other side: a to-one reference, or a to-many of a link.
  public var inverse: String
  /// The link entity that stands between, for a many-to-many relationship.
  public var link: Link?

  /// How a many-to-many relationship is stored.
  public struct Link: Hashable, Sendable {
    /// The link entity's name.
    public var entity: String
    /// The link's column that holds this side's id: `source` or `target`.
    public var ownColumn: String
    /// The link's column that holds the other side's id.
    public var otherColumn: String

    /// Describes a link.
    public init(entity: String, ownColumn: String, otherColumn: String) {
      self.entity = entity
      self.ownColumn = ownColumn
      self.otherColumn = otherColumn
    }
  }

  /// Describes a to-many side; without a key its name is its first one.
  public init(
    name: String, key: String? = nil, destination: String, inverse: String, link: Link? = nil
  ) {
    self.name = name
    self.key = key ?? name
    self.destination = destination
    self.inverse = inverse
    self.link = link
  }
}
