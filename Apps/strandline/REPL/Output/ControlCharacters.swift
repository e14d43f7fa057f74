/// Makes visible what would otherwise act on the terminal.
///
/// Data may hold escape sequences that move the cursor, answer for the keyboard or turn text
/// around; a terminal never gets them raw.
package enum ControlCharacters {
  /// Text in which control characters are shown as symbols: a newline as `⏎`, ESC as `␛`, and
  /// those without a symbol by their number.
  package static func visible(_ text: String, keepsNewlines: Bool = false) -> String {
    guard text.unicodeScalars.contains(where: acts) else { return text }
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if keepsNewlines, scalar == "\n" {
        out.append(scalar)
      } else {
        out.append(contentsOf: symbol(for: scalar))
      }
    }
    return String(out)
  }

  private static func symbol(for scalar: Unicode.Scalar) -> String.UnicodeScalarView {
    switch scalar {
    case "\n": "⏎".unicodeScalars
    case "\t": "⇥".unicodeScalars
    case "\u{7F}": "␡".unicodeScalars
    case _ where scalar.value < 0x20: picture(of: scalar).unicodeScalars
    case _ where acts(scalar):
      "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars
    default: String(scalar).unicodeScalars
    }
  }

  /// The symbol of the block "Control Pictures", which stands 0x2400 after the character.
  private static func picture(of scalar: Unicode.Scalar) -> String {
    Unicode.Scalar(0x2400 + scalar.value).map { String($0) } ?? "␦"
  }

  /// Whether a character acts instead of being seen: controls, line separators, and those that
  /// turn the direction of the text around it.
  private static func acts(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x61C: true
    default: false
    }
  }
}
