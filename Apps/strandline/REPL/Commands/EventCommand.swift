import Strandline

/// The command that lists what the engine and the store did.
@MainActor enum EventCommand {
  static let all: [Command] = [
    Command(
      name: "events", usage: "events [N]",
      summary: "The latest activities of the engine and the store.",
      example: "events 5", group: .looking, run: events)
  ]

  private static func events(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(1)
    var limit = 20
    if let token = input.arguments.first {
      guard let number = Int(token.text), number > 0, number <= 2000 else {
        throw CommandError(
          "wrongType", "Could not list '\(token.text)' events, it is not a number from 1 to 2000.",
          advice: "For example: events 5", at: token)
      }
      limit = number
    }
    let store = session.device.store
    let events = try await store.events(limit: limit)
    let rows = events.reversed().map { event -> [String] in
      [
        session.moment(event.start), event.kind, event.peer, Wording().text(.init(event.outcome)),
        event.records > 0 ? "\(event.records)" : "", what(event),
      ]
    }
    session.show(
      ResultTable(
        columns: ["at", "kind", "peer", "outcome", "records", "what"], rows: rows),
      json: { events.reversed().map { json($0, store.id) } }, whenEmpty: "No activity yet.")
  }

  /// What there is to say, with the cure of what failed.
  private static func what(_ event: ActivityEvent) -> String {
    let parts = [event.detail, event.errorMessage, event.errorAdvice].compactMap(\.self)
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func json(_ event: ActivityEvent, _ store: String) -> JSONValue {
    .object([
      "event": .object([
        "kind": .string(event.kind), "store": .string(store), "peer": .string(event.peer),
        "start": .string(Timestamp.text(event.start)),
        "end": event.end.map { .string(Timestamp.text($0)) } ?? .null,
        "succeeded": event.succeeded.map(JSONValue.bool) ?? .null,
        "error": event.errorCode.map {
          .object([
            "code": .string($0), "message": JSONValue(event.errorMessage),
            "recovery": JSONValue(event.errorAdvice),
          ])
        } ?? .null,
        "records": .integer(Int64(event.records)), "detail": JSONValue(event.detail),
        "interrupted": .bool(event.isInterrupted),
      ])
    ])
  }
}
