import Foundation
import Testing

/// The table of failures beside this file, which names the tests.
@Suite struct FailureTableTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .resolvingSymlinksInPath().deletingLastPathComponent()
  private static let sources = folder.deletingLastPathComponent().deletingLastPathComponent()

  private func table() throws -> [Substring] {
    try String(contentsOf: Self.folder.appendingPathComponent("failures.md"), encoding: .utf8)
      .split(separator: "\n").filter { $0.hasPrefix("| ") }
  }

  private func names(in row: Substring) -> [String] {
    row.matches(of: /`([^`]+)`/).map { String($0.output.1) }
  }

  /// The names of all tests of the project.
  private func tests() throws -> Set<String> {
    var names: Set<String> = []
    let files = try FileManager.default.subpathsOfDirectory(atPath: Self.sources.path)
    for file in files where file.hasSuffix(".swift") {
      let text = try String(
        contentsOf: Self.sources.appendingPathComponent(file), encoding: .utf8)
      for match in text.matches(of: /func `([^`\n]+)`/) { names.insert(String(match.output.1)) }
    }
    return names
  }

  @Test func `each of the 34 failures has one row, and a test or a reason`() throws {
    let rows = try table().filter { $0.contains(/^\| [0-9]+ \|/) }

    let numbers = rows.compactMap { Int($0.split(separator: " ")[1]) }
    #expect(numbers == Array(1...34))
    for row in rows where names(in: row).isEmpty {
      #expect(row.contains("belongs to a later stage") || row.contains("cannot exist here"))
    }
  }

  @Test func `every test that the table names exists`() throws {
    let tests = try tests()
    for row in try table() {
      for name in names(in: row) { #expect(tests.contains(name), "\(name)") }
    }
  }
}
