extension ModelDraft {
  /// Resolves the relationships and makes the schema.
  ///
  /// - Throws: `SchemaError` with every fault, if there is one.
  package func schema() throws(SchemaError) -> Schema {
    let faults = faults()
    guard faults.isEmpty else { throw SchemaError(faults: faults) }
    var resolved = entities.map(resolve)
    addImpliedInverses(to: &resolved)
    return Schema(version: version, entities: resolved + links())
  }

  private func resolve(_ draft: Entity) -> StrandlineModels.Entity {
    var properties: [Property] = []
    var toMany: [ToMany] = []
    for member in draft.members {
      switch member {
      case .attribute(let attribute): properties.append(Self.property(attribute))
      case .relationship(let relationship) where relationship.isToMany:
        toMany.append(resolveToMany(relationship, in: draft))
      case .relationship(let relationship): properties.append(Self.reference(relationship))
      }
    }
    // Attributes first, as in a model file: a type may declare its properties in any order.
    let attributes = properties.filter { $0.attributeType != nil }
    let references = properties.filter { $0.attributeType == nil }
    let ordered = (attributes + references).map { property in
      var property = property
      property.isPreserved = draft.preserved.contains(property.name)
      return property
    }
    return StrandlineModels.Entity(
      name: draft.name, key: draft.renamedFrom, properties: ordered, toMany: toMany,
      indexes: draft.indexes, identity: draft.identity,
      configuration: .init(rawValue: draft.configuration) ?? .synced)
  }

  private static func property(_ attribute: Attribute) -> Property {
    Property(
      name: attribute.name, key: attribute.renamedFrom, kind: .attribute(attribute.type),
      isOptional: attribute.isOptional, defaultValue: canonicalDefault(of: attribute))
  }

  /// JSON is written in one way, so that a model file gives the same default again.
  private static func canonicalDefault(of attribute: Attribute) -> Value {
    guard attribute.type == .composite, let text = attribute.defaultValue?.text,
      let json = try? JSONValue(parsing: text)
    else { return attribute.defaultValue ?? .null }
    return .text(json.text)
  }

  private static func reference(_ relationship: Relationship) -> Property {
    let rule = relationship.onDelete.flatMap(DeleteRule.init) ?? .nullify
    return Property(
      name: relationship.name, key: relationship.renamedFrom,
      kind: .reference(to: relationship.destination, onDelete: rule), isOptional: true)
  }

  private func resolveToMany(_ relationship: Relationship, in draft: Entity) -> ToMany {
    let inverse = relationship.inverse ?? ""
    var side = ToMany(
      name: relationship.name, key: relationship.renamedFrom,
      destination: relationship.destination, inverse: inverse)
    guard let link = link(of: relationship, in: draft) else { return side }
    let columns = StrandlineModels.Entity.linkColumns
    side.link = ToMany.Link(
      entity: link.name, ownColumn: link.isSource ? columns.source : columns.target,
      otherColumn: link.isSource ? columns.target : columns.source)
    return side
  }

  /// The link entity of a many-to-many relationship, and whether this is the side that names it.
  ///
  /// The side with the smaller permanent key names it, on every device and for ever. Its own
  /// permanent key is made from those keys too, so that links outlive every renaming.
  package func link(
    of relationship: Relationship, in draft: Entity
  ) -> (name: String, key: String, isSource: Bool)? {
    guard relationship.isToMany, let destination = self[relationship.destination],
      let other = destination.relationships.first(where: { $0.name == relationship.inverse }),
      other.isToMany
    else { return nil }
    let own = (draft.key, relationship.key)
    let theirs = (destination.key, other.key)
    if own <= theirs {
      return ("\(draft.name)_\(relationship.name)", "\(own.0)_\(own.1)", true)
    }
    return ("\(destination.name)_\(other.name)", "\(theirs.0)_\(theirs.1)", false)
  }

  private func links() -> [StrandlineModels.Entity] {
    var links: [StrandlineModels.Entity] = []
    for draft in entities {
      for relationship in draft.relationships {
        guard let link = link(of: relationship, in: draft), link.isSource else { continue }
        links.append(
          Self.linkEntity(link.name, link.key, from: draft, to: relationship.destination))
      }
    }
    return links
  }

  private static func linkEntity(
    _ name: String, _ key: String, from draft: Entity, to destination: String
  ) -> StrandlineModels.Entity {
    let columns = StrandlineModels.Entity.linkColumns
    return StrandlineModels.Entity(
      name: name, key: key,
      properties: [
        Property(
          name: columns.source, kind: .reference(to: draft.name, onDelete: .cascade),
          isOptional: true),
        Property(
          name: columns.target, kind: .reference(to: destination, onDelete: .cascade),
          isOptional: true),
      ],
      configuration: .init(rawValue: draft.configuration) ?? .synced, isLink: true)
  }

  private func addImpliedInverses(to resolved: inout [StrandlineModels.Entity]) {
    for draft in entities {
      for relationship in draft.relationships where !relationship.isToMany {
        guard let inverse = relationship.inverse,
          let index = resolved.firstIndex(where: { $0.name == relationship.destination }),
          resolved[index][inverse] == nil,
          !resolved[index].toMany.contains(where: { $0.name == inverse })
        else { continue }
        resolved[index].toMany.append(
          ToMany(name: inverse, destination: draft.name, inverse: relationship.name))
      }
    }
  }
}
