extension Schema {
  /// The schema as a model file; reading it gives the schema again.
  public var modelFile: JSONValue {
    .object([
      "version": .integer(Int64(version)),
      "entities": .object(
        entities.filter { !$0.isLink }.map { .init($0.name, entityJSON($0)) }),
    ])
  }

  private func entityJSON(_ entity: Entity) -> JSONValue {
    var members: [JSONValue.Member] = []
    if entity.key != entity.name { members.append(.init("renamedFrom", .string(entity.key))) }
    let attributes = entity.properties.filter { $0.attributeType != nil }
    members.append(
      .init("attributes", .object(attributes.map { .init($0.name, attributeJSON($0)) })))
    let relationships = relationshipMembers(entity)
    if !relationships.isEmpty { members.append(.init("relationships", .object(relationships))) }
    if !entity.indexes.isEmpty {
      members.append(
        .init("indexes", .array(entity.indexes.map { .array($0.map { .string($0) }) })))
    }
    if !entity.identity.isEmpty {
      members.append(.init("identity", .array(entity.identity.map { .string($0) })))
    }
    members.append(.init("configuration", .string(entity.configuration.rawValue)))
    return .object(members)
  }

  private func attributeJSON(_ property: Property) -> JSONValue {
    guard let type = property.attributeType else { return .null }
    var members: [JSONValue.Member] = [.init("type", .string(type.rawValue))]
    if !property.defaultValue.isNull {
      members.append(.init("default", defaultJSON(property.defaultValue, type)))
    }
    if property.isOptional { members.append(.init("optional", .bool(true))) }
    if property.key != property.name {
      members.append(.init("renamedFrom", .string(property.key)))
    }
    if property.isPreserved { members.append(.init("preserve", .bool(true))) }
    return .object(members)
  }

  /// A date that has no exact text is written as its number of seconds.
  private func defaultJSON(_ value: Value, _ type: AttributeType) -> JSONValue {
    let json = type.json(from: value)
    if let seconds = value.real, type.value(from: json) != value { return .number(seconds) }
    return json
  }

  private func relationshipMembers(_ entity: Entity) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    for property in entity.properties {
      guard case .reference(let destination, let rule) = property.kind else { continue }
      var fields: [JSONValue.Member] = [.init("to", .string(destination))]
      let inverse = self[destination]?.toMany.first {
        $0.inverse == property.name && $0.destination == entity.name && $0.link == nil
      }
      if let inverse { fields.append(.init("inverse", .string(inverse.name))) }
      fields.append(.init("onDelete", .string(rule.rawValue)))
      if property.key != property.name {
        fields.append(.init("renamedFrom", .string(property.key)))
      }
      if property.isPreserved { fields.append(.init("preserve", .bool(true))) }
      members.append(.init(property.name, .object(fields)))
    }
    for side in entity.toMany {
      var fields: [JSONValue.Member] = [
        .init("to", .string(side.destination)), .init("inverse", .string(side.inverse)),
        .init("many", .bool(true)),
      ]
      if side.key != side.name { fields.append(.init("renamedFrom", .string(side.key))) }
      members.append(.init(side.name, .object(fields)))
    }
    return members
  }
}
