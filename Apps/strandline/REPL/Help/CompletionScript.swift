/// The shells that the program writes completions for.
package enum CompletionScript: String, CaseIterable, Sendable {
  case bash
  case zsh
  case fish

  /// The script, to be read by the shell.
  @MainActor func text(_ words: CompletionWords) -> String {
    switch self {
    case .bash: BashCompletion(words: words).text
    case .zsh: ZshCompletion(words: words).text
    case .fish: FishCompletion(words: words).text
    }
  }
}

/// What shells can complete, from the table of commands and that of options.
@MainActor struct CompletionWords {
  /// What can stand at a place, in terms that every shell has.
  enum Kind: Equatable {
    case file
    case folder
    /// Words that are known.
    case words([String])
    /// Words that the program is asked for, since they are local data.
    case local(LocalWords)
  }

  /// A command as shells complete it.
  struct Entry {
    let name: String
    let summary: String
    let options: [String]
    /// What its words can be, by their number; nil where nothing can be said.
    let places: [Kind?]
  }

  let options = ProgramOption.all
  let commands: [Entry]
  private let transports: [String]

  /// Takes the forms of addresses that the program's transports have.
  init(addressForms: [String]) {
    // `directory:PATH` begins with a word to complete; what follows is the person's.
    let transports = addressForms.flatMap(Self.beginnings)
    self.transports = transports
    let names = CommandTable.all.map(\.name)
    commands = CommandTable.all.map { command in
      Entry(
        name: command.name, summary: command.summary, options: Self.options(of: command),
        places: command.words.map { Self.kind($0, names, transports) })
    }
  }

  /// How addresses of a form such as `http[s]://HOST` begin.
  private static func beginnings(_ form: String) -> [String] {
    let scheme = String(form.prefix { $0 != ":" && $0 != "[" })
    guard form.contains("://") else {
      return [form.hasPrefix(scheme + ":") ? scheme + ":" : scheme]
    }
    return form.contains("[s]") ? [scheme + "://", scheme + "s://"] : [scheme + "://"]
  }

  /// What the value of an option can be.
  func kind(of option: ProgramOption) -> Kind? {
    guard option.placeholder != nil else { return nil }
    return switch option.value {
    case .file: .file
    case .folder: .folder
    case .device: .local(.devices)
    case .transport: .words(transports)
    case .choice(let words): .words(words)
    case .text: nil
    }
  }

  private static func kind(
    _ word: Command.Word, _ commands: [String], _ transports: [String]
  ) -> Kind? {
    switch word {
    case .entity: .local(.entities)
    case .device: .local(.devices)
    case .transport: .words(transports)
    case .file: .file
    case .command: .words(commands)
    case .choice(let words): .words(words)
    default: nil
    }
  }

  /// The options that the usage of a command names.
  private static func options(of command: Command) -> [String] {
    var seen: [String] = []
    for match in command.usage.matches(of: /--[a-z][a-z-]*/) {
      let name = String(match.output)
      if !seen.contains(name) { seen.append(name) }
    }
    return seen
  }
}
