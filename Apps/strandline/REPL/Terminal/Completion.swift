/// What can stand at the cursor, and what of the line it would replace.
package struct Completion: Equatable, Sendable {
  /// One thing that can stand there.
  package struct Candidate: Equatable, Sendable {
    /// The text that is put into the line.
    package let text: String
    /// What follows it when it is the only candidate, such as a space or `=`.
    package let suffix: String
    /// What the list says about it, such as the name of the record behind an id.
    package let note: String

    /// Makes a candidate.
    package init(_ text: String, suffix: String = " ", note: String = "") {
      self.text = text
      self.suffix = suffix
      self.note = note
    }
  }

  /// What can stand there, in the order in which it is listed.
  package let candidates: [Candidate]
  /// The part of the line that is replaced, in characters; it ends at the cursor or before it.
  package let range: Range<Int>

  /// Makes a completion.
  package init(candidates: [Candidate], range: Range<Int>) {
    self.candidates = candidates
    self.range = range
  }

  /// Nothing can stand there.
  package static let none = Completion(candidates: [], range: 0..<0)

  /// The longest text that all candidates begin with.
  package var commonPrefix: String {
    guard var prefix = candidates.first?.text else { return "" }
    for candidate in candidates.dropFirst() {
      prefix = prefix.commonPrefix(with: candidate.text)
    }
    return prefix
  }
}

extension String {
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}

/// The list that a second press of the completion key shows.
package enum CompletionList {
  /// Lays candidates out in columns, or one a row where they have notes; a list longer than the
  /// rows is cut and says how much is missing.
  package static func text(
    _ candidates: [Completion.Candidate], columns: Int, rows: Int
  ) -> String {
    let names = candidates.map { ControlCharacters.visible($0.text) }
    let widest = names.map(DisplayWidth.of).max() ?? 0
    let lines: [String]
    if candidates.contains(where: { !$0.note.isEmpty }) {
      lines = zip(names, candidates).map { name, candidate in
        let note = ControlCharacters.visible(candidate.note)
        return DisplayWidth.cut(DisplayWidth.pad(name, to: widest) + "  " + note, to: columns - 1)
      }
    } else {
      let perLine = max(1, columns / (widest + 2))
      let height = (names.count + perLine - 1) / perLine
      lines = (0..<height).map { line in
        let cells = stride(from: line, to: names.count, by: height).map { names[$0] }
        let padded = cells.dropLast().map { DisplayWidth.pad($0, to: widest) } + cells.suffix(1)
        return DisplayWidth.cut(padded.joined(separator: "  "), to: columns - 1)
      }
    }
    let limit = max(1, rows - 3)
    guard lines.count > limit else { return lines.map { $0 + "\n" }.joined() }
    let more = lines.count - limit
    return lines.prefix(limit).map { $0 + "\n" }.joined()
      + "… \(more) more \(more == 1 ? "line" : "lines"); type more of the word to narrow the list\n"
  }
}
