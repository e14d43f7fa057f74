/// Breaks sentences at spaces, since a terminal breaks them anywhere.
package enum Wrapping {
  /// The text with no line wider than so many columns, as far as its words allow; as it is where no
  /// width is known.
  package static func fold(_ text: String, columns: Int?) -> String {
    guard let columns, columns > 0 else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { fold(line: String($0), columns: columns) }.joined(separator: "\n")
  }

  private static func fold(line: String, columns: Int) -> String {
    guard DisplayWidth.of(line) > columns else { return line }
    // What stands at the beginning of a line stays with its first word, and with no other.
    var lines: [String] = []
    var current = String(line.prefix { $0 == " " })
    var isBegun = false
    for word in line.split(separator: " ") {
      let width = DisplayWidth.of(current) + (isBegun ? 1 : 0) + DisplayWidth.of(String(word))
      if isBegun, width > columns {
        lines.append(current)
        current = String(word)
      } else {
        current += (isBegun ? " " : "") + word
      }
      isBegun = true
    }
    return (lines + [current]).joined(separator: "\n")
  }
}
