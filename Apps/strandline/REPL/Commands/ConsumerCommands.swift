import Strandline

/// Commands for the readers of history, and for how long it is kept.
@MainActor enum ConsumerCommands {
  static let all: [Command] = [
    Command(
      name: "consumers", usage: "consumers [remove NAME]",
      summary: "The readers of history and their places.", example: "consumers remove badge",
      group: .looking, words: [.choice(["remove"])], run: consumers),
    Command(
      name: "consume", usage: "consume NAME [--limit N] [--reset]",
      summary: "Show what is new for a reader, and save its place.",
      example: "consume badge --limit 10", group: .looking, run: consume),
    Command(
      name: "prune", usage: "prune [--keep DAYS] [--dry-run]",
      summary: "Take away old history that nobody needs.", example: "prune --keep 30",
      group: .looking, run: prune),
  ]

  // MARK: Consumers

  private static func consumers(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    if let word = input.arguments.first { return try await remove(session, input, word) }
    let consumers = try await session.device.store.consumers()
    let rows = consumers.map { consumer in
      [
        consumer.name, "\(consumer.token)",
        consumer.isExpired ? "pruned: has to load everything again" : "\(consumer.behind)",
        session.moment(consumer.savedAt),
      ]
    }
    session.show(
      ResultTable(columns: ["consumer", "place", "behind", "saved"], rows: rows),
      json: { consumers.map(json) }, whenEmpty: "No consumers.")
  }

  private static func json(_ consumer: HistoryConsumer) -> JSONValue {
    .object([
      "consumer": .object([
        "name": .string(consumer.name), "token": .integer(consumer.token.sequence),
        "behind": .integer(Int64(consumer.behind)), "expired": .bool(consumer.isExpired),
        "saved": .string(Timestamp.text(consumer.savedAt)),
      ])
    ])
  }

  private static func remove(
    _ session: Session, _ input: CommandInput, _ word: Token
  ) async throws {
    guard word.isKeyword("remove") else {
      throw CommandError(
        "strayWord", "Could not run 'consumers', '\(word.text)' is not expected here.",
        advice: "Usage: \(input.command.usage)", at: word)
    }
    try input.requireAtMost(2)
    let name = try input.argument(1, "the name")
    try session.requireNoTransaction("Could not remove a consumer, a transaction is open.")
    guard try await session.device.store.removeConsumer(name.text) else {
      throw CommandError(
        "unknownConsumer", "Could not remove '\(name.text)', there is no such consumer.",
        advice: "List them with consumers.", at: name, exitCode: .failed)
    }
    session.say(
      .object(["removed": .object(["consumer": .string(name.text)])]),
      "Removed the consumer \(name.text).")
  }

  private static func consume(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: ["limit", "reset"])
    let words = try input.arguments(without: ["limit"])
    guard let name = words.first, words.count == 1 else {
      throw CommandError(
        "missingWord", "Could not run 'consume', it takes one name.",
        advice: "Usage: \(input.command.usage)", at: input.tokenized.end, exitCode: .usage)
    }
    try session.requireNoTransaction("Could not consume history, a transaction is open.")
    let store = session.device.store
    if input.has(flag: "reset") {
      return tell(name.text, 0, try await store.resetConsumer(name.text), session)
    }
    let limit = try number(input, "limit") ?? 100
    let count: Int
    do {
      count = try await store.consume(name.text, limit: limit) { transactions in
        if !transactions.isEmpty { HistoryCommands.show(transactions, session) }
        if let failure = session.streams.takeFailure() { throw failure }
      }
    } catch let error as HistoryError where error.code == .historyExpired {
      throw CommandError(
        error.codeName, error.message,
        advice: "Read what is there, then go on from the present with consume "
          + "\(name.text) --reset.")
    }
    tell(name.text, count, try await store.token(of: name.text), session)
  }

  private static func tell(
    _ name: String, _ count: Int, _ token: HistoryToken?, _ session: Session
  ) {
    let place = token.map { "its place is \($0)" } ?? "it has no place yet"
    session.say(
      .object([
        "consumed": .object([
          "consumer": .string(name), "transactions": .integer(Int64(count)),
          "token": token.map { .integer($0.sequence) } ?? .null,
        ])
      ]),
      count == 0
        ? "Nothing is new for \(name); \(place)."
        : "\(Wording.count(count, "transaction")) for \(name); \(place).")
  }

  private static func number(
    _ input: CommandInput, _ option: String
  ) throws(CommandError) -> Int? {
    guard let token = try input.values(of: option).first else { return nil }
    guard let number = Int(token.text), number >= 0, number <= 1_000_000 else {
      throw CommandError(
        "wrongType", "Could not use '\(token.text)' for --\(option), it is no number from 0.",
        advice: "For example: \(input.command.example)", at: token)
    }
    return number
  }

  // MARK: Pruning

  private static func prune(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: ["keep", "dry-run"])
    guard try input.arguments(without: ["keep"]).isEmpty else {
      return try input.requireAtMost(0)
    }
    try session.requireNoTransaction("Could not prune history, a transaction is open.")
    var policy = RetentionPolicy(session.home.retention)
    let days = try number(input, "keep")
    if let days { policy.historyDays = days }
    let store = session.device.store
    try await store.sealOtherClients()
    var report = try await store.previewPrune(policy)
    let isDry = input.has(flag: "dry-run")
    if !isDry {
      var passed: Set<String> = []
      let holding = report.holds.filter { $0.kind == .consumer }
      if days != nil && !holding.isEmpty {
        guard try await session.confirm(consequence(holding)) else { return }
        passed = Set(holding.map(\.name))
      }
      report = try await store.prune(policy, passing: passed)
    }
    session.say(json(report, isDry: isDry), text(report, isDry: isDry))
  }

  private static func consequence(_ holding: [PruneReport.Hold]) -> String {
    holding.map { hold in
      "The consumer \(hold.name) has still to process "
        + Wording.count(hold.transactions, "transaction") + " of it, and would have to load "
        + "everything again."
    }.joined(separator: " ")
  }

  private static func text(_ report: PruneReport, isDry: Bool) -> String {
    let head =
      report.transactions == 0
      ? "Nothing \(isDry ? "would be" : "was") pruned."
      : (isDry ? "Would prune " : "Pruned ")
        + "\(Wording.count(report.transactions, "transaction")) with "
        + "\(Wording.count(report.changes, "change")), up to \(report.prunedTo)."
    let holds = report.holds.map { hold in
      "\(Wording.count(hold.transactions, "older transaction")) held by the \(hold.kind.rawValue) "
        + "\(hold.name), which is at \(hold.token)."
    }
    let expired = report.expiredConsumers.map { "\($0) has to load everything again." }
    return ([head] + holds + expired).joined(separator: "\n")
  }

  private static func json(_ report: PruneReport, isDry: Bool) -> JSONValue {
    .object([
      "pruned": .object([
        "dryRun": .bool(isDry), "transactions": .integer(Int64(report.transactions)),
        "changes": .integer(Int64(report.changes)),
        "preservedValues": .integer(Int64(report.preservedValues)),
        "token": .integer(report.prunedTo.sequence),
        "holds": .array(
          report.holds.map {
            .object([
              "kind": .string($0.kind.rawValue), "name": .string($0.name),
              "token": .integer($0.token.sequence),
              "transactions": .integer(Int64($0.transactions)),
            ])
          }),
        "expired": .array(report.expiredConsumers.map(JSONValue.string)),
      ])
    ])
  }
}
