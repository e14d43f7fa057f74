import Strandline

/// Commands for how results are shown and where they go.
@MainActor enum OutputCommands {
  static let all: [Command] = [
    Command(
      name: "mode", usage: "mode [table|line|json|jsonl|csv|markdown] [--rows N|all]",
      summary: "How results are shown, and how many rows of a list.",
      example: "mode csv", group: .session, words: [.choice(OutputMode.allCases.map(\.rawValue))],
      notes: "Tables and lines at a terminal show \(rowsAtTerminal) rows of a list without limit. "
        + "Programs use --json, whose objects are documented.", run: mode),
    Command(
      name: "timer", usage: "timer [on|off]", summary: "Tell how long each command took.",
      example: "timer on", group: .session, words: [.choice(["on", "off"])], run: timer),
    Command(
      name: "output", usage: "output [FILE] [--once]",
      summary:
        "Write results to a file from now on, or of the next command; without one show them.",
      example: "output items.csv --once", group: .session, words: [.file], run: output),
  ]

  /// How many rows of a list a terminal shows where nobody said.
  nonisolated static let rowsAtTerminal = 1000

  // MARK: The mode

  private static func mode(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: ["rows"])
    let words = try input.arguments(without: ["rows"])
    if words.count > 1 { throw stray(words[1], input) }
    let rows = try input.values(of: "rows").last
    guard words.first != nil || rows != nil else {
      return session.show(
        .object(["mode": .string(session.mode.rawValue)]), session.mode.rawValue)
    }
    var mode = session.mode
    if let word = words.first {
      guard let named = OutputMode(rawValue: word.text.lowercased()) else {
        throw unknownMode(word)
      }
      mode = named
    }
    if let rows { session.rowLimit = try limit(rows) }
    session.mode = mode
  }

  private static func unknownMode(_ token: Token) -> CommandError {
    let names = OutputMode.allCases.map(\.rawValue)
    let hint = Suggestion.sentence(for: token.text, among: names)
    return CommandError(
      "unknownMode", "Could not use '\(token.text)', there is no such mode.",
      advice: hint.isEmpty ? "Modes are: \(names.joined(separator: ", "))." : hint, at: token)
  }

  private static func limit(_ token: Token) throws(CommandError) -> Session.RowLimit {
    if token.isKeyword("all") { return .all }
    if let number = Int(token.text), number > 0 { return .first(number) }
    throw CommandError(
      "wrongType", "Could not show '\(token.text)' rows, it is neither a number from 1 nor all.",
      advice: "For example: mode table --rows 50", at: token)
  }

  static func stray(_ word: Token, _ input: CommandInput) -> CommandError {
    CommandError(
      "strayWord", "Could not run '\(input.command.name)', '\(word.text)' is one word too many.",
      advice: "Usage: \(input.command.usage)", at: word)
  }

  // MARK: The timer

  private static func timer(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(1)
    if let word = input.arguments.first {
      guard word.isKeyword("on") || word.isKeyword("off") else {
        throw LabCommands.stray(word, input, among: ["on", "off"])
      }
      session.isTiming = word.isKeyword("on")
    }
    session.say(
      .object(["timer": .bool(session.isTiming)]),
      session.isTiming ? "The timer is on." : "The timer is off.")
  }

  // MARK: The output

  private static func output(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: ["once"])
    try input.requireAtMost(1)
    guard let token = input.arguments.first else {
      if input.has(flag: "once") { _ = try input.argument(0, "the file") }
      try session.streams.redirect(to: nil)
      session.isOutputOnce = false
      return session.say(.object(["output": .null]), "Results are shown again.")
    }
    try session.requireForeignFile(token.text, at: token)
    try session.streams.redirect(to: token.text)
    session.isOutputOnce = input.has(flag: "once")
    guard !session.isJSON else { return }
    session.streams.note(
      session.isOutputOnce
        ? "The results of the next command go to \(token.text)."
        : "Results go to \(token.text) until output without a file.")
  }
}
