import Strandline

/// Commands about the store as a whole: its health and its model.
@MainActor enum StoreCommands {
  static let all: [Command] = [
    Command(
      name: "doctor", usage: "doctor", summary: "Look the store over; each problem has a cure.",
      example: "doctor", group: .looking, run: doctor),
    Command(
      name: "migrate", usage: "migrate FILE",
      summary: "Bring this device's store to the model in a file.",
      example: "migrate model-2.json", group: .files, words: [.file], run: migrate),
  ]

  // MARK: Migration

  private static func migrate(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    let token = try input.argument(0, "the model file")
    try input.requireAtMost(1)
    guard !session.device.isInTransaction else {
      throw CommandError(
        "transactionOpen", "Could not migrate the store, a transaction is open.",
        advice: "Type commit or rollback first.")
    }
    guard !session.options.isInMemory, !session.options.isReadOnly else {
      throw CommandError(
        "readOnly", "Could not migrate the store, it is in memory or open for reading only.",
        advice: "Start the program without --in-memory and --read-only.")
    }
    let model = try Home.readModel(token.text)
    let old = session.device.store.schema
    guard try await session.confirm(consequence(of: model, after: old)) else { return }
    try await session.migrate(to: model)
    if session.home.keepsModel { try session.home.writeModel(model) }
    let note = session.home.keepsModel ? "" : " Use --model \(token.text) from now on."
    session.say(
      .object([
        "migrated": .object([
          "version": .integer(Int64(model.version)),
          "entities": .integer(Int64(model.entities.count)),
        ])
      ]), "Migrated the store to version \(model.version) of the model.\(note)")
  }

  /// What the new model no longer shows; its values stay in the store and are synced.
  private static func consequence(of model: Schema, after old: Schema) -> String {
    var hidden: [String] = []
    for entity in old.entities {
      guard let new = model.entity(key: entity.key) else {
        hidden.append(entity.name)
        continue
      }
      let keys = Set(new.properties.map(\.key))
      hidden += entity.properties.filter { !keys.contains($0.key) }
        .map { "\(entity.name).\($0.name)" }
    }
    let begin = "This brings the store to version \(model.version) of the model."
    guard !hidden.isEmpty else { return begin + " It goes on showing all that it shows now." }
    return begin + " It no longer shows \(hidden.joined(separator: ", ")), but keeps the values."
  }

  // MARK: Checkup

  private static func doctor(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(0)
    let store = session.device.store
    var findings = try await store.checkup()
    // What SQLite cannot read is not asked about any further.
    if !findings.contains(where: {
      ["integrity", "file"].contains($0.name) && $0.level == .problem
    }) {
      findings += try await AppCheckup(store).findings()
    }
    let rows = findings.map { [$0.name, $0.level.rawValue, $0.message, $0.cure] }
    session.show(
      ResultTable(columns: ["check", "level", "what", "to do"], rows: rows),
      json: { findings.map(json) }, whenEmpty: "Nothing was looked at.")
    let problems = findings.filter { $0.level == .problem }
    guard !problems.isEmpty else { return }
    let names = problems.map(\.name).joined(separator: ", ")
    throw CommandError(
      "problemsFound", "Could not find the store sound, problems were found: \(names).",
      advice: "What cures each of them stands beside it.")
  }

  private static func json(_ finding: CheckupFinding) -> JSONValue {
    .object([
      "finding": .object([
        "name": .string(finding.name), "level": .string(finding.level.rawValue),
        "message": .string(finding.message), "cure": .string(finding.cure),
      ])
    ])
  }
}
