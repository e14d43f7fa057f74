import StrandlineModels

/// What was asked for on the command line.
package struct BenchOptions: Sendable, Equatable {
  /// What the program does.
  package enum Task: Sendable, Equatable {
    case measure, list, help
  }

  package var task = Task.measure
  /// Ends in about a minute, with smaller sizes.
  package var isShort = false
  package var isJSON = false
  /// The names of the rows to measure; all where there are none.
  package var only: [String] = []
  /// How many records most rows work with.
  package var records = 100_000
  /// How many records the largest zone has.
  package var mostRecords = 1_000_000
  /// How many measurements the median is taken of.
  package var rounds = 5
  /// How many saves are followed to another device.
  package var samples = 100
  /// How many streams are opened.
  package var streams = 2000

  /// The sizes of a full run.
  package init() {}

  /// Why the words cannot be followed.
  package struct Refusal: Error, Equatable {
    package let message: String
  }

  /// Reads the command line.
  ///
  /// - Throws: A refusal that names the word.
  package init(_ words: [String], rows: [String]) throws(Refusal) {
    isShort = words.contains("--short")
    if isShort { (records, mostRecords, rounds, samples, streams) = (10_000, 100_000, 2, 5, 500) }
    var left = words[...]
    while let word = left.popFirst() {
      switch word {
      case "--short", "--full": break
      case "--json": isJSON = true
      case "--list": task = .list
      case "--help", "-h": task = .help
      case "--only": only.append(try Self.row(&left, rows))
      case "--records": mostRecords = try Self.number(word, &left, 1000...1_000_000)
      case "--rounds": rounds = try Self.number(word, &left, 1...1000)
      case "--samples": samples = try Self.number(word, &left, 1...100_000)
      case "--streams": streams = try Self.number(word, &left, 1...100_000)
      default:
        let known = [
          "--short", "--full", "--json", "--list", "--help", "--only", "--records", "--rounds",
          "--samples", "--streams",
        ]
        let hint = Suggestion.sentence(for: word, among: known)
        throw Refusal(message: Self.text("Could not read the option '\(word)'.", hint))
      }
    }
    records = min(records, mostRecords)
  }

  private static func row(
    _ left: inout ArraySlice<String>, _ rows: [String]
  ) throws(Refusal) -> String {
    guard let name = left.popFirst() else {
      throw Refusal(message: "Could not read '--only', the name of a row is missing.")
    }
    guard rows.contains(name) else {
      let hint = Suggestion.sentence(for: name, among: rows)
      throw Refusal(message: text("Could not find the row '\(name)'.", hint))
    }
    return name
  }

  private static func number(
    _ option: String, _ left: inout ArraySlice<String>, _ range: ClosedRange<Int>
  ) throws(Refusal) -> Int {
    guard let word = left.popFirst(), let number = Int(word), range.contains(number) else {
      throw Refusal(
        message: "Could not read '\(option)', it takes a number from \(range.lowerBound) to "
          + "\(range.upperBound).")
    }
    return number
  }

  private static func text(_ message: String, _ hint: String) -> String {
    message + " " + (hint.isEmpty ? "See --list and --help." : hint)
  }

  /// How the program is used.
  package static let usage = """
    strandline-bench [--short] [--json] [--only ROW]… [--list] [--records N] [--rounds N]
                     [--samples N] [--streams N]

    Measures Strandline beside the same work done by other means in the same run, and says what each
    figure has to reach and what it should.

      --short      ends in about a minute: 10,000 records where the full run has 100,000, and 100,000
                   where it has 1,000,000
      --json       one object a line
      --only ROW   only this row; may be given several times
      --list       the names of the rows
      --records N  the records of the largest zone, up to 1,000,000; other rows have 100,000 at most
      --rounds N   how many measurements the median is taken of, after one that is not counted
      --samples N  how many saves are followed to another device
      --streams N  how many streams are opened on the server

    raw is the same rows written by SQLite's C interface without tracking, rawread the same rows read
    by it, copy the same bytes over a plain HTTP download on the loopback. The programs strandline and
    strandline-server are taken from beside this one. Exit code 1 where a row could not be measured.
    """
}
