/// The program's arguments, put apart into words and options.
///
/// Options may stand anywhere; what follows `--` is words.
package struct CommandArguments: Sendable {
  /// An option as a command takes it.
  package struct Option: Hashable, Sendable {
    /// The name with its dashes.
    package let name: String
    /// What its value is called; nil for an option that takes none.
    package let value: String?
    /// Whether it may be given more than once.
    package let repeats: Bool

    /// Describes an option.
    package init(_ name: String, _ value: String? = nil, repeats: Bool = false) {
      self.name = name
      self.value = value
      self.repeats = repeats
    }
  }

  /// The words, which begin with the command.
  package private(set) var words: [String] = []
  /// The values of the options that were given; flags have an empty one.
  package private(set) var options: [String: [String]] = [:]

  /// Puts arguments apart.
  ///
  /// - Parameters:
  ///   - arguments: The arguments without the program's name.
  ///   - known: All options of all commands.
  /// - Throws: `usage` naming the option that is wrong.
  package init(_ arguments: [String], known: Set<Option>) throws(CommandFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        return
      }
      guard argument.hasPrefix("-"), argument.count > 1, !Self.isNumber(argument) else {
        words.append(argument)
        continue
      }
      try readOption(argument, &rest, known)
    }
  }

  private static func isNumber(_ text: String) -> Bool { Double(text) != nil }

  private mutating func readOption(
    _ argument: String, _ rest: inout ArraySlice<String>, _ known: Set<Option>
  ) throws(CommandFailure) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    var name = String(parts[0])
    if name == "-h" { name = "--help" }
    guard let option = known.first(where: { $0.name == name }) else {
      let hint = Suggestion.sentence(for: name, among: known.map(\.name).sorted())
      throw .usage(
        "Could not use the option '\(name)', there is no such option.",
        hint.isEmpty ? "Run 'strandline-server help' to see all." : hint)
    }
    let value: String
    if option.value == nil {
      guard parts.count == 1 else {
        throw .usage("Could not use '\(argument)', \(name) takes no value.", "Leave it away.")
      }
      value = ""
    } else if parts.count > 1 {
      value = String(parts[1])
    } else if let next = rest.popFirst() {
      value = next
    } else {
      throw .usage(
        "Could not use the option '\(name)', its value is missing.",
        "Write \(name) \(option.value ?? "").")
    }
    if options[name] != nil, !option.repeats {
      throw .usage("Could not use the option '\(name)', it is given twice.", "Give it once.")
    }
    options[name, default: []].append(value)
  }

  /// The value of an option, if it was given.
  package subscript(name: String) -> String? { options[name]?.first }

  /// Whether a flag was given.
  package func has(_ name: String) -> Bool { options[name] != nil }
}
