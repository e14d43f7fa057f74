/// What a prompt and the line behind it look like on a screen, and where the cursor stands.
///
/// The editor draws the line itself, from one picture to the next; libedit only edits. Its own
/// drawing goes wrong with wide characters in lines of several rows: it moves right by writing
/// again what stands there, and when it starts in the second half of a character, everything
/// lands one column off. It also cannot say where its cursor is, which whoever prints above the
/// line has to know.
package struct EditorPicture: Equatable, Sendable {
  /// One character as it is drawn, with the marks that combine with it.
  package struct Cell: Equatable, Sendable {
    var text: String
    let width: Int
  }

  /// How a row ends.
  enum RowEnd: Equatable, Sendable {
    /// It is the last one.
    case last
    /// It is full, and the text goes on in the next.
    case wrap
    /// A newline stands there.
    case newline
  }

  /// One row.
  struct Row: Equatable, Sendable {
    var cells: [Cell] = []
    var width = 0
    var end = RowEnd.last
  }

  let columns: Int
  let prompt: PromptText
  private(set) var rows = [Row()]
  /// How many rows above the first are left out, since the screen is not as high as the line.
  private(set) var hiddenRows = 0
  /// The row of the cursor among those that are shown.
  package private(set) var cursorRow = 0
  /// The column of the cursor.
  package private(set) var cursorColumn = 0

  /// The row behind the last character.
  var lastRow: Int { rows.count - 1 }
  /// The column behind the last character.
  var lastColumn: Int { rows[lastRow].width }

  /// Lays a line out on a screen; of one that is higher, the part with the cursor is kept.
  package init(
    prompt: PromptText, line: [Unicode.Scalar], cursor: Int, columns: Int, rows height: Int
  ) {
    self.columns = max(2, columns)
    self.prompt = prompt
    var escape = ""
    for piece in prompt.pieces {
      if piece.isEscape {
        escape += piece.text
        continue
      }
      for scalar in piece.text.unicodeScalars {
        put(scalar, after: escape)
        escape = ""
      }
    }
    for (index, scalar) in line.enumerated() {
      makeRoom(for: scalar)
      if index == cursor { markCursor() }
      put(scalar)
    }
    if cursor >= line.count { markCursor() }
    keep(rows: max(1, height))
  }

  private mutating func markCursor() {
    (cursorRow, cursorColumn) = (lastRow, lastColumn)
  }

  private mutating func keep(rows height: Int) {
    guard rows.count > height else { return }
    hiddenRows = min(cursorRow, rows.count - height)
    rows = Array(rows[hiddenRows..<hiddenRows + height])
    rows[height - 1].end = .last
    cursorRow -= hiddenRows
  }

  // MARK: - Characters

  /// Goes to the next row if a wide character does not fit into this one.
  private mutating func makeRoom(for scalar: Unicode.Scalar) {
    guard (DisplayWidth.ofScalar(scalar) ?? 1) > 1, lastColumn == columns - 1 else { return }
    add(Cell(text: " ", width: 1))
  }

  private mutating func put(_ scalar: Unicode.Scalar, after escape: String = "") {
    switch scalar {
    case "\n": endRow()
    case "\t": repeat { add(Cell(text: " ", width: 1)) } while lastColumn % 8 != 0
    default:
      makeRoom(for: scalar)
      let shown = ControlCharacters.visible(String(scalar))
      if shown.unicodeScalars.first != scalar {
        for character in shown { add(Cell(text: escape + String(character), width: 1)) }
        return
      }
      let width = DisplayWidth.ofScalar(scalar) ?? 1
      width == 0 ? combine(scalar) : add(Cell(text: escape + shown, width: width))
    }
  }

  private mutating func add(_ cell: Cell) {
    rows[lastRow].cells.append(cell)
    rows[lastRow].width += cell.width
    guard lastColumn >= columns else { return }
    rows[lastRow].end = .wrap
    rows.append(Row())
  }

  /// Adds a mark to the character before it, which may stand at the end of the row above.
  private mutating func combine(_ scalar: Unicode.Scalar) {
    var row = lastRow
    if rows[row].cells.isEmpty, row > 0, rows[row - 1].end == .wrap { row -= 1 }
    guard let last = rows[row].cells.indices.last else { return }
    rows[row].cells[last].text.unicodeScalars.append(scalar)
  }

  /// Ends a row; one that is full has gone to the next already.
  private mutating func endRow() {
    if rows[lastRow].cells.isEmpty, lastRow > 0, rows[lastRow - 1].end == .wrap {
      rows[lastRow - 1].end = .newline
    } else {
      rows[lastRow].end = .newline
      rows.append(Row())
    }
  }
}
