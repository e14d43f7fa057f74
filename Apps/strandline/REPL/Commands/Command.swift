import StrandlineModels

/// One command of the REPL: what help, completion and dispatch know of it.
struct Command {
  /// Where help lists it.
  enum Group: String, CaseIterable {
    case records = "Records"
    case sync = "Sync"
    case looking = "Looking into it"
    case files = "Files"
    case session = "Session"
  }

  /// What a word at some position can be, for completion.
  enum Word {
    case entity
    case record
    case device
    case transport
    /// A transport after `add`, the number of a known peer after `remove`.
    case peer
    case file
    case command
    case choice([String])
    case fields
    /// What follows an entity in a list: keywords and columns.
    case clauses
    /// A many-to-many relationship of the record before it.
    case relationship
  }

  let name: String
  let usage: String
  let summary: String
  let example: String
  let group: Group
  var words: [Word] = []
  /// What help says besides, such as the JSON that the command answers.
  var notes = ""
  let run: @MainActor (Session, CommandInput) async throws -> Void

  /// The options that its usage names, such as `--dry-run`.
  var options: [String] {
    usage.matches(of: /--[a-z][a-z-]*/).map { String($0.output) }.reduce(into: []) { names, name in
      if !names.contains(name) { names.append(name) }
    }
  }

  /// What an option takes, where the usage lists it: `--first-sync union|local|cloud`.
  func choices(of option: String) -> [String] {
    usage.matches(of: /(--[a-z][a-z-]*) ([a-z]+(?:\|[a-z]+)+)/)
      .first { $0.output.1 == option }?.output.2.split(separator: "|").map(String.init) ?? []
  }
}

/// The words of one command after its name.
struct CommandInput {
  let tokenized: TokenizedCommand
  let command: Command

  /// The words that are no options.
  var arguments: [Token] {
    tokenized.tokens.dropFirst().filter { if case .option = $0.kind { false } else { true } }
  }

  /// The word of that number.
  func argument(_ index: Int, _ what: String) throws(CommandError) -> Token {
    let arguments = arguments
    guard index < arguments.count else {
      throw CommandError(
        "missingWord", "Could not run '\(command.name)', \(what) is missing.",
        advice: "Usage: \(command.usage)", at: tokenized.end, exitCode: .usage)
    }
    return arguments[index]
  }

  /// Refuses more words than a command takes.
  func requireAtMost(_ count: Int) throws(CommandError) {
    let arguments = arguments
    guard arguments.count > count else { return }
    throw CommandError(
      "strayWord",
      "Could not run '\(command.name)', '\(arguments[count].text)' is one word too many.",
      advice: "Usage: \(command.usage)", at: arguments[count])
  }

  /// Whether a flag was given.
  func has(flag name: String) -> Bool {
    tokenized.tokens.contains { if case .option(name, nil) = $0.kind { true } else { false } }
  }

  /// Refuses options that a command does not have.
  func allow(options names: [String]) throws(CommandError) {
    for token in tokenized.tokens.dropFirst() {
      guard case .option(let name, _) = token.kind, !names.contains(name) else { continue }
      throw CommandError(
        "unknownOption", "Could not run '\(command.name)', it has no option '--\(name)'.",
        advice: Self.advice(
          Suggestion.sentence(for: name, among: names), "Usage: \(command.usage)"),
        at: token)
    }
  }

  /// Sentences one after the other; the first may be empty.
  static func advice(_ hint: String, _ rest: String) -> String {
    hint.isEmpty ? rest : hint + " " + rest
  }

  /// The values of an option that takes one, written `--name value` or `--name=value`.
  func values(of name: String) throws(CommandError) -> [Token] {
    var found: [Token] = []
    for (index, token) in tokenized.tokens.enumerated() {
      guard case .option(name, let inline) = token.kind else { continue }
      if let inline {
        found.append(inline)
      } else if index + 1 < tokenized.tokens.count {
        found.append(tokenized.tokens[index + 1])
      } else {
        throw CommandError(
          "missingWord", "Could not run '\(command.name)', the value of --\(name) is missing.",
          advice: "Usage: \(command.usage)", at: token)
      }
    }
    return found
  }

  /// The words that are neither options nor the values of these options.
  func arguments(without valued: [String]) throws(CommandError) -> [Token] {
    var taken: Set<Int> = []
    for name in valued {
      for value in try values(of: name) { taken.insert(value.range.lowerBound) }
    }
    return arguments.filter { !taken.contains($0.range.lowerBound) }
  }
}
