import Foundation
import Strandline

/// Commands that read and write files of records.
@MainActor enum FileCommands {
  static let all: [Command] = [
    Command(
      name: "import",
      usage: "import FILE ENTITY [--map FIELD=PROPERTY …] [--delimiter C] [--dry-run]",
      summary: "Save the rows of a CSV, JSON or JSON Lines file as one transaction.",
      example: "import todo.csv TodoItem --map title=name", group: .files,
      words: [.file, .entity],
      notes: "Where a CSV file has nothing a value is null; empty text stands in quotes. A "
        + "delimiter is one character, or tab.", run: importFile),
    Command(
      name: "export", usage: "export ENTITY FILE [--delimiter C] [--spreadsheet-safe]",
      summary: "Write all records of an entity to a CSV, JSON or JSON Lines file.",
      example: "export TodoItem todo.csv", group: .files, words: [.entity, .file],
      notes: "--spreadsheet-safe puts an apostrophe before text that a spreadsheet would take for "
        + "a formula; such a file is for spreadsheets and not for import.",
      run: exportFile),
  ]

  // MARK: Import

  private static func importFile(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: ["map", "delimiter", "dry-run"])
    let map = try FieldMap(input)
    let delimiter = try delimiter(input)
    let words = try input.arguments(without: ["map", "delimiter"])
      .filter { !map.tokens.contains($0) }
    guard words.count >= 2 else {
      throw CommandError(
        "missingWord", "Could not run 'import', the file or the entity is missing.",
        advice: "Usage: \(input.command.usage)", at: input.tokenized.end, exitCode: .usage)
    }
    guard words.count == 2 else {
      throw CommandError(
        "strayWord", "Could not run 'import', '\(words[2].text)' is one word too many.",
        advice: "Usage: \(input.command.usage)", at: words[2])
    }
    let entity = try RecordCommands.entity(words[1], session)
    let path = words[0].text
    try session.requireForeignFile(path, at: words[0])
    let progress = session.progress("rows")
    let reader = ImportPlan(path: path, entity: entity, map: map, progress: progress)
    let isDry = input.has(flag: "dry-run")
    do {
      try await session.cancellable(progress) {
        let plan = try await Self.rows(reader, delimiter)
        try await save(plan, to: entity, isDry: isDry, progress, session)
      }
    } catch is CancellationError {
      throw CommandError(
        "interrupted", "Could not finish the import, it was cancelled.",
        advice: "Nothing was saved.", exitCode: .interrupted)
    }
  }

  private static func save(
    _ plan: [ImportPlan.Row], to entity: Entity, isDry: Bool, _ progress: Progress,
    _ session: Session
  ) async throws {
    if isDry {
      return session.say(
        .object(["import": .object(["rows": .integer(Int64(plan.count)), "dryRun": .bool(true)])]),
        "\(Wording.count(plan.count, "row")) would be saved; nothing was.")
    }
    let result = try await session.device.write(context: "import") { write in
      try ImportPlan.apply(plan, to: entity.name, write, progress)
    }
    session.say(
      .object([
        "import": .object([
          "rows": .integer(Int64(plan.count)), "inserted": .integer(Int64(result.inserted)),
          "updated": .integer(Int64(result.updated)), "dryRun": .bool(false),
        ])
      ]),
      "Saved \(Wording.count(plan.count, "row")): \(result.inserted) new, "
        + "\(result.updated) changed, \(plan.count - result.inserted - result.updated) as they were."
    )
  }

  private static func delimiter(_ input: CommandInput) throws(CommandError) -> Character? {
    guard let token = try input.values(of: "delimiter").first else { return nil }
    if token.isKeyword("tab") { return "\t" }
    guard token.text.count == 1, let character = token.text.first else {
      throw CommandError(
        "wrongType", "Could not use '\(token.text)' as the delimiter, it is not one character.",
        advice: "For example: --delimiter=;", at: token)
    }
    return character
  }

  /// Reads and checks all rows off the main thread, before anything is written.
  private nonisolated static func rows(
    _ plan: ImportPlan, _ delimiter: Character?
  ) async throws -> [ImportPlan.Row] {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            try plan.rows(ImportReader.read(plan.path, delimiter: delimiter))
          })
      }
    }
  }

  // MARK: Export

  private static func exportFile(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: ["delimiter", "spreadsheet-safe"])
    let words = try input.arguments(without: ["delimiter"])
    let delimiter = try delimiter(input)
    if words.count > 2 { throw OutputCommands.stray(words[2], input) }
    guard words.count == 2 else {
      throw CommandError(
        "missingWord", "Could not run 'export', the entity or the file is missing.",
        advice: "Usage: \(input.command.usage)", at: input.tokenized.end, exitCode: .usage)
    }
    let entity = try RecordCommands.entity(words[0], session)
    let path = words[1].text
    try session.requireForeignFile(path, at: words[1])
    let text = RecordText(schema: session.schema)
    let records = try await session.device.read { try $0.records(Query(entity.name)) }
    let rows = records.enumerated().map { index, record in
      ImportRow(
        line: index + 1,
        fields: [.init("id", .string(record.id.description))]
          + entity.properties.map { .init($0.name, text.json(record[$0.name], of: $0)) })
    }
    try await write(rows, to: path, delimiter, isSafe: input.has(flag: "spreadsheet-safe"))
    session.say(
      .object(["export": .object(["rows": .integer(Int64(rows.count)), "file": .string(path)])]),
      "Wrote \(Wording.count(rows.count, "record")) to \(path).")
  }
}

extension FileCommands {
  /// Writes off the main thread.
  private nonisolated static func write(
    _ rows: [ImportRow], to path: String, _ delimiter: Character?, isSafe: Bool
  ) async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            try ExportWriter.write(
              rows, to: path, delimiter: delimiter, isSpreadsheetSafe: isSafe)
          })
      }
    }
  }
}

/// Which property a field of a file goes to.
struct FieldMap: Sendable {
  /// The words of the command that say so.
  private(set) var tokens: [Token] = []
  private(set) var properties: [String: String] = [:]

  /// Reads `--map a=b c=d`, also written `--map a=b --map c=d`.
  init(_ input: CommandInput) throws(CommandError) {
    let words = input.tokenized.tokens
    for (index, token) in words.enumerated() {
      guard case .option("map", let inline) = token.kind else { continue }
      if let inline { try add(inline) }
      for word in words[(index + 1)...] {
        guard case .assignment = word.kind else { break }
        tokens.append(word)
        try add(word)
      }
    }
    if input.has(flag: "map"), properties.isEmpty {
      throw CommandError(
        "missingWord", "Could not run 'import', --map names no fields.",
        advice: "Write --map FIELD=PROPERTY.", at: input.tokenized.end, exitCode: .usage)
    }
  }

  private mutating func add(_ token: Token) throws(CommandError) {
    let parts = token.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw CommandError(
        "notAnAssignment", "Could not read '\(token.text)', it is not of the form FIELD=PROPERTY.",
        advice: "For example: --map title=name", at: token)
    }
    properties[String(parts[0])] = String(parts[1])
  }
}
