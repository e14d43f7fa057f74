import CEdit
import Foundation

extension EditorThread {
  /// Sends text to the terminal at once.
  func write(_ text: String) {
    fputs(text, screen)
    fflush(screen)
  }

  // MARK: - The line

  /// The line as it is now.
  private func picture() -> EditorPicture {
    let (scalars, cursor) = lineScalars()
    return picture(of: scalars, cursor: cursor)
  }

  private func picture(of scalars: [Unicode.Scalar], cursor: Int) -> EditorPicture {
    let size = TerminalModes.size(of: configuration.output)
    return EditorPicture(
      prompt: prompt, line: scalars, cursor: cursor, columns: size.columns, rows: size.rows)
  }

  /// Brings the screen up to date with the line, before a wait for a key.
  func showLine() {
    guard !isDumb else { return }
    let new = picture()
    let drawing = new.drawing(over: shown)
    shown = new
    write(drawing + (sink.takeBell() ? "\u{7}" : ""))
  }

  /// Shows the whole line for the last time and goes below it.
  func leaveLine(_ line: [Unicode.Scalar]? = nil, showing mark: String = "") {
    guard !isDumb else { return write(mark + "\n") }
    let scalars = line ?? lineScalars().scalars
    let last = picture(of: scalars, cursor: scalars.count)
    write(last.drawing(over: shown) + last.leaving + mark + "\n")
    shown = nil
    _ = sink.takeBell()
  }

  /// Prints lines above the line that is being edited, or just prints them.
  func printAbove(_ text: String) {
    guard !text.isEmpty else { return }
    let lines = Self.withNewline(text)
    if isLent {
      heldText += lines
    } else if isEditing, isDumb {
      fputs("\n" + lines, screen)
      strand_edit_refresh(edit)
    } else if isEditing {
      let new = shown.map { _ in picture() }
      // Text and line leave in one piece, so that nothing flickers.
      write((shown?.erasing ?? "") + lines + (new?.drawing(over: nil) ?? ""))
      shown = new
    } else {
      write(lines)
    }
  }

  /// Replaces the prompt and keeps the line; inside a block the further prompts stay.
  func showPrompt(_ text: String) {
    guard isEditing, !isInBlock else { return }
    setPrompt(text)
    if isDumb {
      write("\n")
      strand_edit_refresh(edit)
    } else if shown != nil {
      showLine()
    }
  }

  /// Draws the line for the new width.
  ///
  /// Most terminals have wrapped its rows anew by themselves, so that the cursor is believed to be
  /// where it would be if the line had been drawn with this width. Where a terminal that does not
  /// grows, one old row may stay above.
  func resize() {
    el_resize(edit)
    guard !isDumb, shown != nil else { return }
    let new = picture()
    write(new.erasing + new.drawing(over: nil))
    shown = new
  }

  /// Clears the screen and draws the line at its top.
  func clearScreen() {
    guard !isDumb else { return }
    let new = picture()
    write("\u{1B}[H\u{1B}[2J" + new.drawing(over: nil))
    shown = new
  }

  // MARK: - Ctrl-Z

  /// Puts the terminal back, stops the process as Ctrl-Z asks, and resumes where it was.
  func stop() {
    if isLent { return stopProcess() }
    // What was typed ahead is not for the shell.
    tcflush(configuration.input, TCIFLUSH)
    if let shown { write(shown.erasing) }
    shown = nil
    strand_edit_prepare_terminal(edit, 0)
    TerminalModes.restore()
    stopProcess()
    strand_edit_prepare_modes(edit)
    TerminalModes.markPastes()
    guard isEditing else { return }
    strand_edit_prepare_terminal(edit, 1)
    el_resize(edit)
    if isDumb { strand_edit_refresh(edit) } else { showLine() }
  }

  /// Stops here, and returns when the process is continued.
  private func stopProcess() {
    TerminalSignals.actByDefault(SIGTSTP)
    TerminalSignals.install(SIGTSTP)
  }
}
