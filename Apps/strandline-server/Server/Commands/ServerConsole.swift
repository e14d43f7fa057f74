import Foundation
import StrandlineModels

/// Where commands print and whom they ask.
package struct ServerConsole: Sendable {
  /// Takes a line of results.
  package let print: @Sendable (String) -> Void
  /// Takes a line that is no result.
  package let note: @Sendable (String) -> Void
  /// Reads a line that a person types; nil where nobody is there.
  package let readLine: @Sendable () -> String?

  /// Names where to print and whom to ask.
  package init(
    print: @escaping @Sendable (String) -> Void, note: @escaping @Sendable (String) -> Void,
    readLine: @escaping @Sendable () -> String?
  ) {
    self.print = print
    self.note = note
    self.readLine = readLine
  }

  /// The streams of this process; a person is asked at a terminal only.
  package static let standard = ServerConsole(
    print: { write($0 + "\n", to: .standardOutput) },
    note: { write($0 + "\n", to: .standardError) },
    readLine: { isatty(STDIN_FILENO) == 1 ? Swift.readLine() : nil })

  private static func write(_ text: String, to file: FileHandle) {
    do {
      try file.write(contentsOf: Data(text.utf8))
    } catch {
      // Whoever read this stream has gone; there is nobody to tell.
    }
  }
}

extension ServerConsole {
  /// Tells what a step would do and asks whether it is wanted; the default is no.
  ///
  /// - Throws: A failure where nobody can be asked or the answer is no.
  func confirm(
    _ consequence: String, _ question: String, isConfirmed: Bool
  ) throws(CommandFailure) {
    if isConfirmed { return }
    note(consequence)
    note("\(question) [y/N]")
    guard let answer = readLine() else {
      throw CommandFailure(
        "notConfirmed", "Could not ask for a confirmation, this is no terminal.",
        advice: "Add --yes if that is what you want.")
    }
    guard ["y", "yes"].contains(answer.trimmingCharacters(in: .whitespaces).lowercased()) else {
      throw CommandFailure("notConfirmed", "Stopped, nothing was changed.")
    }
  }
}

/// A list as people and programs read it.
struct ListOutput {
  let header: [String]
  private(set) var rows: [[String]] = []
  private(set) var objects: [JSONValue] = []

  init(_ header: [String]) {
    self.header = header
  }

  mutating func add(_ row: [String], _ object: JSONValue) {
    rows.append(row)
    objects.append(object)
  }

  /// Prints a table, or an object a line.
  func print(to console: ServerConsole, asJSON: Bool, empty: String) {
    if asJSON {
      for object in objects { console.print(object.text) }
      return
    }
    guard !rows.isEmpty else { return console.note(empty) }
    let all = [header] + rows.map { $0.map(Self.printable) }
    let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    for row in all {
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      console.print(cells.joined(separator: "  "))
    }
  }

  /// A text without what could move a terminal's cursor or change its colours.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map {
          $0.properties.generalCategory == .control ? "\u{FFFD}" : $0
        }))
  }
}
