import CEdit
import Foundation

extension EditorThread {
  private static let pasteLimit = 256 * 1024
  private static let pasteEnd: [Unicode.Scalar] = Array("\u{1B}[201~".unicodeScalars)

  /// Binds what libedit leaves unbound, then reads the person's own `~/.editrc`.
  func bindKeys() {
    strand_edit_set_editor(edit, "emacs")
    strand_edit_add_function(edit, "strandline-complete", "Complete the word") { edit, _ in
      EditorThread.of(edit)?.complete() ?? UInt8(CC_ERROR)
    }
    strand_edit_add_function(edit, "strandline-paste", "Insert pasted text") { edit, _ in
      EditorThread.of(edit)?.insertPaste() ?? UInt8(CC_ERROR)
    }
    strand_edit_add_function(edit, "strandline-clear", "Clear the screen") { edit, _ in
      EditorThread.of(edit)?.clearScreen()
      return UInt8(CC_REFRESH)
    }
    let bindings = [
      ("^R", "em-inc-search-prev"), ("^S", "em-inc-search-next"), ("^W", "ed-delete-prev-word"),
      ("\\e[1~", "ed-move-to-beg"), ("\\e[H", "ed-move-to-beg"), ("\\eOH", "ed-move-to-beg"),
      ("\\e[4~", "ed-move-to-end"), ("\\e[F", "ed-move-to-end"), ("\\eOF", "ed-move-to-end"),
      ("\\e[3~", "ed-delete-next-char"), ("\\e[5~", "ed-ignore"), ("\\e[6~", "ed-ignore"),
      ("\\e[2~", "ed-ignore"), ("\\e[1;5C", "em-next-word"), ("\\e[1;5D", "ed-prev-word"),
      ("\\e[1;3C", "em-next-word"), ("\\e[1;3D", "ed-prev-word"), ("\\e[5C", "em-next-word"),
      ("\\e[5D", "ed-prev-word"), ("\\ef", "em-next-word"), ("\\eb", "ed-prev-word"),
      ("\\ed", "em-delete-next-word"), ("\\e\\177", "ed-delete-prev-word"),
    ]
    for (keys, command) in bindings { strand_edit_bind(edit, keys, command) }
    strand_edit_bind(edit, "^I", "strandline-complete")
    if !isDumb { strand_edit_bind(edit, "^L", "strandline-clear") }
    el_source(edit, nil)
    // `bind -v` in that file sets up vi's maps from the beginning.
    isVi = strand_edit_is_vi(edit) != 0
    if isVi {
      strand_edit_bind(edit, "^I", "strandline-complete")
      strand_edit_bind(edit, "^L", "strandline-clear")
      strand_edit_bind_alternative(edit, "^L", "strandline-clear")
      strand_edit_bind(edit, "^_", "strandline-paste")
      strand_edit_bind_alternative(edit, "^_", "strandline-paste")
    } else {
      strand_edit_bind(edit, "\\e[200~", "strandline-paste")
    }
  }

  // MARK: - Paste

  /// Inserts what the terminal marks as pasted, up to the closing mark; nothing in it is a
  /// command, and a newline stays a newline of the block, so that nothing runs until Enter.
  fileprivate func insertPaste() -> UInt8 {
    var text: [Unicode.Scalar] = []
    var isCut = false
    while let scalar = nextScalar() {
      text.append(scalar)
      if scalar == "~", text.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) {
        text.removeLast(Self.pasteEnd.count)
        break
      }
      // The closing mark has to be found even where the text no longer is kept.
      if text.count > Self.pasteLimit + Self.pasteEnd.count {
        text.remove(at: Self.pasteLimit)
        isCut = true
      }
    }
    if ending != nil { return UInt8(CC_NORM) }
    // Printed before the line changes, since what is on the screen is measured from the line.
    if isCut {
      printAbove("The pasted text was cut, it is longer than \(Self.pasteLimit) characters.")
    }
    let isInserted = el_insertstr(edit, Self.cleaned(text)) == 0
    return UInt8(isInserted ? CC_REFRESH : CC_ERROR)
  }

  /// Pasted text with newlines as `\n`, without those at its end, and without control characters.
  private static func cleaned(_ text: [Unicode.Scalar]) -> String {
    var out = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in text {
      switch scalar {
      case "\r": out.append("\n")
      case "\n": if previous != "\r" { out.append("\n") }
      case "\t": out.append(scalar)
      default: if scalar.properties.generalCategory != .control { out.append(scalar) }
      }
      previous = scalar
    }
    while out.last == "\n" { out.removeLast() }
    return String(out)
  }

  // MARK: - Completion

  /// Completes the word as far as it is clear; where nothing is, a second press lists.
  fileprivate func complete() -> UInt8 {
    let (scalars, cursor) = lineScalars()
    guard current?.completes == true else {
      return UInt8(CC_ERROR)
    }
    let before = String(String.UnicodeScalarView(scalars[..<cursor]))
    let line = String(String.UnicodeScalarView(scalars))
    let completion = configuration.complete(line, before.count)
    let range = completion.range.clamped(to: 0..<before.count)
    guard let first = completion.candidates.first else { return UInt8(CC_ERROR) }
    let isOnly = completion.candidates.count == 1
    let replacement = isOnly ? first.text + first.suffix : completion.commonPrefix
    let typed = String(before.dropFirst(range.lowerBound))
    if isOnly || replacement.count > typed.count {
      listedLine = nil
      el_deletestr(edit, Int32(clamping: typed.unicodeScalars.count))
      el_insertstr(edit, replacement)
      return UInt8(isOnly ? CC_REFRESH : CC_REFRESH_BEEP)
    }
    guard listedLine == before else {
      listedLine = before
      return UInt8(CC_ERROR)
    }
    let size = TerminalModes.size(of: configuration.output)
    printAbove(
      CompletionList.text(completion.candidates, columns: size.columns, rows: size.rows))
    return UInt8(CC_NORM)
  }
}
