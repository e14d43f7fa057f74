import StrandlineModels

/// What the arguments of the program ask for.
package struct Options: Sendable {
  /// What is run.
  package enum Work: Equatable, Sendable {
    /// The prompt, or a script on standard input where that is no terminal.
    case session
    /// Commands in their order.
    case commands([String])
    /// A script file; `-` is standard input.
    case script(String)
    /// One command with its arguments as the shell cut them.
    case command([String])
    /// The version.
    case version
    /// The help.
    case help
    /// The man page.
    case manual
    /// The completions of a shell.
    case completions(CompletionScript)
    /// Words that a shell asks for while it completes.
    case localWords(LocalWords)
  }

  package var work = Work.session
  package var home: String?
  package var config: String?
  package var model: String?
  package var device: String?
  package var transport: String?
  package var zone: String?
  package var environment: String?
  package var tokenFile: String?
  package var authorityFile: String?
  package var isLocal = false
  package var isReadOnly = false
  package var isInMemory = false
  package var isJSON = false
  package var saysYes = false
  package var isQuiet = false
  package var keepsGoing = false
  /// Whether each command of a script is shown before it runs.
  package var echoes = false
  /// Whether the prompt follows when the commands are done, where there is a terminal.
  package var stays = false
  package var readsStartFile = true
  package var color = ColorChoice.auto
  /// Whether background cycles run at the prompt; nil for what the configuration says.
  package var automatic: Bool?
  package var debounceMilliseconds: Int?
  package var everySeconds: Int?
  package var historyDays: Int?
  package var keepsAllHistory: Bool?
  package var consumerDays: Int?
  package var tombstoneDays: Int?
  /// Further transports to follow beside the first one.
  package var moreTransports: [String] = []

  package init() {}
}

extension Options {
  /// Reads the program's arguments; options may stand before or after the command.
  ///
  /// - Throws: `usage` naming the option that is wrong.
  package init(arguments: [String]) throws(CommandError) {
    var reader = OptionReader(arguments: arguments)
    self = try reader.read()
  }
}

private struct OptionReader {
  let arguments: [String]
  var index = 0
  var options = Options()
  var commands: [String] = []
  var script: String?
  var words: [String] = []

  static let long = ProgramOption.all.filter { $0.name.hasPrefix("--") }
  static let valued = long.filter { $0.placeholder != nil }.map(\.name) + [LocalWords.option]
  static let flags = long.filter { $0.placeholder == nil }.map(\.name)
  /// Options of the configuration's numbers.
  static let numbers = [
    "--debounce-milliseconds", "--every-seconds", "--history-days", "--consumer-days",
    "--tombstone-days",
  ]

  init(arguments: [String]) {
    self.arguments = arguments
  }

  mutating func read() throws(CommandError) -> Options {
    while index < arguments.count {
      let word = arguments[index]
      index += 1
      if try !readOption(word) { words.append(word) }
    }
    if options.work == .session {
      if !commands.isEmpty {
        options.work = .commands(commands)
      } else if let script {
        options.work = .script(script)
      } else if !words.isEmpty {
        options.work = .command(words)
        return options
      }
    }
    if let stray = words.first {
      throw Self.usage("Could not use '\(stray)' together with -c or -f.", "Leave it away.")
    }
    return options
  }

  private mutating func readOption(_ word: String) throws(CommandError) -> Bool {
    switch word {
    case "-c": commands.append(try value(of: word, nil))
    case "-f": script = try value(of: word, nil)
    case "-q": options.isQuiet = true
    case "-h": options.work = .help
    case _ where word.hasPrefix("--") && word.count > 2: return try readLong(word)
    default: return false
    }
    return true
  }

  /// An option of the program; what is none, such as `--dry-run`, belongs to the command.
  private mutating func readLong(_ word: String) throws(CommandError) -> Bool {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let inline = parts.count > 1 ? String(parts[1]) : nil
    if Self.valued.contains(name) {
      try set(name, try value(of: name, inline))
      return true
    }
    guard Self.flags.contains(name), inline == nil else {
      if !words.isEmpty { return false }
      throw Self.usage(
        "Could not use the option '\(word)', there is no such option.",
        Suggestion.sentence(for: name, among: Self.long.map(\.name))
          + " Run strandline --help to see all.")
    }
    set(name)
    return true
  }

  private mutating func value(
    of name: String, _ inline: String?
  ) throws(CommandError) -> String {
    if let inline { return inline }
    guard index < arguments.count else {
      throw Self.usage("Could not use the option '\(name)', its value is missing.", "Add it.")
    }
    index += 1
    return arguments[index - 1]
  }

  private mutating func set(_ name: String, _ value: String) throws(CommandError) {
    switch name {
    case "--home": options.home = value
    case "--config": options.config = value
    case "--model": options.model = value
    case "--device": options.device = value
    case "--transport":
      if options.transport == nil {
        options.transport = value
      } else {
        options.moreTransports.append(value)
      }
    case "--zone": options.zone = value
    case "--environment":
      guard ["development", "production"].contains(value) else {
        throw Self.usage(
          "Could not use the environment '\(value)', there is no such environment.",
          "Use development or production.")
      }
      options.environment = value
    case "--token-file": options.tokenFile = value
    case "--ca-file": options.authorityFile = value
    case "--completions":
      guard let shell = CompletionScript(rawValue: value) else {
        throw Self.usage(
          "Could not write completions for '\(value)', only for bash, zsh and fish.",
          Suggestion.sentence(for: value, among: CompletionScript.allCases.map(\.rawValue)))
      }
      options.work = .completions(shell)
    case LocalWords.option:
      guard let words = LocalWords(rawValue: value) else {
        throw Self.usage(
          "Could not list '\(value)', there are no such words.", "Use entities or devices.")
      }
      options.work = .localWords(words)
    case "--automatic": options.automatic = try isOn(value)
    case _ where Self.numbers.contains(name): try setNumber(name, value)
    default:
      guard let choice = ColorChoice(rawValue: value) else {
        throw Self.usage(
          "Could not use the colour choice '\(value)'.", "Use auto, always or never.")
      }
      options.color = choice
    }
  }

  private func isOn(_ value: String) throws(CommandError) -> Bool {
    if value == "on" { return true }
    if value == "off" { return false }
    throw Self.usage("Could not use '\(value)' for --automatic.", "Use on or off.")
  }

  private mutating func setNumber(_ name: String, _ value: String) throws(CommandError) {
    if name == "--history-days", value == "all" {
      options.keepsAllHistory = true
      return
    }
    let least = name == "--every-seconds" ? 1 : 0
    guard let number = Int(value), number >= least, number <= 1_000_000_000 else {
      throw Self.usage(
        "Could not use '\(value)' for \(name), it is no whole number from \(least).",
        "For example: \(name) 30")
    }
    switch name {
    case "--debounce-milliseconds": options.debounceMilliseconds = number
    case "--every-seconds": options.everySeconds = number
    case "--history-days": options.historyDays = number
    case "--consumer-days": options.consumerDays = number
    default: options.tombstoneDays = number
    }
  }

  private mutating func set(_ flag: String) {
    switch flag {
    case "--local": options.isLocal = true
    case "--read-only": options.isReadOnly = true
    case "--in-memory": options.isInMemory = true
    case "--json": options.isJSON = true
    case "--yes": options.saysYes = true
    case "--no-rc": options.readsStartFile = false
    case "--keep-going": options.keepsGoing = true
    case "--echo": options.echoes = true
    case "--stay": options.stays = true
    case "--version": options.work = .version
    case "--man": options.work = .manual
    default: options.work = .help
    }
  }

  private static func usage(_ message: String, _ advice: String) -> CommandError {
    CommandError(
      "usage", message, advice: advice.trimmingPrefix(" ").description, exitCode: .usage)
  }
}
