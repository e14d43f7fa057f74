extension Schema {
  /// Reads a JSON model file and checks it.
  ///
  /// - Throws: `JSONError` where the text is not JSON, `SchemaError` with every fault otherwise.
  public init(parsing text: String) throws {
    let json = try JSONValue(parsing: text)
    var reader = ModelFileReader()
    let draft = reader.read(json)
    guard reader.faults.isEmpty else { throw SchemaError(faults: reader.faults) }
    self = try draft.schema()
  }
}

/// Reads the shape of a model file and collects what it cannot understand.
struct ModelFileReader {
  var faults: [SchemaFault] = []

  mutating func read(_ json: JSONValue) -> ModelDraft {
    let members = object(json, at: "The model", known: ["version", "entities"])
    if let version = members["version"], version.integer == nil {
      faults.append(
        SchemaFault(
          "The model", "has a \"version\" that is no integer", cure: "Write it in digits."))
    }
    let version = members["version"]?.integer ?? 1
    var entities: [ModelDraft.Entity] = []
    guard let list = members["entities"]?.members, !list.isEmpty else {
      faults.append(
        SchemaFault(
          "The model", "names no entities",
          cure: "Write {\"entities\": {\"NAME\": {\"attributes\": {…}}}}."))
      return ModelDraft(version: Int(clamping: version), entities: [])
    }
    for member in list { entities.append(readEntity(member)) }
    return ModelDraft(version: Int(clamping: version), entities: entities)
  }

  private mutating func readEntity(_ member: JSONValue.Member) -> ModelDraft.Entity {
    let name = member.name
    let fields = object(
      member.value, at: name,
      known: [
        "attributes", "relationships", "indexes", "identity", "configuration", "renamedFrom",
        "unique",
      ])
    var entity = ModelDraft.Entity(
      name: name, renamedFrom: string(fields["renamedFrom"], at: name, "renamedFrom"))
    for attribute in members(fields["attributes"], at: name, "attributes") {
      if let read = readAttribute(attribute, in: name) { entity.members.append(.attribute(read)) }
      if isPreserved(attribute, in: name) { entity.preserved.append(attribute.name) }
    }
    for relationship in members(fields["relationships"], at: name, "relationships") {
      if let read = readRelationship(relationship, in: name) {
        entity.members.append(.relationship(read))
      }
      if isPreserved(relationship, in: name) { entity.preserved.append(relationship.name) }
    }
    entity.indexes = lists(fields["indexes"], at: name)
    entity.identity = fields["identity"].map { names($0, at: name, "identity") } ?? []
    entity.configuration = string(fields["configuration"], at: name, "configuration") ?? "synced"
    entity.hasUniqueConstraint = ![nil, .null, .array([]), .bool(false)].contains(fields["unique"])
    return entity
  }

  private mutating func isPreserved(_ member: JSONValue.Member, in entity: String) -> Bool {
    flag(member.value["preserve"], at: "\(entity).\(member.name)", "preserve") ?? false
  }

  private mutating func readAttribute(
    _ member: JSONValue.Member, in entity: String
  ) -> ModelDraft.Attribute? {
    let place = "\(entity).\(member.name)"
    let fields = object(
      member.value, at: place,
      known: ["type", "default", "optional", "renamedFrom", "preserve", "unique"])
    guard let type = fields["type"]?.string.flatMap(AttributeType.init) else {
      faults.append(
        SchemaFault(
          place, "has no type that is known",
          cure: "Use one of: " + AttributeType.allCases.map(\.rawValue).joined(separator: ", ")
            + "."))
      return nil
    }
    if fields["unique"]?.bool == true {
      faults.append(
        SchemaFault(
          place, "has a unique constraint",
          cure: "Leave it away; use \"identity\" where equal values mean the same record."))
    }
    let fallback = defaultValue(fields["default"], type: type, at: place)
    return ModelDraft.Attribute(
      name: member.name, renamedFrom: string(fields["renamedFrom"], at: place, "renamedFrom"),
      type: type, isOptional: flag(fields["optional"], at: place, "optional") ?? false,
      defaultValue: fallback)
  }

  private mutating func defaultValue(
    _ json: JSONValue?, type: AttributeType, at place: String
  ) -> Value? {
    guard let json, json != .null else { return nil }
    if let value = type.value(from: json) { return value }
    faults.append(
      SchemaFault(
        place, "has the default \(json.text), which is no \(type.rawValue)",
        cure: "Write a default of the attribute's type."))
    return .null
  }

  private mutating func readRelationship(
    _ member: JSONValue.Member, in entity: String
  ) -> ModelDraft.Relationship? {
    let place = "\(entity).\(member.name)"
    let fields = object(
      member.value, at: place,
      known: ["to", "inverse", "many", "optional", "onDelete", "renamedFrom", "preserve"])
    guard let destination = fields["to"]?.string else {
      faults.append(
        SchemaFault(place, "does not say where it leads", cure: "Name an entity in \"to\"."))
      return nil
    }
    return ModelDraft.Relationship(
      name: member.name, renamedFrom: string(fields["renamedFrom"], at: place, "renamedFrom"),
      destination: destination, inverse: string(fields["inverse"], at: place, "inverse"),
      isToMany: flag(fields["many"], at: place, "many") ?? false,
      isOptional: flag(fields["optional"], at: place, "optional") ?? true,
      onDelete: string(fields["onDelete"], at: place, "onDelete"))
  }

  private mutating func object(
    _ json: JSONValue, at place: String, known: [String]
  ) -> [String: JSONValue] {
    guard let members = json.members else {
      faults.append(SchemaFault(place, "is not an object", cure: "Write it in braces: {…}."))
      return [:]
    }
    for member in members where !known.contains(member.name) {
      faults.append(
        SchemaFault(
          place, "has the key \"\(member.name)\", which is not known",
          cure: "Known keys are: " + known.joined(separator: ", ") + "."))
    }
    return Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// The members of an object that may be missing.
  private mutating func members(
    _ json: JSONValue?, at place: String, _ key: String
  ) -> [JSONValue.Member] {
    guard let json, json != .null else { return [] }
    if json.members == nil {
      faults.append(
        SchemaFault(
          place, "has \"\(key)\" that are no object", cure: "Write them in braces: {…}."))
    }
    return json.members ?? []
  }

  private mutating func lists(_ json: JSONValue?, at place: String) -> [[String]] {
    guard let json, json != .null else { return [] }
    guard let elements = json.elements else { return [names(json, at: place, "indexes")] }
    return elements.map { names($0, at: place, "indexes") }
  }

  private mutating func string(
    _ json: JSONValue?, at place: String, _ key: String
  ) -> String? {
    guard let json, json != .null else { return nil }
    if json.string == nil {
      faults.append(
        SchemaFault(place, "has a \"\(key)\" that is no text", cure: "Write it in quotes."))
    }
    return json.string
  }

  private mutating func flag(_ json: JSONValue?, at place: String, _ key: String) -> Bool? {
    guard let json else { return nil }
    if json.bool == nil {
      faults.append(
        SchemaFault(
          place, "has a \"\(key)\" that is neither true nor false", cure: "Write true or false."))
    }
    return json.bool
  }

  private mutating func names(_ json: JSONValue, at place: String, _ key: String) -> [String] {
    let names = json.elements?.compactMap(\.string)
    guard let names, names.count == json.elements?.count else {
      faults.append(
        SchemaFault(
          place, "has an \"\(key)\" that is no list of names",
          cure: "Write property names in brackets."))
      return []
    }
    return names
  }
}
