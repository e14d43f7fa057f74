/// A prompt in the form that libedit takes, and in the form that the screen shows.
package struct PromptText: Equatable, Sendable {
  /// The character that encloses what takes no room.
  package static let escapeMark: UInt8 = 1

  /// The text with its colour sequences enclosed in marks.
  package let marked: String
  /// The text without them.
  package let visible: String
  /// The text and the sequences in their order.
  let pieces: [Piece]

  /// Takes a prompt with ANSI colour sequences in it.
  ///
  /// libedit attaches a colour sequence to the character after it and drops one that ends the
  /// prompt, so that the last space is moved behind it. Control characters become visible.
  package init(_ text: String, unicode: Bool = true) {
    var pieces = Self.pieces(of: text, unicode: unicode)
    if pieces.last?.isEscape == true {
      var trailing: [Piece] = []
      while let last = pieces.last, last.isEscape { trailing.insert(pieces.removeLast(), at: 0) }
      var before = pieces.popLast()?.text ?? ""
      if before.hasSuffix(" ") { before.removeLast() }
      if !before.isEmpty { pieces.append(Piece(text: before, isEscape: false)) }
      pieces += trailing + [Piece(text: " ", isEscape: false)]
    }
    self.pieces = pieces
    let mark = String(Unicode.Scalar(Self.escapeMark))
    marked = pieces.map { $0.isEscape ? mark + $0.text + mark : $0.text }.joined()
    visible = pieces.filter { !$0.isEscape }.map(\.text).joined()
  }

  /// A part of a prompt that is either text or a colour sequence.
  struct Piece: Equatable, Sendable {
    var text: String
    var isEscape: Bool
  }

  private static func pieces(of text: String, unicode: Bool) -> [Piece] {
    var pieces: [Piece] = []
    var rest = text.unicodeScalars[...]
    while let first = rest.first {
      if let length = escapeLength(rest) {
        pieces.append(Piece(text: String(rest.prefix(length)), isEscape: true))
        rest = rest.dropFirst(length)
        continue
      }
      rest.removeFirst()
      var shown = ControlCharacters.visible(String(first))
      if !unicode, !first.isASCII { shown = "?" }
      if pieces.last?.isEscape == false {
        pieces[pieces.count - 1].text += shown
      } else {
        pieces.append(Piece(text: shown, isEscape: false))
      }
    }
    return pieces
  }

  /// How long a colour sequence (`ESC [ … m`) is that stands at the beginning.
  private static func escapeLength(_ text: Substring.UnicodeScalarView) -> Int? {
    guard text.first == "\u{1B}", text.dropFirst().first == "[" else { return nil }
    let parameters = text.dropFirst(2).prefix { ("0"..."9").contains($0) || $0 == ";" }
    guard text.dropFirst(2 + parameters.count).first == "m" else { return nil }
    return 3 + parameters.count
  }
}
