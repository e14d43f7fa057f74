import Foundation
package import StrandlineModels

/// The program with everything around it handed in.
package struct ServerProgram: Sendable {
  /// The version that `--version` tells.
  package static let version = "0.1.0"

  private let variables: [String: String]
  private let console: ServerConsole
  private let clock: WallClock

  /// Names what is around the program.
  package init(
    variables: [String: String], console: ServerConsole, clock: WallClock = .system
  ) {
    self.variables = variables
    self.console = console
    self.clock = clock
  }

  /// Carries out what the arguments ask for and returns how the program ends.
  package func run(_ arguments: [String]) async -> CommandFailure.ExitCode {
    do {
      try await carryOut(arguments)
      return .done
    } catch {
      let failure = CommandFailure.translated(error)
      report(failure, asJSON: arguments.contains("--json"))
      return failure.exitCode
    }
  }

  private func carryOut(_ arguments: [String]) async throws {
    let read = try CommandArguments(arguments, known: CommandTable.options)
    if read.has("--version") { return console.print("strandline-server \(Self.version)") }
    if read.words.first == "help" || read.words.isEmpty || read.has("--help") {
      return try help(read)
    }
    let (command, words) = try CommandTable.find(read.words)
    try check(read, for: command, words)
    let context = CommandContext(
      words: words, arguments: read, folder: try folder(read), console: console, clock: clock)
    try await command.run(context)
  }

  private func help(_ read: CommandArguments) throws(CommandFailure) {
    let words = read.words.first == "help" ? Array(read.words.dropFirst()) : read.words
    guard words.isEmpty else {
      let family = CommandTable.all.filter { $0.name.hasPrefix(words[0] + " ") }
      if words.count == 1, !family.isEmpty {
        return console.print(
          family.map(CommandTable.help).joined(separator: "\n\n"))
      }
      return console.print(CommandTable.help(for: try CommandTable.find(words).0))
    }
    guard read.has("--help") || read.words.first == "help" else {
      throw .usage(
        "Could not run anything, no command is named.",
        "Run 'strandline-server help' to see all.")
    }
    console.print(CommandTable.overview)
  }

  private func check(
    _ read: CommandArguments, for command: ServerCommand, _ words: [String]
  ) throws(CommandFailure) {
    let taken = Set((ServerCommand.common + command.options).map(\.name))
    if let stray = read.options.keys.sorted().first(where: { !taken.contains($0) }) {
      throw .usage(
        "Could not run '\(command.name)', it does not take \(stray).", "Usage: \(command.usage)")
    }
    guard command.words.contains(words.count) else {
      let reason =
        words.count < command.words.lowerBound
        ? "a word is missing" : "'\(words[command.words.upperBound])' is one word too many"
      throw .usage(
        "Could not run '\(command.name)', \(reason).", "Usage: \(command.usage)")
    }
  }

  /// The data folder: the option, the variable, or a folder among the user's data.
  private func folder(_ read: CommandArguments) throws(CommandFailure) -> String {
    if let named = read["--data"] ?? variables["STRANDLINE_SERVER_DATA"], !named.isEmpty {
      return named
    }
    if let data = variables["XDG_DATA_HOME"], data.hasPrefix("/") {
      return data + "/strandline-server"
    }
    guard let home = variables["HOME"], home.hasPrefix("/") else {
      throw .usage(
        "Could not find the data folder, none is named.",
        "Name it with --data DIR or in STRANDLINE_SERVER_DATA.")
    }
    return home + "/.local/share/strandline-server"
  }

  private func report(_ failure: CommandFailure, asJSON: Bool) {
    guard asJSON else { return console.note(failure.description) }
    let error = JSONValue.object([
      "error": .object([
        "code": .string(failure.codeName), "message": .string(failure.message),
        "recovery": .string(failure.advice),
      ])
    ])
    console.note(error.text)
  }
}
