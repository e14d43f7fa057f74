import Foundation

/// The table of all writers and statements, as Markdown.
struct WriterTable {
  private let outcomes: [StatementWriter: [WriterOutcome?]]

  init(_ outcomes: [StatementWriter: [WriterOutcome?]]) {
    self.outcomes = outcomes
  }

  /// The file that stands beside the tests.
  static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("writers.md")

  var text: String {
    var lines = [
      "# What history records of every writer and statement", "",
      "This table is written by `WriterTableTests`, which compares it with what happens.",
      "`STRANDLINE_WRITE_TABLE=1 swift test --filter WriterTableTests` writes it anew.", "",
      "Other clients are a connection of SQLite's C interface, the `sqlite3` shell and Python's",
      "`sqlite3`, with recursive triggers and foreign keys both off and both on, the connection with",
      "only one of them on too. Their changes stand in history as one transaction of",
      "`anotherClient`, sealed by the next transaction of",
      "Strandline, which here was an empty one. Each statement begins with the same store: the items",
      "`a` and `b` on the list `l`, the deleted item `d`, the tag `t` of the item `a`, and the setting",
      "`theme`, whose entity has an identity.", "",
    ]
    for (index, statement) in WriterStatement.all.enumerated() {
      lines += ["## \(statement.name)", "", "    \(statement.sql)", ""]
      lines += ["| writer | history | origin | lives and stamps |", "|---|---|---|---|"]
      lines += rows(of: index) + [""]
    }
    return lines.joined(separator: "\n")
  }

  private func rows(of index: Int) -> [String] {
    var groups: [(outcome: WriterOutcome, writers: [StatementWriter])] = []
    for writer in StatementWriter.all {
      guard let outcome = outcomes[writer]?[index] else { continue }
      if writer.program != .strandline,
        let place = groups.firstIndex(where: {
          $0.outcome == outcome && $0.writers[0].program != .strandline
        })
      {
        groups[place].writers.append(writer)
      } else {
        groups.append((outcome, [writer]))
      }
    }
    return groups.map { group in
      let cells = [
        Self.name(group.writers), group.outcome.history, group.outcome.origin, group.outcome.lives,
      ]
      return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
  }

  /// The fewest words for some writers.
  private static func name(_ writers: [StatementWriter]) -> String {
    if writers == [StatementWriter(program: .strandline)] { return "Strandline" }
    let others = StatementWriter.all.filter { $0.program != .strandline }
    let classes: [(String, (StatementWriter) -> Bool)] = [
      ("other clients", { _ in true }),
      ("other clients, foreign keys on", { $0.foreignKeys }),
      ("other clients, foreign keys off", { !$0.foreignKeys }),
      ("other clients, recursive triggers on", { $0.recursiveTriggers }),
      ("other clients, recursive triggers off", { !$0.recursiveTriggers }),
      ("other clients, both on", { $0.recursiveTriggers && $0.foreignKeys }),
      ("other clients, both off", { !$0.recursiveTriggers && !$0.foreignKeys }),
      (
        "other clients, recursive triggers on, foreign keys off",
        { $0.recursiveTriggers && !$0.foreignKeys }
      ),
      (
        "other clients, recursive triggers off, foreign keys on",
        { !$0.recursiveTriggers && $0.foreignKeys }
      ),
    ]
    let present = Set(writers)
    if let fit = classes.first(where: { Set(others.filter($0.1)) == present }) { return fit.0 }
    return writers.map {
      "\($0.program.rawValue) (recursive triggers \($0.recursiveTriggers ? "on" : "off"), "
        + "foreign keys \($0.foreignKeys ? "on" : "off"))"
    }.joined(separator: ", ")
  }
}
