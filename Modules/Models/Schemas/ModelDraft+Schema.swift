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
    return StrandlineModels.Entity(
      name: draft.name, key: draft.renamedFrom, properties: properties, toMany: toMany,
      indexes: draft.indexes, identity: draft.identity,
      configuration: .init(rawValue: draft.configuration) ?? .synced)
  }

  private static func property(_ attribute: Attribute) -> Property {
    Property(
      name: attribute.name, key: attribute.renamedFrom, kind: .attribute(attribute.type),
      isOptional: attribute.isOptional, defaultValue: attribute.defaultValue ?? .null)
  }

  private static func reference(_ relationship: Relationship) -> Property {
    let rule = relationship.onDelete.flatMap(DeleteRule.init) ?? .nullify
    return Property(
      name: relationship.name, key: relationship.renamedFrom,
      kind: .reference(to: relationship.destination, onDelete: rule), isOptional: true)
  }

  private func resolveToMany(_ relationship: Relationship, in draft: Entity) -> ToMany {
    let inverse = relationship.inverse ?? ""
    let other = self[relationship.destination]?.relationships.first { $0.name == inverse }
    guard let other, other.isToMany else {
      return ToMany(
        name: relationship.name, destination: relationship.destination, inverse: inverse)
    }
    let isSource = Self.isSource(relationship, in: draft, against: other)
    let columns = StrandlineModels.Entity.linkColumns
    let link = ToMany.Link(
      entity: isSource
        ? Self.linkName(draft.name, relationship.name)
        : Self.linkName(relationship.destination, other.name),
      ownColumn: isSource ? columns.source : columns.target,
      otherColumn: isSource ? columns.target : columns.source)
    return ToMany(
      name: relationship.name, destination: relationship.destination, inverse: inverse,
      link: link)
  }

  /// Which of the two sides names the link: the smaller by name, on every device.
  private static func isSource(
    _ relationship: Relationship, in draft: Entity, against other: Relationship
  ) -> Bool {
    let own = (draft.name, relationship.name)
    let theirs = (relationship.destination, other.name)
    return own <= theirs
  }

  private static func linkName(_ entity: String, _ relationship: String) -> String {
    "\(entity)_\(relationship)"
  }

  private func links() -> [StrandlineModels.Entity] {
    var links: [StrandlineModels.Entity] = []
    for draft in entities {
      for relationship in draft.relationships where relationship.isToMany {
        let toMany = resolveToMany(relationship, in: draft)
        guard let link = toMany.link, link.ownColumn == StrandlineModels.Entity.linkColumns.source
        else { continue }
        links.append(Self.linkEntity(link.entity, from: draft, to: toMany.destination))
      }
    }
    return links
  }

  private static func linkEntity(
    _ name: String, from draft: Entity, to destination: String
  ) -> StrandlineModels.Entity {
    let columns = StrandlineModels.Entity.linkColumns
    return StrandlineModels.Entity(
      name: name,
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
