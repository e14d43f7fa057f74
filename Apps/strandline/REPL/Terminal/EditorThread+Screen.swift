import CEdit
import Foundation

extension EditorThread {
  /// Sends text to the terminal at once.
  func write(_ text: String) {
    fputs(text, screen)
    fflush(screen)
  }

  /// Prints lines above the line that is being edited, or just prints them.
  func printAbove(_ text: String) {
    guard !text.isEmpty else { return }
    let lines = Self.withNewline(text)
    if isLent {
      heldText += lines
    } else if isEditing {
      redraw(after: lines)
    } else {
      write(lines)
    }
  }

  /// Replaces the prompt and keeps the line; inside a block the further prompts stay.
  func showPrompt(_ text: String) {
    guard isEditing, prompt.visible != PromptText(configuration.continuationPrompt).visible else {
      return
    }
    let new = PromptText(text, unicode: TextLocale.isUTF8)
    guard new != prompt else { return }
    let up = goToFirstRow()
    setPrompt(text)
    fputs(up, screen)
    refresh()
  }

  /// Draws the line for the new width.
  ///
  /// The terminal has wrapped the rows anew by itself, so that the cursor's row is computed for
  /// the width that holds now. Where a terminal grows, one old row may stay above.
  func resize() {
    let up = goToFirstRow()
    el_resize(edit)
    fputs(up, screen)
    refresh()
  }

  /// Goes below the line and leaves it on the screen as it was.
  func leaveLine(showing mark: String) {
    let (cursor, last) = rows()
    let down = isDumb || last == cursor ? "" : "\u{1B}[\(last - cursor)B"
    write(down + endOfLine() + mark + "\n")
  }

  /// Has libedit draw prompt and line from here on.
  private func refresh() {
    isSettledAtEnd = false
    strand_edit_refresh(edit)
  }

  /// Puts the terminal back, stops the process as Ctrl-Z asks, and resumes where it was.
  func stop() {
    if isLent { return stopProcess() }
    if isEditing { write(goToFirstRow()) }
    strand_edit_prepare_terminal(edit, 0)
    TerminalModes.restore()
    stopProcess()
    strand_edit_prepare_modes(edit)
    TerminalModes.markPastes()
    guard isEditing else { return }
    strand_edit_prepare_terminal(edit, 1)
    el_resize(edit)
    refresh()
  }

  /// Stops here, and returns when the process is continued.
  private func stopProcess() {
    TerminalSignals.restoreDefault(SIGTSTP)
    kill(getpid(), SIGTSTP)
    TerminalSignals.install(SIGTSTP)
  }

  private func redraw(after text: String) {
    if isDumb {
      fputs("\n" + text, screen)
    } else {
      fputs(goToFirstRow() + text, screen)
    }
    // The text and the line drawn anew leave in one piece, since both go through one buffer.
    refresh()
    fflush(screen)
  }

  /// What moves the cursor to the first column of the prompt and clears everything below.
  private func goToFirstRow() -> String {
    if isDumb { return "\n" }
    let row = rows().cursor
    return "\r" + (row > 0 ? "\u{1B}[\(row)A" : "") + "\u{1B}[J"
  }

  /// Sets right what libedit may have drawn in the wrong place, before a wait for a key.
  ///
  /// libedit goes a few columns to the right by writing again what stands there. When it comes
  /// from another row, it may start in the second half of a wide character; then everything that
  /// it writes lands one column too far to the left, and so does the cursor.
  func settleScreen() {
    let (scalars, cursor) = lineScalars()
    let places = layout(scalars, cursor)
    let wasAtEnd = isSettledAtEnd
    isSettledAtEnd = cursor == scalars.count && places.lastRow >= settledLastRow
    settledLastRow = places.lastRow
    let isNarrow = { (scalar: Unicode.Scalar) in scalar.value < 0x300 }
    if isDumb || prompt.visible.unicodeScalars.allSatisfy(isNarrow) && scalars.allSatisfy(isNarrow)
    {
      return
    }
    let isOneStep = places.lastRow == 0 || wasAtEnd && isSettledAtEnd
    let isTooTall = places.lastRow >= TerminalModes.size(of: configuration.output).rows
    write((isOneStep || isTooTall ? "" : drawing(scalars)) + Self.goToColumn(places.cursorColumn))
  }

  /// Draws prompt and line anew and goes back to the row of the cursor.
  private func drawing(_ scalars: [Unicode.Scalar]) -> String {
    let size = TerminalModes.size(of: configuration.output)
    var layout = EditorLayout(columns: size.columns)
    var drawn = goToFirstRow()
    var isEscape = false
    for scalar in prompt.marked.unicodeScalars {
      if scalar.value == UInt32(PromptText.escapeMark) {
        isEscape.toggle()
      } else {
        drawn += isEscape ? String(scalar) : layout.put(scalar)
      }
    }
    for scalar in scalars { drawn += layout.put(scalar) }
    let up = layout.row - rows().cursor
    return drawn + (up > 0 ? "\u{1B}[\(up)A" : "")
  }

  private static func goToColumn(_ column: Int) -> String {
    "\u{1B}[\(column + 1)G"
  }

  private func rows() -> (cursor: Int, last: Int) {
    let size = TerminalModes.size(of: configuration.output)
    let (scalars, cursor) = lineScalars()
    let layout = layout(scalars, cursor)
    // libedit shows no more than a screenful; what scrolled out cannot be gone up to.
    return (min(layout.cursorRow, size.rows - 1), min(layout.lastRow, size.rows - 1))
  }

  /// What moves the cursor behind the text of the last row.
  private func endOfLine() -> String {
    let (scalars, cursor) = lineScalars()
    return isDumb ? "" : Self.goToColumn(layout(scalars, cursor).lastColumn)
  }

  private func layout(_ scalars: [Unicode.Scalar], _ cursor: Int) -> EditorLayout.Places {
    let size = TerminalModes.size(of: configuration.output)
    return EditorLayout.places(
      prompt: prompt.visible, line: scalars, cursor: cursor, columns: size.columns)
  }
}
