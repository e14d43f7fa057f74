/// One command of a script or of pasted text, and the line where it begins.
package struct CommandBlock: Equatable, Sendable {
  /// The text; several lines if a quote or a backslash joins them.
  package let text: String
  /// The line where it begins, from 1.
  package let line: Int
}

/// Finds where commands end: at the end of a line, unless a quote is open or the line ends with a
/// backslash.
package enum CommandBlocks {
  /// No command is longer; a quote that was never closed is found after so many lines.
  private static let linesLimit = 500

  /// Whether a command needs a further line.
  package static func needsMore(_ text: String) -> Bool {
    endsWithJoin(text) || hasOpenQuote(text)
  }

  /// Cuts text of several lines into commands; blank lines and comments are left out.
  ///
  /// The last command may be incomplete, for its tokenizing to say what is missing.
  package static func split(_ text: String) -> [CommandBlock] {
    var blocks: [CommandBlock] = []
    var pending = ""
    var start = 1
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      if pending.isEmpty { start = index + 1 }
      pending += pending.isEmpty ? String(line) : "\n" + line
      let isLast = index + 1 == lines.count || index + 2 - start >= linesLimit
      if !isLast, needsMore(pending) { continue }
      if !isBlank(pending) { blocks.append(CommandBlock(text: pending, line: start)) }
      pending = ""
    }
    return blocks
  }

  private static func isBlank(_ text: String) -> Bool {
    do {
      return try Tokenizer.tokenize(text).isEmpty
    } catch {
      return false
    }
  }

  private static func hasOpenQuote(_ text: String) -> Bool {
    do {
      _ = try Tokenizer.tokenize(text)
      return false
    } catch {
      return true
    }
  }

  private static func endsWithJoin(_ text: String) -> Bool {
    text.reversed().prefix { $0 == "\\" }.count % 2 == 1
  }
}
