import Foundation

/// Shows text that is taller than the terminal through the person's pager.
struct Pager {
  /// The commands whose answers are read at leisure; others are shown as they come.
  static let commands: Set<String> = [
    "conflicts", "consumers", "devices", "diff", "doctor", "events", "help", "history", "list",
    "orphans", "peers", "pending", "schema", "setaside", "show", "sql", "trace",
  ]

  /// What the shell runs, such as `less -FRX`.
  let command: String

  /// The person's choice; nil where an empty `PAGER` asks for none.
  init?(_ variables: [String: String]) {
    guard variables["PAGER"] != "" else { return nil }
    command = variables["PAGER"] ?? "less -FRX"
  }

  /// Whether text needs more rows than a terminal has beside the prompt.
  static func isTall(_ text: String, columns: Int, rows: Int) -> Bool {
    var used = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      used += max(1, (DisplayWidth.of(plain(line)) + columns - 1) / max(1, columns))
      if used > rows { return true }
    }
    return false
  }

  /// Runs the pager to its end.
  ///
  /// - Returns: Whether it was there and has shown the text.
  func show(_ text: String) async -> Bool {
    do {
      let status = try await ForegroundProcess.run(["/bin/sh", "-c", command], input: text)
      // The shell's words for a program that is not there or is none.
      return status != 127 && status != 126
    } catch {
      // Whoever has no pager reads the text without one.
      return false
    }
  }

  /// A line without the sequences that set text off.
  private static func plain(_ line: Substring) -> String {
    String(line).replacing(/\u{1B}\[[0-9;]*m/, with: "")
  }
}
