extension EditorPicture {
  /// What turns the old picture on the screen into this one, the cursor included.
  ///
  /// Without an old picture, the cursor stands in the first column of an empty row. What did not
  /// change is left alone, so that typing at the end sends little more than what is typed.
  package func drawing(over old: EditorPicture?) -> String {
    guard let old else { return draw(fromRow: 0, cell: 0) + move(from: end, to: cursor) }
    guard old.prompt == prompt, old.columns == columns, old.hiddenRows == hiddenRows else {
      return old.erasing + drawing(over: nil)
    }
    let pairs = zip(rows, old.rows)
    // Rows end differently where one picture has more of them, so that one of the pairs differs.
    guard let row = Array(pairs).firstIndex(where: { $0 != $1 }) else {
      return move(from: old.cursor, to: cursor)
    }
    var cell = zip(rows[row].cells, old.rows[row].cells).prefix { $0 == $1 }.count
    // The place behind a full row cannot be gone to.
    if cell > 0, width(ofRow: row, cells: cell) >= columns { cell -= 1 }
    let start = (row: row, column: width(ofRow: row, cells: cell))
    let isAppended = row == old.lastRow && cell == old.rows[row].cells.count
    return move(from: old.cursor, to: start) + (isAppended ? "" : Self.clearBelow)
      + draw(fromRow: row, cell: cell) + move(from: end, to: cursor)
  }

  /// What takes the picture off the screen and goes to the first column of its first row.
  package var erasing: String {
    move(from: cursor, to: (0, 0)) + "\r" + Self.clearBelow
  }

  /// What goes behind the last character.
  package var leaving: String {
    move(from: cursor, to: end)
  }

  private static let clearBelow = "\u{1B}[J"

  private typealias Place = (row: Int, column: Int)

  private var cursor: Place { (cursorRow, cursorColumn) }
  private var end: Place { (lastRow, lastColumn) }

  private func width(ofRow row: Int, cells: Int) -> Int {
    rows[row].cells.prefix(cells).reduce(0) { $0 + $1.width }
  }

  private func draw(fromRow first: Int, cell: Int) -> String {
    var drawn = ""
    for row in first..<rows.count {
      for cell in rows[row].cells.dropFirst(row == first ? cell : 0) { drawn += cell.text }
      switch rows[row].end {
      case .last: break
      case .newline: drawn += "\r\n"
      case .wrap:
        // The next character goes to the next row by itself, and a terminal that knows that a
        // line was wrapped can wrap it anew. Where none follows, a space is sent in its place.
        if rows[row + 1].cells.isEmpty { drawn += " \r" }
      }
    }
    return drawn
  }

  private func move(from old: Place, to new: Place) -> String {
    var moves = ""
    if new.row < old.row { moves = "\u{1B}[\(old.row - new.row)A" }
    if new.row > old.row { moves = "\u{1B}[\(new.row - old.row)B" }
    if new.column != old.column { moves += "\u{1B}[\(new.column + 1)G" }
    return moves
  }
}
