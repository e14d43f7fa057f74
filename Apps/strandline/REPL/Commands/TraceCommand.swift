import Strandline

/// The command that tells how far a change was seen to get.
@MainActor enum TraceCommand {
  static let all: [Command] = [
    Command(
      name: "trace", usage: "trace ID | TOKEN",
      summary: "Where a record's latest change, or a transaction, got to.",
      example: "trace #1", group: .looking, words: [.record], run: trace)
  ]

  private static func trace(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(1)
    let token = try input.argument(0, "the record or the token")
    let store = session.device.store
    // What another SQLite client wrote is sealed first, so that it has a time.
    try await store.sealOtherClients()
    if let sequence = try await transaction(token, session) {
      guard
        let trace = try await store.trace(
          transaction: HistoryToken(store: store.id, sequence: sequence))
      else {
        throw CommandError(
          "unknownToken", "Could not trace '\(token.text)', history has no such transaction.",
          advice: "List the transactions with history.", at: token, exitCode: .failed)
      }
      return session.show(TraceText.json(trace), TraceText(session: session).text(trace))
    }
    let id = try await RecordResolver(session: session).resolveDeletedToo(token)
    guard let trace = try await store.trace(id) else {
      throw CommandError(
        "unknownID", "Could not trace '\(token.text)', this store has no history of it.",
        advice: "List the records to see their ids.", at: token, exitCode: .failed)
    }
    session.show(TraceText.json(trace), TraceText(session: session).text(trace))
  }

  /// A number is a place in history, unless a record has it as its id.
  private static func transaction(_ token: Token, _ session: Session) async throws -> Int64? {
    if case .reference = token.kind { return nil }
    guard let sequence = Int64(token.text), sequence > 0 else { return nil }
    let id = RecordID(token.text)
    let isRecord = try await session.device.read { try !$0.entities(knowing: id).isEmpty }
    return isRecord ? nil : sequence
  }
}
