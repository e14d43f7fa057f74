import Strandline

/// Commands that read persistent history.
@MainActor enum HistoryCommands {
  static let all: [Command] = [
    Command(
      name: "history", usage: "history [--since TOKEN] [ID]",
      summary: "Committed transactions, of all records or of one.", example: "history --since 12",
      group: .looking, words: [.record], run: history)
  ]

  private static func history(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: ["since"])
    let words = try input.arguments(without: ["since"])
    let store = session.device.store
    // What another SQLite client wrote stands in history once it is sealed.
    try await store.sealOtherClients()
    let since = try input.values(of: "since").first
    let transactions: [HistoryTransaction]
    if let word = words.first {
      let id = try await RecordResolver(session: session).resolveDeletedToo(word)
      transactions = try await store.history(of: id)
    } else {
      let start = try await store.historyStart()
      if since == nil && start.sequence > 0 {
        session.streams.note("History begins after \(start); what came before was pruned.")
      }
      transactions = try await store.history(
        after: try since.map { try token($0, store) } ?? start)
    }
    guard !transactions.isEmpty else {
      if !session.isJSON { session.say(.null, "No transactions.") }
      return
    }
    show(transactions, session)
  }

  /// Reads a place in history that somebody typed.
  static func token(_ token: Token, _ store: Store) throws(CommandError) -> HistoryToken {
    guard let sequence = Int64(token.text), sequence >= 0 else {
      throw CommandError(
        "wrongType", "Could not read '\(token.text)' as a history token.",
        advice: "Use a number that history shows.", at: token)
    }
    return HistoryToken(store: store.id, sequence: sequence)
  }

  static func show(_ transactions: [HistoryTransaction], _ session: Session) {
    session.show(
      objects: transactions.map { json($0, session) },
      text: transactions.map { text($0, session) }.joined(separator: "\n"))
  }

  private static func text(_ transaction: HistoryTransaction, _ session: Session) -> String {
    let who = [transaction.author, transaction.context].compactMap(\.self).joined(separator: ", ")
    let head =
      "\(transaction.token)  \(session.moment(transaction.time))  \(origin(transaction.origin))"
      + (who.isEmpty ? "" : " (\(who))")
    let shown = transaction.changes.prefix(20).map { change in
      let fields = change.kind == .update ? " " + change.properties.joined(separator: ", ") : ""
      return "    \(change.kind.rawValue) \(change.entity) \(change.id)\(fields)"
        + preserved(change, session)
    }
    let more = transaction.changes.count - shown.count
    return
      ([session.style.heading(head)] + shown
      + (more > 0 ? ["    and \(Wording.count(more, "more change", plural: "more changes"))"] : []))
      .joined(separator: "\n")
  }

  /// The values that a change took away, in the order of the model.
  private static func preserved(_ change: HistoryChange, _ session: Session) -> String {
    let text = RecordText(schema: session.schema)
    let entity = session.schema[change.entity]
    let names = (entity?.properties.map(\.name) ?? []).filter { change.preserved[$0] != nil }
    guard !names.isEmpty else { return "" }
    let values = names.map { name in
      "\(name) = \(text.text(change.preserved[name] ?? .null, of: entity?[name]))"
    }
    return " (before: \(values.joined(separator: ", ")))"
  }

  private static func origin(_ origin: HistoryTransaction.Origin) -> String {
    switch origin {
    case .thisProcess: "saved here"
    case .anotherProcess: "saved by another run"
    case .anotherClient: "written by another SQLite client"
    case .imported(let peer): "imported from \(peer)"
    }
  }

  private static func json(
    _ transaction: HistoryTransaction, _ session: Session
  ) -> JSONValue {
    let text = RecordText(schema: session.schema)
    return .object([
      "transaction": .object([
        "token": .integer(transaction.token.sequence),
        "time": .string(Timestamp.text(transaction.time)),
        "origin": .string(originName(transaction.origin)),
        "author": JSONValue(transaction.author), "context": JSONValue(transaction.context),
        "changes": .array(
          transaction.changes.map { change in
            .object([
              "kind": .string(change.kind.rawValue), "entity": .string(change.entity),
              "id": .string(change.id.description),
              "fields": .array(change.properties.map(JSONValue.string)),
              "preserved": .object(
                change.preserved.sorted { $0.key < $1.key }.map {
                  .init($0.key, text.json($0.value, of: session.schema[change.entity]?[$0.key]))
                }),
            ])
          }),
      ])
    ])
  }

  private static func originName(_ origin: HistoryTransaction.Origin) -> String {
    switch origin {
    case .thisProcess: "thisProcess"
    case .anotherProcess: "anotherProcess"
    case .anotherClient: "anotherClient"
    case .imported(let peer): "imported:\(peer)"
    }
  }
}
