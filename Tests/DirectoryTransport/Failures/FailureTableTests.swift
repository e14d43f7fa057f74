import Foundation
import StrandlineTestSupport
import Testing

/// The table of failures beside this file, which names the tests.
@Suite struct FailureTableTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .resolvingSymlinksInPath().deletingLastPathComponent()
  private static let sources = folder.deletingLastPathComponent().deletingLastPathComponent()

  private func table() throws -> [Substring] {
    try TestTable(Self.folder.appendingPathComponent("failures.md")).rows
  }

  @Test func `each of the 34 failures has one row, and a test or a reason`() throws {
    let rows = try table().filter { $0.contains(/^\| [0-9]+ \|/) }

    let numbers = rows.compactMap { Int($0.split(separator: " ")[1]) }
    #expect(numbers == Array(1...34))
    for row in rows where TestTable.names(in: row).isEmpty {
      #expect(row.contains("belongs to a later stage") || row.contains("cannot exist here"))
    }
  }

  @Test func `every test that the table names exists`() throws {
    let tests = try TestTable.tests(below: Self.sources).values.reduce(into: Set<String>()) {
      $0.formUnion($1)
    }
    for row in try table() {
      for name in TestTable.names(in: row) { #expect(tests.contains(name), "\(name)") }
    }
  }
}
