import CEdit

/// How many columns of a terminal text takes.
///
/// The C library's table knows single characters; what a terminal draws as one cell pair although
/// it is made of several (flags, families, skin tones, emoji presentation) is counted by character
/// as Unicode defines it.
package enum DisplayWidth {
  /// The columns of one scalar: 0 for combining marks, 2 for wide ones, nil for control characters
  /// and what is not assigned.
  package static func ofScalar(_ scalar: Unicode.Scalar) -> Int? {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F ? nil : 1 }
    guard TextLocale.isUTF8 else { return 1 }
    let width = strand_column_count(scalar.value)
    return width < 0 ? nil : Int(width)
  }

  /// The columns of text, without regard to control characters.
  package static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
    return text.reduce(0) { $0 + ofCharacter($1) }
  }

  /// The columns of one character, however many scalars it is made of.
  package static func ofCharacter(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    let width = ofScalar(first) ?? 0
    guard scalars.count > 1 else { return width }
    if isRegionalIndicator(first) { return 2 }
    if scalars.contains("\u{FE0F}"), first.properties.isEmoji, !first.isASCII { return 2 }
    return scalars.reduce(width) { max($0, ofScalar($1) ?? 0) }
  }

  /// Text followed by spaces up to so many columns, or preceded by them.
  package static func pad(_ text: String, to columns: Int, onLeft: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, columns - of(text)))
    return onLeft ? spaces + text : text + spaces
  }

  /// Text cut to so many columns, its last visible one being `…` if something is missing.
  package static func cut(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var out = ""
    var used = 0
    for character in text {
      let width = ofCharacter(character)
      if used + width > columns - 1 { break }
      out.append(character)
      used += width
    }
    return out + "…"
  }

  private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value)
  }
}
