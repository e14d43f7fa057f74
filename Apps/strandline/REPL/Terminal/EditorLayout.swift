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

  /// Puts one character.
  package mutating func put(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\n": nextRow()
    case "\t": repeat { advance(1) } while column % 8 != 0
    case _ where scalar.value < 0x20 || scalar.value == 0x7F: advance(2, inPieces: true)
    default:
      let width = DisplayWidth.ofScalar(scalar)
      if let width {
        advance(width)
      } else {
        advance(scalar.value > 0xFFFF ? 8 : 7, inPieces: true)
      }
    }
  }

  /// Puts text.
  package mutating func put(_ text: some Sequence<Unicode.Scalar>) {
    for scalar in text { put(scalar) }
  }

  private mutating func advance(_ width: Int, inPieces: Bool = false) {
    if inPieces {
      for _ in 0..<width { advance(1) }
      return
    }
    if column + width > columns { nextRow() }
    column += width
    if column >= columns { nextRow() }
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
