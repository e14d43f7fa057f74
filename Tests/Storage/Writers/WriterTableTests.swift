import Foundation
import StrandlineTestSupport
import Testing

/// Every kind of statement by every writer, against the table that stands beside this file.
@Suite struct WriterTableTests {
  private static let variable = "STRANDLINE_WRITE_TABLE"

  @Test func `history records of every writer and statement what the table says`() async throws {
    let world = try await WriterWorld()
    let outcomes = try await withThrowingTaskGroup(
      of: (StatementWriter, [WriterOutcome?]).self
    ) { group in
      for writer in StatementWriter.all {
        group.addTask { (writer, try await world.outcomes(of: writer)) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    let found = WriterTable(outcomes).text
    try world.folder.write(found, to: "writers.md")
    if ProcessInfo.processInfo.environment[Self.variable] != nil {
      try Data(found.utf8).write(to: WriterTable.url)
    }

    let wanted = try String(contentsOf: WriterTable.url, encoding: .utf8)
    #expect(Self.wrongLines(found) == [])
    if let difference = Self.firstDifference(wanted, try world.folder.read("writers.md")) {
      Issue.record(
        """
        writers.md differs in line \(difference.line):
          in the file: \(difference.wanted)
          found:       \(difference.found)
        If that is right, write it anew with \(Self.variable)=1.
        """)
    }
  }

  private static func wrongLines(_ text: String) -> [String] {
    lines(text).filter { $0.contains("WRONG") }
  }

  private static func firstDifference(
    _ wanted: String, _ found: String
  ) -> (line: Int, wanted: String, found: String)? {
    let (left, right) = (lines(wanted), lines(found))
    for index in 0..<max(left.count, right.count) {
      let (want, have) = (
        index < left.count ? left[index] : "(nothing)",
        index < right.count ? right[index] : "(nothing)"
      )
      if want != have { return (index + 1, want, have) }
    }
    return nil
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
