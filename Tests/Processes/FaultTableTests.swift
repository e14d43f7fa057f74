import Foundation
import StrandlineTestSupport
import Testing

/// The table of rules and faults beside the folders of tests, which names the tests.
@Suite struct FaultTableTests {
  private static let sources = URL(fileURLWithPath: #filePath)
    .resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()

  private func rows() throws -> [Substring] {
    try TestTable(Self.sources.appendingPathComponent("faults.md")).rows
      .filter { $0.contains(/^\| [CF][0-9]+ \|/) }
  }

  @Test func `each rule and each fault has one row, and a test or a reason`() throws {
    let rows = try rows()

    let numbers = rows.map { String($0.split(separator: " ")[1]) }
    #expect(numbers == (1...30).map { "C\($0)" } + (1...36).map { "F\($0)" })
    for row in rows where TestTable.names(in: row).isEmpty {
      #expect(row.contains("does not apply"), "\(row)")
    }
  }

  @Test func `every test that the table of faults names stands in the file that it names`()
    throws
  {
    let tests = try TestTable.tests(below: Self.sources)
    for row in try rows() {
      var file = ""
      for name in TestTable.names(in: row) {
        if tests[name] != nil {
          file = name
        } else {
          #expect(tests[file]?.contains(name) == true, "\(file): \(name)")
        }
      }
    }
  }
}
