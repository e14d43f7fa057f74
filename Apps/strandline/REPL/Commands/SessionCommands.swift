import Strandline

/// Commands for the session itself.
@MainActor enum SessionCommands {
  static let all: [Command] = [
    Command(
      name: "try", usage: "try COMMAND", summary: "Run a command; a script goes on if it fails.",
      example: "try sync", group: .session, words: [.command], run: attempt),
    Command(
      name: "help", usage: "help [COMMAND | WORD]",
      summary: "All commands, one of them, or those whose help has a word.",
      example: "help list", group: .session, words: [.command], run: help),
    Command(
      name: "quit", usage: "quit", summary: "Leave.", example: "quit", group: .session,
      run: { session, _ in session.shouldQuit = true }),
  ]

  private static func attempt(_ session: Session, _ input: CommandInput) async throws {
    _ = try input.argument(0, "the command")
    _ = await Interpreter(session: session).run(input.tokenized.text(from: 1))
  }

  private static func help(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(1)
    guard let token = input.arguments.first else {
      if session.isJSON {
        for command in CommandTable.all { session.streams.writeLine(json(command).text) }
      } else {
        session.streams.writeLine(overview(session.style))
      }
      return
    }
    if let command = CommandTable.all.first(where: { token.isKeyword($0.name) }) {
      return session.show(json(command), text(command, session.style))
    }
    let found = search(token.text)
    if found.isEmpty { _ = try CommandTable.command(token) }
    session.show(
      ResultTable(
        columns: ["command", "summary", "example"],
        rows: found.map { [$0.name, $0.summary, $0.example] }),
      json: { found.map(json) }, whenEmpty: "")
  }

  /// The commands whose help has a word.
  private static func search(_ word: String) -> [Command] {
    let wanted = word.lowercased()
    return CommandTable.all.filter { command in
      [command.name, command.usage, command.summary, command.example, command.notes]
        .contains { $0.lowercased().contains(wanted) }
    }
  }

  private static func text(_ command: Command, _ style: Style) -> String {
    """
    \(style.heading(command.usage))
      \(command.summary)
      For example: \(command.example)
    """ + (command.notes.isEmpty ? "" : "\n  " + command.notes)
  }

  private static func json(_ command: Command) -> JSONValue {
    .object([
      "command": .object([
        "name": .string(command.name), "group": .string(command.group.rawValue),
        "usage": .string(command.usage), "summary": .string(command.summary),
        "example": .string(command.example), "notes": .string(command.notes),
      ])
    ])
  }

  static func overview(_ style: Style) -> String {
    var lines: [String] = []
    for group in Command.Group.allCases {
      lines.append(style.heading(group.rawValue))
      for command in CommandTable.all where command.group == group {
        lines.append("  \(style.name(DisplayWidth.pad(command.name, to: 11))) \(command.summary)")
      }
    }
    lines.append("Type help COMMAND for its usage and an example, help WORD to search.")
    return lines.joined(separator: "\n")
  }
}
