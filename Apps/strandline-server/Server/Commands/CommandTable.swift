/// All commands of the program, and what it says of them.
enum CommandTable {
  static var all: [ServerCommand] {
    ServeCommand.all + AccountCommands.all + TokenCommands.all + SchemaCommands.all
      + ZoneCommands.all + RecordCommands.all + KeepingCommands.all
  }

  /// All options of all commands.
  static var options: Set<CommandArguments.Option> {
    Set(
      ServerCommand.common + all.flatMap(\.options))
  }

  /// The command at the beginning of some words, and the words after it.
  static func find(
    _ words: [String]
  ) throws(CommandFailure) -> (ServerCommand, rest: [String]) {
    for count in [2, 1] where words.count >= count {
      let name = words[..<count].joined(separator: " ")
      if let command = all.first(where: { $0.name == name }) {
        return (command, Array(words[count...]))
      }
    }
    throw unknown(words)
  }

  private static func unknown(_ words: [String]) -> CommandFailure {
    let first = words.first ?? ""
    let family = all.map(\.name).filter { $0.hasPrefix(first + " ") }
    guard family.isEmpty else {
      let second = words.count > 1 ? words[1] : ""
      let verbs = family.map { String($0.dropFirst(first.count + 1)) }
      let hint = Suggestion.sentence(for: second, among: verbs)
      let list = family.joined(separator: "', '")
      return .usage(
        words.count > 1
          ? "Could not run '\(first) \(second)', there is no such command."
          : "Could not run '\(first)', it needs a word after it.",
        hint.isEmpty ? "Commands are '\(list)'." : hint)
    }
    let names = Set(all.map { String($0.name.prefix { $0 != " " }) }).sorted() + ["help"]
    let hint = Suggestion.sentence(for: first, among: names)
    return .usage(
      "Could not run '\(first)', there is no such command.",
      hint.isEmpty ? "Run 'strandline-server help' to see all." : hint)
  }

  /// What the program says of itself.
  static var overview: String {
    let width = all.map(\.name.count).max() ?? 0
    let lines = all.map { command in
      "  " + command.name + String(repeating: " ", count: width - command.name.count) + "  "
        + command.summary
    }
    return """
      Usage: strandline-server [--data DIR] COMMAND [ARGUMENTS]

      Commands:
      \(lines.joined(separator: "\n"))
        help [COMMAND]  shows this, or how one command is called

      Options of all commands, before or after it:
        --data DIR   the data folder; also the variable STRANDLINE_SERVER_DATA
                     (by default strandline-server in the user's data folder)
        --json       results as JSON objects, one a line; errors as JSON on stderr
        --version, --help

      Exit codes: 0 done, 1 a command failed, 2 usage, 3 data folder unusable, 130 interrupted.

      To begin:
        strandline-server account add ann
        strandline-server token create ann --device phone > phone.token
        strandline-server serve
      """
  }

  /// How one command is called.
  static func help(for command: ServerCommand) -> String {
    var lines = ["Usage: \(command.usage)", "", command.summary]
    if !command.details.isEmpty { lines.append(command.details) }
    lines += ["", "Example:", "  \(command.example)"]
    return lines.joined(separator: "\n")
  }
}
