import Strandline

/// Commands for what sync leaves to the person: deletes that are held, records that were refused.
@MainActor enum RecoveryCommands {
  static let all: [Command] = [
    Command(
      name: "deletes", usage: "deletes [apply | refuse]",
      summary: "Deletes from elsewhere that are held, being too many; decide about them.",
      example: "deletes refuse", group: .sync, words: [.choice(["apply", "refuse"])],
      run: deletes),
    Command(
      name: "setaside", usage: "setaside [retry]",
      summary: "Records that were refused, and why; or offer them again now.",
      example: "setaside retry", group: .looking, words: [.choice(["retry"])], run: setAside),
  ]

  // MARK: Held deletes

  private static func deletes(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(1)
    let items = try await session.device.store.heldDeleteItems(ownName: session.device.name)
    guard let word = input.arguments.first else { return list(items, session) }
    guard word.isKeyword("apply") || word.isKeyword("refuse") else { throw stray(word, input) }
    try session.requireNoTransaction("Could not decide about deletes, a transaction is open.")
    guard !items.isEmpty else {
      return session.say(.object(["deletes": .integer(0)]), "No delete is held.")
    }
    let records = Wording.count(items.count, "record")
    if word.isKeyword("apply") {
      guard
        try await session.confirm(
          "\(records) will be deleted here (\(entities(of: items))), as elsewhere.")
      else { return }
      let count = try await session.device.store.confirmHeldDeletes()
      session.say(
        .object(["applied": .integer(Int64(count))]),
        "Deleted \(Wording.count(count, "record")). Bring one back with restore.")
    } else {
      guard
        try await session.confirm(
          "\(records) (\(entities(of: items))) will live again on every device that deleted them.")
      else { return }
      let count = try await session.device.store.refuseHeldDeletes()
      session.say(
        .object(["refused": .integer(Int64(count))]),
        "Kept \(Wording.count(count, "record")). The next cycle brings them back elsewhere.")
    }
  }

  private static func entities(of items: [HeldDeleteItem]) -> String {
    Dictionary(grouping: items, by: \.entity).sorted { $0.key < $1.key }
      .map { "\($0.key) \($0.value.count)" }.joined(separator: ", ")
  }

  /// What is counted together in the list.
  private struct Origin: Hashable {
    let entity: String
    let device: String?
    let peer: String
  }

  private static func list(_ items: [HeldDeleteItem], _ session: Session) {
    let groups = Dictionary(grouping: items) {
      Origin(entity: $0.entity, device: $0.device, peer: $0.peer)
    }.sorted { ($0.key.entity, $0.key.device ?? "") < ($1.key.entity, $1.key.device ?? "") }
    let rows = groups.map { origin, items in
      [
        origin.entity, "\(items.count)", origin.device ?? "not known",
        items.map(\.deletedAt).max().map(session.moment) ?? "", origin.peer,
      ]
    }
    session.show(
      ResultTable(columns: ["entity", "records", "deleted by", "at", "peer"], rows: rows),
      json: {
        items.map {
          .object([
            "heldDelete": .object([
              "peer": .string($0.peer), "entity": .string($0.entity),
              "id": .string($0.id.description), "device": JSONValue($0.device),
              "at": .string(Timestamp.text($0.deletedAt)),
            ])
          ])
        }
      }, whenEmpty: "No delete is held.")
  }

  // MARK: Set aside

  private static func setAside(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(1)
    if let word = input.arguments.first {
      guard word.isKeyword("retry") else { throw stray(word, input) }
      let count = try await session.device.store.retrySetAside()
      return session.say(
        .object(["retry": .integer(Int64(count))]),
        count == 0
          ? "No record is set aside that could be offered again."
          : "The next cycle offers \(Wording.count(count, "record")) again.")
    }
    let items = try await session.device.store.setAsideItems()
    let rows = items.map { item in
      [
        item.entity, String(text(item.id).prefix(8)), item.reason, item.cure,
        "\(item.attempts)", item.nextAttempt.map(session.moment) ?? "", item.peer,
      ]
    }
    session.show(
      ResultTable(
        columns: ["entity", "id", "reason", "to do", "attempts", "next", "peer"], rows: rows),
      json: { items.map(json) }, whenEmpty: "Nothing is set aside.")
  }

  private static func text(_ id: Value) -> String { RecordID(id)?.description ?? "\(id)" }

  private static func json(_ item: SetAsideItem) -> JSONValue {
    .object([
      "setAside": .object([
        "peer": .string(item.peer), "entity": .string(item.entity), "id": .string(text(item.id)),
        "code": .string(item.code), "reason": .string(item.reason), "cure": .string(item.cure),
        "attempts": .integer(Int64(item.attempts)),
        "at": .string(Timestamp.text(item.refusedAt)),
        "next": item.nextAttempt.map { .string(Timestamp.text($0)) } ?? .null,
      ])
    ])
  }

  private static func stray(_ word: Token, _ input: CommandInput) -> CommandError {
    CommandError(
      "strayWord", "Could not run '\(input.command.name)', '\(word.text)' is not expected here.",
      advice: "Usage: \(input.command.usage)", at: word)
  }
}
