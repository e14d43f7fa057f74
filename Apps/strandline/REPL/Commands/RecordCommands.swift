import Strandline

/// Commands that change records.
@MainActor enum RecordCommands {
  static let all: [Command] = [
    Command(
      name: "save", usage: "save ENTITY field=value …", summary: "Insert a record; prints its id.",
      example: "save TodoItem name=\"Buy milk\" priority=2", group: .records,
      words: [.entity, .fields], run: save),
    Command(
      name: "set", usage: "set ID field=value …", summary: "Change fields of a record.",
      example: "set #1 note=\"two litres\" due=2026-12-24", group: .records,
      words: [.record, .fields], run: set),
    Command(
      name: "toggle", usage: "toggle ID [field]", summary: "Flip a boolean field.",
      example: "toggle #1 done", group: .records, words: [.record, .fields], run: toggle),
    Command(
      name: "delete", usage: "delete ID …", summary: "Delete records.",
      example: "delete #1 #3", group: .records, words: [.record], run: delete),
    Command(
      name: "add", usage: "add ID relationship #ID", summary: "Link two records.",
      example: "add #1 tags #0192f3a1", group: .records,
      words: [.record, .relationship, .record], run: add),
    Command(
      name: "remove", usage: "remove ID relationship #ID", summary: "Remove a link.",
      example: "remove #1 tags #0192f3a1", group: .records,
      words: [.record, .relationship, .record], run: remove),
  ]

  /// The entity of that name.
  static func entity(_ token: Token, _ session: Session) throws(CommandError) -> Entity {
    if let entity = session.schema[token.text] { return entity }
    let names = session.schema.entities.map(\.name)
    let hint = Suggestion.sentence(for: token.text, among: names)
    throw CommandError(
      "unknownEntity", "Could not use '\(token.text)', there is no such entity.",
      advice: hint.isEmpty ? "Entities are: \(names.joined(separator: ", "))." : hint, at: token,
      exitCode: .failed)
  }

  private static func save(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    let entity = try entity(input.argument(0, "the entity"), session)
    let values = try await ValueReader(session: session)
      .values(input.arguments.dropFirst(), of: entity)
    let id: RecordID
    if let context = session.device.context {
      id = try context.insert(entity.name, values: values)
    } else {
      id = try await session.device.write(context: "save") {
        try $0.insert(entity.name, values: values)
      }
    }
    session.tellSaved(entity.name, id, isNew: true)
  }

  private static func set(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    let key = try await RecordResolver(session: session).resolve(input.argument(0, "the record"))
    _ = try input.argument(1, "a field")
    guard let entity = session.schema[key.entity] else { return }
    let values = try await ValueReader(session: session)
      .values(input.arguments.dropFirst(), of: entity)
    if let context = session.device.context {
      _ = try await context.record(key.entity, key.id)
      try context.update(key.entity, key.id, values: values)
    } else {
      try await session.device.write(context: "set") {
        try $0.update(key.entity, key.id, values: values)
      }
    }
    session.tellSaved(key.entity, key.id)
  }

  private static func toggle(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(2)
    let token = try input.argument(0, "the record")
    let key = try await RecordResolver(session: session).resolve(token)
    guard let entity = session.schema[key.entity] else { return }
    let field = try toggledField(entity, input, token)
    let value = try await toggle(key, field, session.device)
    session.tellSaved(key.entity, key.id, detail: "\(field) is now \(value == 1).")
  }

  private static func toggle(
    _ key: RecordKey, _ field: String, _ device: Device
  ) async throws -> Int64 {
    @Sendable func flipped(_ record: Record?) throws -> Int64 {
      guard let record else {
        throw StorageError(
          .unknownRecord, "Could not find \(key.entity) \(key.id), the store has no such record.",
          advice: "It may have been deleted elsewhere.")
      }
      return record[field].integer == 1 ? 0 : 1
    }
    if let context = device.context {
      let value = try flipped(try await context.record(key.entity, key.id))
      try context.update(key.entity, key.id, values: [field: .integer(value)])
      return value
    }
    return try await device.write(context: "toggle") { write -> Int64 in
      let value = try flipped(try write.record(key.entity, key.id))
      try write.update(key.entity, key.id, values: [field: .integer(value)])
      return value
    }
  }

  private static func toggledField(
    _ entity: Entity, _ input: CommandInput, _ token: Token
  ) throws(CommandError) -> String {
    let booleans = entity.properties.filter { $0.attributeType == .boolean }.map(\.name)
    guard input.arguments.count > 1 else {
      if booleans.count == 1 { return booleans[0] }
      throw CommandError(
        "whichField",
        booleans.isEmpty
          ? "Could not toggle, \(entity.name) has no boolean field."
          : "Could not toggle, \(entity.name) has several boolean fields.",
        advice: booleans.isEmpty
          ? "Use set." : "Name one of: \(booleans.joined(separator: ", ")).",
        at: token)
    }
    let named = input.arguments[1]
    let property = try ValueReader.property(named.text, of: entity, at: named)
    guard property.attributeType == .boolean else {
      throw CommandError(
        "wrongType", "Could not toggle '\(named.text)', it is not a boolean.",
        advice: "Use set.", at: named)
    }
    return property.name
  }

  private static func delete(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    _ = try input.argument(0, "the record")
    var keys: [RecordKey] = []
    for token in input.arguments {
      let key = try await RecordResolver(session: session).resolve(token)
      if !keys.contains(key) { keys.append(key) }
    }
    if keys.count > 1 {
      guard try await session.confirm("This deletes \(Wording.count(keys.count, "record")).")
      else { return }
    }
    try await delete(keys, session.device)
    for key in keys {
      session.say(
        .object([
          "deleted": .object([
            "entity": .string(key.entity), "id": .string(key.id.description),
          ])
        ]), "Deleted \(key.entity) \(key.id).")
    }
  }

  private static func delete(_ keys: [RecordKey], _ device: Device) async throws {
    if let context = device.context {
      for key in keys where try await context.record(key.entity, key.id) != nil {
        try context.delete(key.entity, key.id)
      }
      return
    }
    try await device.write(context: "delete") { write in
      // A delete rule may have taken a later one along.
      for key in keys where try write.record(key.entity, key.id) != nil {
        try write.delete(key.entity, key.id)
      }
    }
  }

  private static func add(_ session: Session, _ input: CommandInput) async throws {
    let link = try await readLink(session, input)
    if let context = session.device.context {
      try await context.link(link.key.entity, link.key.id, link.name, to: link.other)
    } else {
      try await session.device.write(context: "add") {
        try $0.link(link.key.entity, link.key.id, link.name, to: link.other)
      }
    }
    session.tellSaved(link.key.entity, link.key.id, detail: "Linked by \(link.name).")
  }

  private static func remove(_ session: Session, _ input: CommandInput) async throws {
    let link = try await readLink(session, input)
    if let context = session.device.context {
      try await context.unlink(link.key.entity, link.key.id, link.name, from: link.other)
    } else {
      try await session.device.write(context: "remove") {
        try $0.unlink(link.key.entity, link.key.id, link.name, from: link.other)
      }
    }
    session.tellSaved(link.key.entity, link.key.id, detail: "Unlinked by \(link.name).")
  }

  private static func readLink(
    _ session: Session, _ input: CommandInput
  ) async throws -> (key: RecordKey, name: String, other: RecordID) {
    try input.allow(options: [])
    try input.requireAtMost(3)
    let resolver = RecordResolver(session: session)
    let key = try await resolver.resolve(input.argument(0, "the record"))
    let name = try input.argument(1, "the relationship")
    let sides = session.schema[key.entity]?.toMany.filter { $0.link != nil } ?? []
    guard let side = sides.first(where: { $0.name == name.text }) else {
      throw CommandError(
        "unknownRelationship",
        "Could not link by '\(name.text)', \(key.entity) has no many-to-many relationship of that "
          + "name.",
        advice: CommandInput.advice(
          Suggestion.sentence(for: name.text, among: sides.map(\.name)),
          "Use set for a reference to one record."), at: name)
    }
    let word = try input.argument(2, "the other record")
    let other = try await resolver.resolve(word, in: side.destination)
    // A row of the last listing is of whatever was listed.
    guard other.entity == side.destination else {
      throw CommandError(
        "wrongType",
        "Could not link by '\(name.text)', '\(word.text)' is a \(other.entity) and no "
          + "\(side.destination).",
        advice: "List the records of \(side.destination) and use #N, or write an id.", at: word)
    }
    try await requirePresent(key, session)
    try await requirePresent(other, session)
    return (key, name.text, other.id)
  }

  /// Refuses a record that a listing showed and that is gone since.
  private static func requirePresent(_ key: RecordKey, _ session: Session) async throws {
    guard try await session.record(key) == nil else { return }
    throw StorageError(
      .unknownRecord, "Could not find \(key.entity) \(key.id), the store has no such record.",
      advice: "It may have been deleted.")
  }
}

extension Session {
  /// The record as the present context or transaction has it; nil where there is none.
  func record(_ key: RecordKey) async throws -> Record? {
    if let context = device.context { return try await context.record(key.entity, key.id) }
    return try await device.read { try $0.record(key.entity, key.id) }
  }

  /// Says that a record was saved, and nothing of other devices.
  func tellSaved(
    _ entity: String, _ id: RecordID, isNew: Bool = false, detail: String? = nil
  ) {
    let json = JSONValue.object([
      "saved": .object(["entity": .string(entity), "id": .string(id.description)])
    ])
    let text =
      (device.isInTransaction || device.context != nil ? "Noted" : "Saved") + " \(entity) \(id)."
      + (detail.map { " " + $0 } ?? "")
    if isNew && !isJSON && !streams.outputIsTerminal && !options.echoes {
      // A script that reads the id gets the id alone.
      streams.writeLine(id.description)
      streams.note(text)
    } else {
      say(json, text)
    }
  }
}
