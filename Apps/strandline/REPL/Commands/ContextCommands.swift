import Strandline

/// Commands for query generations and for contexts beside the store.
@MainActor enum ContextCommands {
  static let all: [Command] = [
    Command(
      name: "pin", usage: "pin", summary: "Read one state of the store until advance or unpin.",
      example: "pin", group: .records, run: pin),
    Command(
      name: "advance", usage: "advance", summary: "Move what is pinned to the newest state.",
      example: "advance", group: .records, run: advance),
    Command(
      name: "unpin", usage: "unpin", summary: "Read the newest state again.", example: "unpin",
      group: .records, run: unpin),
    Command(
      name: "context", usage: "context [NAME | store] [--policy POLICY]",
      summary: "Edit in a context of its own until commit; store leaves it.",
      example: "context draft --policy objectTrumps", group: .records,
      words: [.choice(["store"])], run: context),
  ]

  // MARK: Generations

  private static func pin(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(0)
    try session.requireNoTransaction("Could not pin, a transaction is open.")
    let device = session.device
    let token: HistoryToken?
    if let context = device.context {
      try await context.pin()
      token = context.generation?.token
    } else {
      device.generation = try await device.store.generation()
      token = device.generation?.token
    }
    session.say(
      .object(["pinned": JSONValue(token)]),
      "Pinned at \(place(token)). Reads show that state until advance or unpin.")
  }

  private static func advance(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(0)
    let device = session.device
    let token: HistoryToken
    if let context = device.context, context.generation != nil {
      token = try await context.merge().token
    } else if let generation = device.generation, device.context == nil {
      token = try await generation.advance()
    } else {
      throw nothingPinned("advance")
    }
    session.say(.object(["pinned": JSONValue(token)]), "Advanced to \(place(token)).")
  }

  private static func unpin(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(0)
    let device = session.device
    guard device.pinned != nil else { throw nothingPinned("unpin") }
    if let context = device.context {
      try await context.unpin()
    } else {
      device.generation = nil
    }
    session.say(.object(["pinned": .null]), "Reads show the newest state again.")
  }

  private static func place(_ token: HistoryToken?) -> String {
    token.map { "history token \($0)" } ?? "the present state"
  }

  private static func nothingPinned(_ verb: String) -> CommandError {
    CommandError("notPinned", "Could not \(verb), nothing is pinned.", advice: "Use pin first.")
  }

  // MARK: Contexts

  private static func context(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: ["policy"])
    let words = try input.arguments(without: ["policy"])
    let policy = try input.values(of: "policy").first.map(policy)
    if words.count > 1 { try input.requireAtMost(1) }
    guard let word = words.first else {
      if let policy { try present(session).mergePolicy = policy }
      return list(session)
    }
    try session.requireNoTransaction("Could not switch, a transaction is open.")
    let device = session.device
    guard word.text != "store" else {
      device.contextName = nil
      return session.say(.object(["context": .null]), "Edits are saved at once again.")
    }
    let isNew = device.contexts[word.text] == nil
    let context =
      device.contexts[word.text]
      ?? EditingContext(device.store, name: word.text, author: "strandline")
    if let policy { context.mergePolicy = policy }
    device.contexts[word.text] = context
    device.contextName = word.text
    session.say(
      .object(["context": json(word.text, context, isCurrent: true)]),
      (isNew ? "Made the context \(word.text)" : "Now in the context \(word.text)")
        + " with the policy \(context.mergePolicy.rawValue). Use commit to save its edits.")
  }

  private static func present(_ session: Session) throws(CommandError) -> EditingContext {
    if let context = session.device.context { return context }
    throw CommandError(
      "noContext", "Could not set the policy, edits are saved at once here.",
      advice: "Name a context: context NAME --policy POLICY.")
  }

  private static func policy(_ token: Token) throws(CommandError) -> MergePolicy {
    if let policy = MergePolicy(rawValue: token.text) { return policy }
    let names = MergePolicy.allCases.map(\.rawValue)
    throw CommandError(
      "unknownPolicy", "Could not use '\(token.text)', there is no such merge policy.",
      advice: CommandInput.advice(
        Suggestion.sentence(for: token.text, among: names),
        "Policies are: \(names.joined(separator: ", "))."), at: token)
  }

  private static func list(_ session: Session) {
    let device = session.device
    let contexts = device.contexts.sorted { $0.key < $1.key }
    let rows: [[JSONValue]] = contexts.map { name, context in
      [
        .string(name == device.contextName ? "\(name) (here)" : name),
        .string(context.mergePolicy.rawValue),
        .integer(Int64(context.changedRecords.count)), JSONValue(context.generation?.token),
      ]
    }
    session.show(
      ResultTable(columns: ["context", "policy", "unsaved", "pinned"], rows: rows),
      json: {
        contexts.map {
          .object(["context": json($0, $1, isCurrent: $0 == device.contextName)])
        }
      }, whenEmpty: "No contexts; edits are saved at once.")
  }

  private static func json(
    _ name: String, _ context: EditingContext, isCurrent: Bool
  ) -> JSONValue {
    .object([
      "name": .string(name), "current": .bool(isCurrent),
      "policy": .string(context.mergePolicy.rawValue),
      "unsaved": .integer(Int64(context.changedRecords.count)),
      "pinned": JSONValue(context.generation?.token),
    ])
  }
}

extension ContextCommands {
  /// Saves the edits of a context, and tells what its policy did and what lost.
  static func commit(_ context: EditingContext, _ session: Session) async throws {
    do {
      let result = try await context.save()
      let counts = [
        ("saved", result.saved), ("merged", result.merged), ("discarded", result.discarded),
      ]
      let text = counts.map { "\($1.count) \($0)" }.joined(separator: ", ")
      session.say(
        .object([
          "saved": .object(
            counts.map { JSONValue.Member($0, .integer(Int64($1.count))) } + [
              JSONValue.Member("lost", .array(result.conflicts.map(json)))
            ])
        ]),
        (["Saved the context: \(text)."] + result.conflicts.map { line($0, session) })
          .joined(separator: "\n"))
      if let failure = result.mergeFailure { throw failure }
    } catch let error as MergeConflictError {
      for conflict in error.conflicts { session.streams.note(line(conflict, session)) }
      throw error
    }
  }

  private static func line(_ conflict: MergeConflict, _ session: Session) -> String {
    let text = RecordText(schema: session.schema)
    let property = session.schema[conflict.record.entity]?[conflict.property]
    func shown(_ value: Value?) -> String {
      guard let value else { return "deleted" }
      return property.map { text.text(value, of: $0) } ?? "\(value)"
    }
    let outcome = conflict.winner.map { "; the \($0.rawValue)'s stands" } ?? ""
    return "  \(conflict.record) \(conflict.property): read \(shown(conflict.readValue)), "
      + "store \(shown(conflict.storeValue)), context \(shown(conflict.contextValue))\(outcome)"
  }

  private static func json(_ conflict: MergeConflict) -> JSONValue {
    .object([
      "entity": .string(conflict.record.entity),
      "id": .string(conflict.record.id.description),
      "field": .string(conflict.property),
      "winner": conflict.winner.map { .string($0.rawValue) } ?? .null,
    ])
  }
}

extension JSONValue {
  fileprivate init(_ token: HistoryToken?) {
    self = token.map { .integer($0.sequence) } ?? .null
  }
}
