/// Cuts a command into words.
///
/// Words are separated by white space; a backslash at the end of a line joins the next one to it.
/// A quote opens where a letter or digit does not stand before it, so that `don't` is a word. In
/// double quotes `\"`, `\\`, `\n` and `\t` are escapes, as are doubled double quotes; in single
/// quotes only a doubled quote is, as in SQL. A line that begins with `--` and a space, or with `#`
/// and neither letter nor digit, is a comment.
package struct Tokenizer {
  private let characters: [Character]
  private var index = 0
  private var line = 1
  private var column = 1

  /// Cuts a command; the only thing that can be wrong with one is a quote without an end.
  package static func tokenize(_ source: String) throws(CommandError) -> TokenizedCommand {
    var tokenizer = Tokenizer(source)
    return TokenizedCommand(source: source, tokens: try tokenizer.tokens())
  }

  /// Takes the arguments of a program, which the shell has cut and unquoted already; each is one
  /// word, whatever is in it.
  package static func words(_ arguments: [String]) -> TokenizedCommand {
    var tokens: [Token] = []
    var column = 0
    for argument in arguments {
      let tokenizer = Tokenizer(argument)
      tokens.append(tokenizer.wholeArgument(after: column))
      column += argument.count + 1
    }
    return TokenizedCommand(source: arguments.joined(separator: " "), tokens: tokens)
  }

  private init(_ source: String) {
    // A carriage return before a newline is part of that newline for Swift already.
    characters = Array(source)
  }

  private mutating func tokens() throws(CommandError) -> [Token] {
    var tokens: [Token] = []
    skipSpace()
    while index < characters.count {
      tokens.append(try token())
      skipSpace()
    }
    return tokens
  }

  // MARK: - Words

  private mutating func token() throws(CommandError) -> Token {
    let place = here
    var text = ""
    var valueStart: (place: Place, textLength: Int)?
    var quote: Range<Int>?
    while index < characters.count, !characters[index].isWhitespace, !isJoin {
      if opensQuote {
        let start = index
        text += try quoted()
        quote = start..<index
        continue
      }
      let character = advance()
      text.append(character)
      if character == "=", valueStart == nil, quote == nil, Self.isName(text.dropLast()) {
        valueStart = (here, text.count)
      }
    }
    let word = make(text, from: place, isQuoted: quote == place.index..<index)
    guard let valueStart else { return word }
    let value = make(
      String(text.dropFirst(valueStart.textLength)), from: valueStart.place,
      isQuoted: quote == valueStart.place.index..<index)
    return make(word, name: String(text.prefix(valueStart.textLength - 1)), value: value)
  }

  private func make(_ text: String, from place: Place, isQuoted: Bool) -> Token {
    let range = place.index..<index
    return Token(
      text: text, raw: String(characters[range]),
      kind: isQuoted ? .quoted : Self.kind(of: text), position: place.position, range: range)
  }

  private func wholeArgument(after column: Int) -> Token {
    let text = String(characters)
    func part(_ text: String, from start: Int) -> Token {
      let first = column + start
      return Token(
        text: text, raw: text, kind: Self.kind(of: text),
        position: SourcePosition(column: first + 1), range: first..<first + text.count)
    }
    let word = part(text, from: 0)
    guard let equals = characters.firstIndex(of: "="), Self.isName(String(characters[..<equals]))
    else { return word }
    let value = part(String(characters[(equals + 1)...]), from: equals + 1)
    return make(word, name: String(characters[..<equals]), value: value)
  }

  private func make(_ word: Token, name: String, value: Token) -> Token {
    let kind: Token.Kind =
      name.hasPrefix("--")
      ? .option(name: String(name.dropFirst(2)), value: value)
      : .assignment(name: name, value: value)
    return Token(
      text: word.text, raw: word.raw, kind: kind, position: word.position, range: word.range)
  }

  private static func kind(of text: String) -> Token.Kind {
    if text.hasPrefix("#"), text.count > 1 { return .reference(String(text.dropFirst())) }
    if text.hasPrefix("@"), text.count > 1 { return .file(String(text.dropFirst())) }
    if text.hasPrefix("--"), isName(text) {
      return .option(name: String(text.dropFirst(2)), value: nil)
    }
    return .word
  }

  /// Whether text can stand before the `=` of an assignment or option.
  private static func isName(_ text: some StringProtocol) -> Bool {
    let name = text.hasPrefix("--") ? Substring(text.dropFirst(2)) : Substring(text)
    guard let first = name.first, first.isLetter || first == "_" else { return false }
    return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == "." }
  }

  // MARK: - Quotes

  private func isQuote(_ character: Character) -> Bool {
    character == "\"" || character == "'"
  }

  private var opensQuote: Bool {
    guard isQuote(characters[index]) else { return false }
    guard index > 0 else { return true }
    let before = characters[index - 1]
    return !before.isLetter && !before.isNumber
  }

  private mutating func quoted() throws(CommandError) -> String {
    let place = here
    let quote = advance()
    var text = ""
    while index < characters.count {
      let character = advance()
      if character == quote {
        guard index < characters.count, characters[index] == quote else { return text }
        text.append(advance())
      } else if character == "\\", quote == "\"", index < characters.count {
        text += escape()
      } else {
        text.append(character)
      }
    }
    throw CommandError.unterminatedQuote(quote, at: place.position)
  }

  private mutating func escape() -> String {
    switch characters[index] {
    case "\"", "\\": return String(advance())
    case "n":
      advance()
      return "\n"
    case "t":
      advance()
      return "\t"
    // What is no escape stays as it is, such as the backslashes of a path.
    default: return "\\"
    }
  }

  // MARK: - Places

  private struct Place {
    let index: Int
    let position: SourcePosition
  }

  private var here: Place {
    Place(index: index, position: SourcePosition(line: line, column: column))
  }

  @discardableResult
  private mutating func advance() -> Character {
    let character = characters[index]
    index += 1
    column += 1
    if character.isNewline {
      line += 1
      column = 1
    }
    return character
  }

  /// Whether a backslash at the end of a line stands here.
  private var isJoin: Bool {
    guard characters[index] == "\\" else { return false }
    return index + 1 == characters.count || characters[index + 1].isNewline
  }

  private mutating func skipSpace() {
    while index < characters.count {
      if characters[index].isWhitespace || isJoin {
        advance()
      } else if isComment, isFirstOfLine {
        while index < characters.count, !characters[index].isNewline { advance() }
      } else {
        return
      }
    }
  }

  private var isFirstOfLine: Bool {
    characters[..<index].reversed().prefix { !$0.isNewline }.allSatisfy(\.isWhitespace)
  }

  private var isComment: Bool {
    let next = index + 1 < characters.count ? characters[index + 1] : " "
    if characters[index] == "#" { return !next.isLetter && !next.isNumber }
    guard characters[index] == "-", next == "-" else { return false }
    return index + 2 >= characters.count || characters[index + 2].isWhitespace
  }
}
