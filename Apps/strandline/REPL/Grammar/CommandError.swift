package import StrandlineModels

/// How the program ends, for scripts to tell failures apart.
package struct ExitCode: Hashable, Sendable {
  /// The number that the system gets.
  package let number: Int32

  /// Everything was done.
  package static let done = ExitCode(number: 0)
  /// A command failed.
  package static let failed = ExitCode(number: 1)
  /// A command or option was wrong in itself.
  package static let usage = ExitCode(number: 2)
  /// The store cannot be used.
  package static let store = ExitCode(number: 3)
  /// The transport or the authorization failed.
  package static let transport = ExitCode(number: 4)
  /// The store was not caught up in time.
  package static let notCaughtUp = ExitCode(number: 5)
  /// The person interrupted it.
  package static let interrupted = ExitCode(number: 130)
}

/// Why a command could not be carried out, where in its text, and what to do.
package struct CommandError: ExplainedError {
  /// A stable name for programs.
  package let codeName: String
  /// What could not be done, and why.
  package let message: String
  /// What to do.
  package let advice: String
  /// The word that is to blame, if one is.
  package let position: SourcePosition?
  /// How many characters that word takes.
  package let length: Int
  /// How a script ends because of it.
  package let exitCode: ExitCode
  /// The error underneath.
  package let cause: (any Error)?

  /// Makes an error.
  package init(
    _ codeName: String, _ message: String, advice: String = "",
    at position: SourcePosition? = nil, length: Int = 1, exitCode: ExitCode = .failed,
    cause: (any Error)? = nil
  ) {
    self.codeName = codeName
    self.message = message
    self.advice = advice
    self.position = position
    self.length = max(1, length)
    self.exitCode = exitCode
    self.cause = cause
  }

  /// Makes an error that points at a word.
  package init(
    _ codeName: String, _ message: String, advice: String = "", at token: Token,
    exitCode: ExitCode = .usage, cause: (any Error)? = nil
  ) {
    self.init(
      codeName, message, advice: advice, at: token.position, length: token.raw.count,
      exitCode: exitCode, cause: cause)
  }

  /// Takes over what another error says.
  package init(
    _ error: any ExplainedError, at position: SourcePosition? = nil,
    exitCode: ExitCode = .failed
  ) {
    self.init(
      error.codeName, error.message, advice: error.advice, at: position, exitCode: exitCode,
      cause: error)
  }

  /// A quote that nothing closes.
  package static func unterminatedQuote(
    _ quote: Character, at position: SourcePosition
  ) -> CommandError {
    CommandError(
      "unterminatedQuote", "Could not read the command, the quote that opens here never closes.",
      advice: "Close it with \(quote), or put a word that holds one into the other kind of quotes.",
      at: position, exitCode: .usage)
  }
}

extension CommandError {
  /// The error for a person: the line it is about, a mark under the word, and the sentences.
  ///
  /// In a script `file` and the line where the command begins come first.
  package func text(
    source: String, style: Style = .plain, file: String? = nil, firstLine: Int = 1,
    columns: Int? = nil
  ) -> String {
    var lines: [String] = []
    if let position {
      lines = Self.excerpt(of: source, at: position, length: length, style: style)
    }
    let place = file.map { "\($0):\(firstLine + (position?.line ?? 1) - 1): " } ?? ""
    let sentences = place + ControlCharacters.visible(description)
    lines.append(style.error(Wrapping.fold(sentences, columns: columns)))
    return lines.joined(separator: "\n")
  }

  /// The error for a program.
  package func json(file: String? = nil, firstLine: Int = 1) -> JSONValue {
    var place = JSONValue.null
    if position != nil || file != nil {
      let line = (position?.line ?? 1) + firstLine - 1
      place = .object(
        [.init("line", .integer(Int64(line)))]
          + [position.map { JSONValue.Member("column", .integer(Int64($0.column))) }].compactMap(
            \.self)
          + [file.map { JSONValue.Member("file", .string($0)) }].compactMap(\.self))
    }
    let recovery: JSONValue = advice.isEmpty ? .null : .string(advice)
    return .object([
      "error": .object([
        "code": .string(codeName), "message": .string(message), "recovery": recovery,
        "at": place,
      ])
    ])
  }

  private static func excerpt(
    of source: String, at position: SourcePosition, length: Int, style: Style
  ) -> [String] {
    let lines = source.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard lines.indices.contains(position.line - 1) else { return [] }
    let line = lines[position.line - 1]
    let before = ControlCharacters.visible(String(line.prefix(position.column - 1)))
    let word = ControlCharacters.visible(
      String(line.dropFirst(position.column - 1).prefix(length)))
    let missing = max(0, position.column - 1 - line.count)
    let indent = 2 + DisplayWidth.of(before) + missing
    let tail = String(repeating: "~", count: max(0, DisplayWidth.of(word) - 1))
    return [
      "  " + ControlCharacters.visible(String(line)),
      String(repeating: " ", count: indent) + style.error("^" + tail),
    ]
  }
}
