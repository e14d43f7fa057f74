import Strandline
import StrandlineTransport

/// Commands about the model, and what the environments of the followed transports know of it.
@MainActor enum SchemaCommands {
  static let all: [Command] = [
    Command(
      name: "schema",
      usage: "schema | schema check [FILE] | schema init [--dry-run] | schema deploy [--dry-run]",
      summary: "Show the model, check it, or make it known to an environment.",
      example: "schema check", group: .looking,
      words: [.choice(["check", "init", "deploy"]), .file],
      notes: "check compares a model file with the store and with what production knows. init "
        + "makes the model known to development, deploy makes known to production what "
        + "development knows; both only add.", run: schema)
  ]

  private static func schema(_ session: Session, _ input: CommandInput) async throws {
    guard let word = input.arguments.first else {
      try input.allow(options: [])
      return show(session)
    }
    switch word.text.lowercased() {
    case "check":
      try input.allow(options: [])
      try input.requireAtMost(2)
      try await SchemaCheck(session: session).run(input.arguments.dropFirst().first)
    case "init":
      try input.allow(options: ["dry-run"])
      try input.requireAtMost(1)
      try await initialize(session, isDry: input.has(flag: "dry-run"))
    case "deploy":
      try input.allow(options: ["dry-run"])
      try input.requireAtMost(1)
      try await deploy(session, isDry: input.has(flag: "dry-run"))
    default: throw LabCommands.stray(word, input, among: ["check", "init", "deploy"])
    }
  }

  // MARK: Showing

  private static func show(_ session: Session) {
    let file = session.schema.modelFile
    guard !session.isJSON, session.mode != .table, session.mode != .json else {
      return session.show(file, file.prettyText)
    }
    let rows = session.schema.entities.filter { !$0.isLink }.flatMap { entity in
      entity.properties.map { property -> [JSONValue] in
        [
          .string(entity.name), .string(property.name),
          .string(property.attributeType?.rawValue ?? "reference to \(property.destination ?? "")"),
          .bool(property.isOptional), .bool(property.isPreserved),
        ]
      }
    }
    session.show(
      ResultTable(columns: ["entity", "property", "type", "optional", "preserved"], rows: rows),
      json: { [file] }, whenEmpty: "The model has no entities.")
  }

  // MARK: Environments

  private static func initialize(_ session: Session, isDry: Bool) async throws {
    let wanted = session.schema.syncedKeys
    for (peer, keeper) in try await keepers(session, "initialize") {
      let added = difference(from: try await keeper.schema(of: .development), to: wanted)
      if !isDry, !added.isEmpty { try await keeper.learn(added, in: .development) }
      tell(added, .development, peer, isDry: isDry, session)
    }
  }

  private static func deploy(_ session: Session, isDry: Bool) async throws {
    for (peer, keeper) in try await keepers(session, "deploy") {
      let known = try await keeper.schema(of: .production)
      let added = difference(from: known, to: try await keeper.schema(of: .development))
      if !isDry, !added.isEmpty {
        let names = lines(added)
        guard
          try await session.confirm(
            "Production of \(peer) learns \(names.joined(separator: ", ")), "
              + "which is never taken away again.")
        else { return }
        // What was shown, and not what development may have learned since.
        try await keeper.learn(added, in: .production)
      }
      tell(added, .production, peer, isDry: isDry, session)
    }
  }

  /// The followed transports whose schema this program may extend.
  private static func keepers(
    _ session: Session, _ verb: String
  ) async throws -> [(peer: String, keeper: any SchemaKeeper)] {
    guard session.maySync else {
      throw CommandError(
        "localOnly", "Could not \(verb) the schema, this session was opened without the right to.",
        advice: "Start it without --local and --read-only.")
    }
    guard !session.peers.isEmpty else {
      throw CommandError(
        "noTransport", "Could not \(verb) the schema, no transport is configured.",
        advice: "Name one with --transport, or use transport use SPEC.", exitCode: .transport)
    }
    var found: [(String, any SchemaKeeper)] = []
    for peer in session.peers {
      guard let keeper = try await session.schemaKeeper(of: peer) else {
        throw CommandError(
          "notTheKeeper", "Could not \(verb) the schema, '\(peer.transport)' is not kept here.",
          advice:
            "For a server run strandline-server schema \(verb == "deploy" ? "deploy" : "init") "
            + "where it runs. A folder takes every schema.",
          exitCode: .transport)
      }
      found.append((peer.transport, keeper))
    }
    return found
  }

  /// What one side lacks of the other.
  static func difference(
    from known: [String: Set<String>], to wanted: [String: Set<String>]
  ) -> [String: Set<String>] {
    var added: [String: Set<String>] = [:]
    for (entity, properties) in wanted {
      let missing = properties.subtracting(known[entity] ?? [])
      if known[entity] == nil || !missing.isEmpty { added[entity] = missing }
    }
    return added
  }

  /// One name for each property, and for each entity without any.
  static func lines(_ added: [String: Set<String>]) -> [String] {
    added.sorted { $0.key < $1.key }.flatMap { entity, properties in
      properties.isEmpty ? [entity] : properties.sorted().map { "\(entity).\($0)" }
    }
  }

  private static func tell(
    _ added: [String: Set<String>], _ environment: ZoneEnvironment, _ peer: String, isDry: Bool,
    _ session: Session
  ) {
    let names = lines(added)
    let name = environment == .production ? "Production" : "Development"
    let text =
      names.isEmpty
      ? "\(name) of \(peer) knows all of it already."
      : "\(name) of \(peer) \(isDry ? "would learn" : "learned") \(names.joined(separator: ", "))."
        + (isDry ? " Nothing was changed." : "")
    session.say(
      .object([
        "schema": .object([
          "peer": .string(peer), "environment": .string(environment.rawValue),
          "added": .array(names.map(JSONValue.string)), "dryRun": .bool(isDry),
        ])
      ]), text)
  }
}
