/// A place in the text of a command, for errors to point at.
package struct SourcePosition: Hashable, Sendable {
  /// The line, from 1.
  package let line: Int
  /// The column in characters, from 1.
  package let column: Int

  /// Names a place.
  package init(line: Int = 1, column: Int) {
    self.line = line
    self.column = column
  }
}

/// One word of a command, with what it means by its form.
package struct Token: Hashable, Sendable {
  /// What a word is by its form.
  package indirect enum Kind: Hashable, Sendable {
    /// A plain word, number or symbol.
    case word
    /// Text in quotes from its first to its last character.
    case quoted
    /// `name=value`; the value has a form and a place of its own, and may be empty.
    case assignment(name: String, value: Token)
    /// `--name` or `--name=value`.
    case option(name: String, value: Token?)
    /// `#12` or `#0192ab`: a row of the last listing or a record; the text is without the `#`.
    case reference(String)
    /// `@path`: the contents of a file; the text is without the `@`.
    case file(String)
  }

  /// The word as it is meant: without its quotes, its escapes resolved.
  package let text: String
  /// The word as it was typed.
  package let raw: String
  /// What it is by its form.
  package let kind: Kind
  /// Where it begins.
  package let position: SourcePosition
  /// The characters of the source that it takes.
  package let range: Range<Int>

  /// Whether the word stands in quotes, so that it is text even if it looks like something else.
  package var isQuoted: Bool { kind == .quoted }

  /// The first character's column, from 1.
  package var column: Int { position.column }

  /// Whether this is that keyword, in upper or lower case and not in quotes.
  package func isKeyword(_ word: String) -> Bool {
    kind == .word && text.lowercased() == word
  }
}

/// The words of one command.
package struct TokenizedCommand: Sendable {
  /// The text as it was typed.
  package let source: String
  /// The words.
  package let tokens: [Token]

  /// Whether there is nothing in it but space or a comment.
  package var isEmpty: Bool { tokens.isEmpty }

  /// The text from a word to the end as it was typed, such as an SQL condition; empty if there is
  /// no such word.
  package func text(from index: Int) -> String {
    guard tokens.indices.contains(index) else { return "" }
    return text(tokens[index].range.lowerBound..<source.count)
  }

  /// The text from one word up to another that it leaves out, as it was typed.
  package func text(_ indices: Range<Int>) -> String {
    let characters = source.dropFirst(indices.lowerBound).prefix(indices.count)
    guard let last = characters.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(characters[...last])
  }

  /// The place after the last word, for an error that something is missing there.
  package var end: SourcePosition {
    guard let last = tokens.last else { return SourcePosition(column: 1) }
    let lines = last.raw.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 1, let tail = lines.last else {
      return SourcePosition(line: last.position.line, column: last.column + last.raw.count + 1)
    }
    return SourcePosition(line: last.position.line + lines.count - 1, column: tail.count + 2)
  }
}
