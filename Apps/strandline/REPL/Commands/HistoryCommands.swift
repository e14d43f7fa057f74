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
      transactions = try await store.history(after: try since.map { try token($0, store) })
    }
    for transaction in transactions {
      session.show(json(transaction), text(transaction, session))
    }
    if transactions.isEmpty && !session.isJSON { session.say(.null, "No transactions.") }
  }

  private static func token(_ token: Token, _ store: Store) throws(CommandError) -> HistoryToken {
    guard let sequence = Int64(token.text), sequence >= 0 else {
      throw CommandError(
        "wrongType", "Could not read '\(token.text)' as a history token.",
        advice: "Use a number that history shows.", at: token)
    }
    return HistoryToken(store: store.id, sequence: sequence)
  }

  private static func text(_ transaction: HistoryTransaction, _ session: Session) -> String {
    let who = [transaction.author, transaction.context].compactMap(\.self).joined(separator: ", ")
    let head =
      "\(transaction.token)  \(session.moment(transaction.time))  \(origin(transaction.origin))"
      + (who.isEmpty ? "" : " (\(who))")
    let shown = transaction.changes.prefix(20).map { change in
      let fields = change.kind == .update ? " " + change.properties.joined(separator: ", ") : ""
      return "    \(change.kind.rawValue) \(change.entity) \(change.id)\(fields)"
    }
    let more = transaction.changes.count - shown.count
    return
      ([session.style.heading(head)] + shown
      + (more > 0 ? ["    and \(Wording.count(more, "more change", plural: "more changes"))"] : []))
      .joined(separator: "\n")
  }

  private static func origin(_ origin: HistoryTransaction.Origin) -> String {
    switch origin {
    case .thisProcess: "saved here"
    case .anotherProcess: "saved by another run"
    case .anotherClient: "written by another SQLite client"
    case .imported(let peer): "imported from \(peer)"
    }
  }

  private static func json(_ transaction: HistoryTransaction) -> JSONValue {
    .object([
      "transaction": .object([
        "token": .integer(transaction.token.sequence),
        "time": .string(Timestamp.text(transaction.time)),
        "origin": .string(originName(transaction.origin)),
        "author": JSONValue(transaction.author), "context": JSONValue(transaction.context),
        "changes": .array(
          transaction.changes.map {
            .object([
              "kind": .string($0.kind.rawValue), "entity": .string($0.entity),
              "id": .string($0.id.description),
              "fields": .array($0.properties.map(JSONValue.string)),
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
