import Strandline

/// The command that shows a listing again and again, whenever a transaction touches it.
@MainActor enum WatchCommand {
  static let command = Command(
    name: "watch",
    usage: "watch ENTITY [where CONDITION] [order by COLUMNS] [limit N] [--every SECONDS] "
      + "[--count N]",
    summary: "List records, again whenever the listing changes here or elsewhere, until Ctrl-C.",
    example: "watch TodoItem where done = 0", group: .records, words: [.entity, .clauses], run: run)

  private static func run(_ session: Session, _ input: CommandInput) async throws {
    let entity = try RecordCommands.entity(input.argument(0, "the entity"), session)
    try input.allow(options: ["every", "count"])
    let pace = try WatchPace(input)
    let syntax = try ListSyntax(pace.rest, from: 2)
    let query = Query(
      entity.name, where: syntax.condition, orderBy: syntax.order, limit: syntax.limit)
    let store = session.device.store
    let labels = References(schema: session.schema, entity: entity)
    session.streams.note("Watching \(entity.name). Ctrl-C ends it.")
    // Ctrl-C is how a watch is meant to end, and it ends the sequence.
    var left = pace.count ?? .max
    try await session.whileSyncing {
      repeat {
        for try await result in store.live(query) {
          let names = try await store.read { try labels.names(of: result.records, $0) }
          show(result, of: entity, names, session)
          left -= 1
          if left == 0 || session.streams.isBroken { return }
          // By the clock, each listing is read anew.
          if pace.interval != nil { break }
        }
        try Task.checkCancellation()
        if let interval = pace.interval { try await Task.sleep(for: interval) }
      } while pace.interval != nil
    }
  }

  private static func show(
    _ result: LiveQuery<Record>.Result, of entity: Entity, _ names: [Value: String],
    _ session: Session
  ) {
    if session.isJSON {
      let text = RecordText(schema: session.schema)
      session.show(
        .object([
          "watch": .object([
            "entity": .string(entity.name), "token": .string(result.token.description),
            "records": .array(result.records.map(text.json)),
          ])
        ]), "")
      return
    }
    session.streams.note("· \(session.moment(session.clock.milliseconds))")
    ReadCommands.show(result.records, of: entity, names, session)
  }
}
