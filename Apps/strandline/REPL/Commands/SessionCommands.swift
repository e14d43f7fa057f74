import Strandline

/// Commands for the session itself.
@MainActor enum SessionCommands {
  static let all: [Command] = [
    Command(
      name: "schema", usage: "schema", summary: "Show the model.", example: "schema",
      group: .looking, run: schema),
    Command(
      name: "mode", usage: "mode [table|line|json|jsonl|csv|markdown]",
      summary: "How lists are shown.", example: "mode csv", group: .session,
      words: [.choice(OutputMode.allCases.map(\.rawValue))], run: mode),
    Command(
      name: "try", usage: "try COMMAND", summary: "Run a command; a script goes on if it fails.",
      example: "try sync", group: .session, words: [.command], run: attempt),
    Command(
      name: "help", usage: "help [COMMAND]", summary: "All commands, or one of them.",
      example: "help list", group: .session, words: [.command], run: help),
    Command(
      name: "quit", usage: "quit", summary: "Leave.", example: "quit", group: .session,
      run: { session, _ in session.shouldQuit = true }),
  ]

  private static func schema(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(0)
    session.show(session.schema.modelFile, session.schema.modelFile.prettyText)
  }

  private static func mode(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(1)
    guard let token = input.arguments.first else {
      return session.show(
        .object(["mode": .string(session.mode.rawValue)]), session.mode.rawValue)
    }
    guard let mode = OutputMode(rawValue: token.text) else {
      let names = OutputMode.allCases.map(\.rawValue)
      let hint = Suggestion.sentence(for: token.text, among: names)
      throw CommandError(
        "unknownMode", "Could not use '\(token.text)', there is no such mode.",
        advice: hint.isEmpty ? "Modes are: \(names.joined(separator: ", "))." : hint, at: token)
    }
    session.mode = mode
  }

  private static func attempt(_ session: Session, _ input: CommandInput) async throws {
    _ = try input.argument(0, "the command")
    _ = await Interpreter(session: session).run(input.tokenized.text(from: 1))
  }

  private static func help(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(1)
    guard let token = input.arguments.first else {
      return session.streams.writeLine(overview(session.style))
    }
    let command = try CommandTable.command(token)
    session.streams.writeLine(
      """
      \(session.style.heading(command.usage))
        \(command.summary)
        For example: \(command.example)
      """)
    if !command.notes.isEmpty { session.streams.writeLine("  " + command.notes) }
  }

  static func overview(_ style: Style) -> String {
    var lines: [String] = []
    for group in Command.Group.allCases {
      lines.append(style.heading(group.rawValue))
      for command in CommandTable.all where command.group == group {
        lines.append("  \(style.name(DisplayWidth.pad(command.name, to: 10))) \(command.summary)")
      }
    }
    lines.append("Type help COMMAND for its usage and an example.")
    return lines.joined(separator: "\n")
  }
}
