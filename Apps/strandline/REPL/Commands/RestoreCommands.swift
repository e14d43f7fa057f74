import Strandline

/// Commands that compare with earlier values, and bring them back.
@MainActor enum RestoreCommands {
  static let all: [Command] = [
    Command(
      name: "diff", usage: "diff ID [TOKEN]",
      summary: "What became of a record since a place in history, or by its latest change.",
      example: "diff #1 12", group: .looking, words: [.record], run: diff),
    Command(
      name: "restore", usage: "restore ID [TOKEN]",
      summary: "Bring back earlier values, or a deleted record, as a new edit.",
      example: "restore #1 12", group: .records, words: [.record], run: restore),
  ]

  // MARK: Differences

  private static func diff(_ session: Session, _ input: CommandInput) async throws {
    let (key, token) = try await place(session, input)
    let store = session.device.store.id
    let difference = try await session.device.read {
      try $0.difference(key.entity, key.id, since: token?.sequence, store: store)
    }
    let text = RecordText(schema: session.schema)
    let entity = session.schema[key.entity]
    let rows = difference.changes.map { change in
      [
        change.property, old(change, text, entity),
        change.new.map { text.text($0, of: entity?[change.property]) } ?? "(deleted)",
      ]
    }
    session.show(
      ResultTable(columns: ["field", "at \(difference.since)", "now"], rows: rows),
      json: { [json(difference, text, entity)] },
      whenEmpty: "Nothing changed since \(difference.since).")
  }

  private static func old(
    _ change: RecordDifference.Change, _ text: RecordText, _ entity: Entity?
  ) -> String {
    switch change.old {
    case .known(let value): text.text(value, of: entity?[change.property])
    case .notHeld: "(no longer held)"
    case .absent: "(not there)"
    }
  }

  private static func json(
    _ difference: RecordDifference, _ text: RecordText, _ entity: Entity?
  ) -> JSONValue {
    .object([
      "diff": .object([
        "entity": .string(difference.entity), "id": .string(difference.id.description),
        "since": .integer(difference.since.sequence),
        "existedThen": .bool(difference.existedThen), "existsNow": .bool(difference.existsNow),
        "changes": .array(
          difference.changes.map { change in
            var old = JSONValue.null
            if case .known(let value) = change.old {
              old = text.json(value, of: entity?[change.property])
            }
            return .object([
              "field": .string(change.property), "old": old,
              "held": .bool(change.old != .notHeld),
              "new": change.new.map { text.json($0, of: entity?[change.property]) } ?? .null,
            ])
          }),
      ])
    ])
  }

  // MARK: Bringing back

  private static func restore(_ session: Session, _ input: CommandInput) async throws {
    let (key, token) = try await place(session, input)
    let restoration = try await session.device.write(context: "restore") {
      try $0.restore(key.entity, key.id, to: token?.sequence)
    }
    tell(restoration, session)
  }

  /// `conflicts restore N`.
  static func conflict(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(2)
    let word = try input.argument(0, "restore")
    guard word.isKeyword("restore") else {
      throw CommandError(
        "strayWord", "Could not run 'conflicts', '\(word.text)' is not expected here.",
        advice: "Usage: \(input.command.usage)", at: word)
    }
    let token = try input.argument(1, "the number")
    guard let number = Int64(token.text) else {
      throw CommandError(
        "wrongType", "Could not read '\(token.text)' as the number of a conflict.",
        advice: "Use a number of the column 'number' that conflicts shows.", at: token)
    }
    let restoration = try await session.device.write(context: "restore") {
      try $0.restoreConflict(number)
    }
    tell(restoration, session)
  }

  private static func place(
    _ session: Session, _ input: CommandInput
  ) async throws -> (RecordKey, HistoryToken?) {
    try input.allow(options: [])
    try input.requireAtMost(2)
    let word = try input.argument(0, "the record")
    let key = try await RecordResolver(session: session).resolveKeyDeletedToo(word)
    let store = session.device.store
    // What another SQLite client wrote stands in history once it is sealed.
    try await store.sealOtherClients()
    let words = input.arguments
    return (key, words.count > 1 ? try HistoryCommands.token(words[1], store) : nil)
  }

  private static func tell(_ restoration: Restoration, _ session: Session) {
    let restored = restoration.properties(.restored)
    var sentences = [
      restored.isEmpty
        ? "Nothing had to be brought back of \(restoration.entity) \(restoration.id)."
        : (session.device.isInTransaction ? "Noted" : "Saved")
          + " \(restoration.entity) \(restoration.id), "
          + (restoration.isNewLife ? "in a new life with " : "with the earlier ")
          + restored.joined(separator: ", ") + "."
    ]
    let lost = restoration.properties(.notHeld)
    if !lost.isEmpty { sentences.append("No longer held: \(lost.joined(separator: ", ")).") }
    let missing = restoration.properties(.targetMissing)
    if !missing.isEmpty {
      sentences.append("Refer to records that are gone: \(missing.joined(separator: ", ")).")
    }
    session.say(json(restoration), sentences.joined(separator: " "))
  }

  private static func json(_ restoration: Restoration) -> JSONValue {
    func names(_ outcome: Restoration.Outcome) -> JSONValue {
      .array(restoration.properties(outcome).map(JSONValue.string))
    }
    return .object([
      "restored": .object([
        "entity": .string(restoration.entity), "id": .string(restoration.id.description),
        "newLife": .bool(restoration.isNewLife), "fields": names(.restored),
        "unchanged": names(.unchanged), "notHeld": names(.notHeld),
        "targetMissing": names(.targetMissing),
      ])
    ])
  }
}
