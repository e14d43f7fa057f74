/// Where libedit puts text on the screen, computed again outside of it.
///
/// libedit does not tell the row of its cursor. Whoever prints above the line has to know it, so
/// this follows libedit's own rules: a wide character that does not fit the row moves to the next
/// one, a full row ends at once, a tab goes to the next multiple of eight, and control characters
/// are shown as `^X`.
package struct EditorLayout: Equatable, Sendable {
  /// The row, from 0 at the prompt's first.
  package private(set) var row = 0
  /// The column, from 0.
  package private(set) var column = 0
  private let columns: Int

  /// Starts at the first column of a screen so many columns wide.
  package init(columns: Int) {
    self.columns = max(1, columns)
  }

  /// Puts one character and returns what draws it at this place.
  @discardableResult
  package mutating func put(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n":
      nextRow()
      return "\r\n"
    case "\t":
      let spaces = min(8 - column % 8, columns - column)
      return putCells(String(repeating: " ", count: spaces))
    case _ where scalar.value < 0x20:
      return putCells("^" + String(Unicode.Scalar(UInt8(scalar.value + 64))))
    default: break
    }
    if scalar == "\u{7F}" { return putCells("^?") }
    guard let width = DisplayWidth.ofScalar(scalar) else {
      let digits = String(scalar.value, radix: 16, uppercase: true)
      let count = scalar.value > 0xFFFF ? 5 : 4
      return putCells(
        "\\U+" + String(repeating: "0", count: max(0, count - digits.count)) + digits)
    }
    let padding = column + width > columns ? String(repeating: " ", count: columns - column) : ""
    return putCells(padding) + String(scalar) + advance(width)
  }

  /// Puts text.
  package mutating func put(_ text: some Sequence<Unicode.Scalar>) {
    for scalar in text { put(scalar) }
  }

  private mutating func putCells(_ text: String) -> String {
    var drawn = ""
    for character in text { drawn += String(character) + advance(1) }
    return drawn
  }

  /// Moves to the right; behind a row that is full, a terminal stays until the next character
  /// comes, and is sent on.
  private mutating func advance(_ width: Int) -> String {
    column += width
    guard column >= columns else { return "" }
    nextRow()
    return " \r"
  }

  private mutating func nextRow() {
    row += 1
    column = 0
  }

  /// Where the cursor stands and where the line ends.
  package struct Places: Equatable, Sendable {
    /// The row of the cursor.
    package var cursorRow = 0
    /// The column of the cursor.
    package var cursorColumn = 0
    /// The last row.
    package var lastRow = 0
    /// The column behind the last character.
    package var lastColumn = 0
  }

  /// The places of a line behind its prompt, with the cursor in it.
  package static func places(
    prompt: String, line: [Unicode.Scalar], cursor: Int, columns: Int
  ) -> Places {
    var places = Places()
    var layout = EditorLayout(columns: columns)
    layout.put(prompt.unicodeScalars)
    let position = min(max(0, cursor), line.count)
    layout.put(line[..<position])
    (places.cursorRow, places.cursorColumn) = (layout.row, layout.column)
    if position < line.count, let width = DisplayWidth.ofScalar(line[position]), width > 1,
      layout.column + width > layout.columns
    {
      (places.cursorRow, places.cursorColumn) = (layout.row + 1, 0)
    }
    layout.put(line[position...])
    (places.lastRow, places.lastColumn) = (layout.row, layout.column)
    return places
  }
}
