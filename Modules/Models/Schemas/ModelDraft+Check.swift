extension ModelDraft {
  /// Everything in the draft that cannot sync.
  package func faults() -> [SchemaFault] {
    var faults = nameFaults() + keyFaults() + linkFaults()
    for entity in entities {
      faults += Self.faults(ofMembersIn: entity)
      for attribute in entity.attributes {
        faults += Self.faults(of: attribute, in: entity)
      }
      for relationship in entity.relationships {
        faults += self.faults(of: relationship, in: entity)
      }
      faults += Self.faults(ofListsIn: entity)
    }
    return faults
  }

  private func nameFaults() -> [SchemaFault] {
    var faults: [SchemaFault] = []
    var seen: Set<String> = []
    for entity in entities {
      if let fault = Self.faultOfName(entity.name, at: entity.name) { faults.append(fault) }
      if !seen.insert(entity.name.lowercased()).inserted {
        faults.append(
          SchemaFault(
            entity.name, "has a name that another entity has too, apart from case",
            cure: "Give each entity a name of its own."))
      }
    }
    return faults
  }

  private static func faults(ofMembersIn entity: Entity) -> [SchemaFault] {
    var faults: [SchemaFault] = []
    var seen: Set<String> = []
    for member in entity.members {
      let place = "\(entity.name).\(member.name)"
      if let fault = faultOfName(member.name, at: place) { faults.append(fault) }
      if !seen.insert(member.name.lowercased()).inserted {
        faults.append(
          SchemaFault(
            place, "has a name that another property has too, apart from case",
            cure: "Give each property a name of its own."))
      }
    }
    return faults
  }

  private static let reservedProperties: Set<String> = ["id", "rowid", "oid", "_rowid_"]
  private static let reservedPrefixes = ["strandline_", "sqlite_"]

  static func faultOfName(_ name: String, at place: String) -> SchemaFault? {
    let isWord =
      name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil && name.utf8.count <= 64
    if !isWord {
      return SchemaFault(
        place.isEmpty ? "''" : place, "has a name that is not a plain word",
        cure: "Use up to 64 letters, digits and underscores, not beginning with a digit.")
    }
    let lower = name.lowercased()
    if reservedProperties.contains(lower) || reservedPrefixes.contains(where: lower.hasPrefix) {
      return SchemaFault(
        place, "has a name that is reserved",
        cure: "Choose another name; reserved are id, rowid, oid, and names that begin with "
          + "strandline_ or sqlite_.")
    }
    return nil
  }

  private static func faults(of attribute: Attribute, in entity: Entity) -> [SchemaFault] {
    if case .real(let number) = attribute.defaultValue, !number.isFinite {
      return [
        SchemaFault(
          "\(entity.name).\(attribute.name)", "has a default that is not a finite number",
          cure: "Use a number, or make it \"optional\": true.")
      ]
    }
    guard !attribute.isOptional, attribute.defaultValue == nil else { return [] }
    return [
      SchemaFault(
        "\(entity.name).\(attribute.name)", "is required and has no default",
        cure: "Give it a \"default\", or make it \"optional\": true; records from other devices "
          + "may arrive without it.")
    ]
  }

  private func faults(of relationship: Relationship, in entity: Entity) -> [SchemaFault] {
    let place = "\(entity.name).\(relationship.name)"
    guard let destination = self[relationship.destination] else {
      return [
        SchemaFault(
          place, "refers to \(relationship.destination), which is no entity of the model",
          cure: "Name an entity of the model in \"to\".")
      ]
    }
    var faults: [SchemaFault] = []
    if !relationship.isOptional {
      faults.append(
        SchemaFault(
          place, "is not optional",
          cure: "Make it optional; related records may arrive at different times."))
    }
    if entity.configuration != destination.configuration {
      faults.append(
        SchemaFault(
          place,
          "goes from configuration \(entity.configuration) to "
            + "\(destination.configuration)",
          cure: "Keep both entities in one configuration, or store the id as an attribute."))
    }
    if let rule = relationship.onDelete, DeleteRule(rawValue: rule) == nil {
      faults.append(
        SchemaFault(
          place, "has the delete rule \(rule)",
          cure: "Use \"nullify\" or \"cascade\"; another device cannot be denied a delete that "
            + "it has made already."))
    }
    return faults + inverseFaults(of: relationship, at: place, in: entity, to: destination)
  }

  private func inverseFaults(
    of relationship: Relationship, at place: String, in entity: Entity, to destination: Entity
  ) -> [SchemaFault] {
    guard let inverse = relationship.inverse else {
      return [
        SchemaFault(
          place, "has no inverse",
          cure: "Name the property of \(destination.name) that leads back in \"inverse\".")
      ]
    }
    guard let other = destination.relationships.first(where: { $0.name == inverse }) else {
      // A to-one relationship may name an inverse that the other side does not spell out.
      let isTaken = destination.members.contains { $0.name == inverse }
      guard relationship.isToMany || isTaken else { return [] }
      return [
        SchemaFault(
          place, "names the inverse \(destination.name).\(inverse), which is no relationship",
          cure: "Declare \(inverse) in \(destination.name) with \"to\": \"\(entity.name)\" and "
            + "\"inverse\": \"\(relationship.name)\".")
      ]
    }
    guard other.destination == entity.name, other.inverse == relationship.name else {
      return [
        SchemaFault(
          place, "names the inverse \(destination.name).\(inverse), which does not lead back",
          cure: "Let each of the two name the other.")
      ]
    }
    return []
  }

  private static func faults(ofListsIn entity: Entity) -> [SchemaFault] {
    var faults: [SchemaFault] = []
    let columns = Set(
      entity.attributes.map(\.name)
        + entity.relationships.filter { !$0.isToMany }.map(\.name))
    for name in (entity.indexes.flatMap { $0 } + entity.identity) where !columns.contains(name) {
      faults.append(
        SchemaFault(
          entity.name, "names \(name) in an index or identity, which is no column of it",
          cure: "Name attributes and to-one relationships there."))
    }
    for name in entity.preserved where !columns.contains(name) {
      faults.append(
        SchemaFault(
          entity.name, "preserves \(name), which is no column of it",
          cure: "Preserve attributes and to-one relationships."))
    }
    if entity.indexes.contains(where: \.isEmpty) {
      faults.append(
        SchemaFault(
          entity.name, "has an index of no properties", cure: "Name one, or leave it away."))
    }
    for attribute in entity.attributes
    where entity.identity.contains(attribute.name) && [.real, .date].contains(attribute.type) {
      faults.append(
        SchemaFault(
          "\(entity.name).\(attribute.name)", "is a \(attribute.type.rawValue) in an identity",
          cure: "Use text or integers there; a fraction is not written alike everywhere."))
    }
    if entity.hasUniqueConstraint {
      faults.append(
        SchemaFault(
          entity.name, "has a unique constraint",
          cure: "Leave it away; two devices cannot see each other's values when they save. Use "
            + "\"identity\" where equal values mean the same record."))
    }
    if StrandlineModels.Entity.Configuration(rawValue: entity.configuration) == nil {
      faults.append(
        SchemaFault(
          entity.name, "has the configuration \(entity.configuration)",
          cure: "Use \"synced\" or \"local\"."))
    }
    return faults
  }
}
