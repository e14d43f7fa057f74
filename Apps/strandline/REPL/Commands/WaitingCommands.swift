import Strandline

/// Commands that list what waits, what lost and what is not here.
@MainActor enum WaitingCommands {
  static let all: [Command] = [
    Command(
      name: "pending", usage: "pending", summary: "Changes that are not acknowledged yet.",
      example: "pending", group: .looking, run: pending),
    Command(
      name: "conflicts", usage: "conflicts [restore N]",
      summary: "Values that lost, and were kept; or set one again.",
      example: "conflicts restore 3", group: .looking, words: [.choice(["restore"])],
      run: conflicts),
    Command(
      name: "orphans", usage: "orphans",
      summary: "References to records that have not arrived or are gone.",
      example: "orphans", group: .looking, run: orphans),
  ]

  private static func pending(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(0)
    let items = try await session.device.store.pendingItems()
    session.device.listing = items.map { RecordKey(entity: $0.entity, id: $0.id) }
    let rows = items.enumerated().map { index, item in
      [
        "\(index + 1)", item.kind, item.entity, item.properties.joined(separator: ", "),
        item.peer, item.id.description,
      ]
    }
    session.show(
      ResultTable(columns: ["#", "kind", "entity", "fields", "peer", "id"], rows: rows),
      json: {
        items.map {
          .object([
            "pending": .object([
              "peer": .string($0.peer), "entity": .string($0.entity),
              "id": .string($0.id.description), "kind": .string($0.kind),
              "fields": .array($0.properties.map(JSONValue.string)),
            ])
          ])
        }
      }, whenEmpty: "Nothing is pending.")
  }

  private static func conflicts(_ session: Session, _ input: CommandInput) async throws {
    if !input.arguments.isEmpty { return try await RestoreCommands.conflict(session, input) }
    let items = try await session.device.store.conflictItems(ownName: session.device.name)
    session.device.listing = items.map { RecordKey(entity: $0.entity, id: $0.id) }
    let text = RecordText(schema: session.schema)
    let rows = items.enumerated().map { index, item -> [String] in
      let property = session.schema[item.entity]?[item.property]
      return [
        "\(index + 1)", "\(item.number)", "\(item.entity).\(item.property)",
        text.text(item.lostValue, of: property),
        item.presentValue.map { text.text($0, of: property) } ?? "(deleted)", item.device,
        session.moment(item.writtenAt), item.id.description,
      ]
    }
    session.show(
      ResultTable(
        columns: ["#", "number", "field", "lost value", "value now", "written by", "at", "id"],
        rows: rows),
      json: { items.map { json($0, session) } }, whenEmpty: "No value lost to a concurrent one.")
  }

  private static func json(_ item: ConflictItem, _ session: Session) -> JSONValue {
    let text = RecordText(schema: session.schema)
    let property = session.schema[item.entity]?[item.property]
    return .object([
      "conflict": .object([
        "number": .integer(item.number), "entity": .string(item.entity),
        "id": .string(item.id.description), "field": .string(item.property),
        "lost": text.json(item.lostValue, of: property),
        "now": item.presentValue.map { text.json($0, of: property) } ?? .null,
        "device": .string(item.device),
        "at": .string(Timestamp.text(item.writtenAt)),
      ])
    ])
  }

  private static func orphans(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(0)
    let items = try await session.device.store.orphanItems()
    session.device.listing = items.map { RecordKey(entity: $0.entity, id: $0.id) }
    let rows = items.enumerated().map { index, item in
      [
        "\(index + 1)", "\(item.entity).\(item.property)", item.destination,
        missing(item), item.id.description,
      ]
    }
    session.show(
      ResultTable(columns: ["#", "field", "refers to", "not here", "id"], rows: rows),
      json: {
        items.map {
          .object([
            "orphan": .object([
              "entity": .string($0.entity), "id": .string($0.id.description),
              "field": .string($0.property), "to": .string($0.destination),
              "missing": .string(missing($0)),
            ])
          ])
        }
      }, whenEmpty: "Every reference leads to a record that is here.")
  }

  private static func missing(_ item: OrphanItem) -> String {
    RecordID(item.missing)?.description ?? "\(item.missing)"
  }
}
