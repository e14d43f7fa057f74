import Foundation
import Synchronization

/// What has to be put back when the process ends, wherever it ends.
private let shared = Mutex<TerminalModes.Original?>(nil)

/// The terminal's settings as they were found, and the way back to them.
package enum TerminalModes {
  fileprivate struct Original: Sendable {
    let input: Int32
    let output: Int32
    let settings: termios
    let pasteMarks: Bool
  }

  private static let pasteMarksOn = "\u{1B}[?2004h"
  private static let pasteMarksOff = "\u{1B}[?2004l"

  /// Notes the settings, promises to restore them when the process exits, and asks the terminal
  /// to mark pasted text where it understands that.
  package static func begin(input: Int32, output: Int32, pasteMarks: Bool) throws(TerminalError) {
    var settings = termios()
    guard tcgetattr(input, &settings) == 0 else {
      throw .system("read the settings of the terminal", errno)
    }
    let found = Original(
      input: input, output: output, settings: settings, pasteMarks: pasteMarks)
    shared.withLock { $0 = found }
    // Registering it again after a restart of the editor does no harm.
    atexit { TerminalModes.restore() }
    markPastes()
  }

  /// Asks the terminal to enclose pasted text in marks.
  package static func markPastes() {
    shared.withLock { original in
      if let original, original.pasteMarks { send(pasteMarksOn, to: original.output) }
    }
  }

  /// Puts the settings back as they were found.
  package static func restore() {
    shared.withLock { original in
      guard let original else { return }
      if original.pasteMarks { send(pasteMarksOff, to: original.output) }
      var settings = original.settings
      tcsetattr(original.input, TCSADRAIN, &settings)
    }
  }

  /// Puts the settings back for the last time.
  package static func end() {
    restore()
    shared.withLock { $0 = nil }
  }

  /// The terminal's size in columns and rows, 80 by 24 where it does not say.
  package static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
    return (Int(size.ws_col), max(1, Int(size.ws_row)))
  }

  private static func send(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)
    _ = write(descriptor, &bytes, bytes.count)
  }
}
