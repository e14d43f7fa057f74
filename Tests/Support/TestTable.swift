package import Foundation

/// A table in Markdown that names tests, and the sources in which they must stand.
package struct TestTable: Sendable {
  /// The rows; the heads of the tables are among them.
  package let rows: [Substring]

  /// Reads the tables of a file.
  package init(_ file: URL) throws {
    rows = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n").filter { $0.hasPrefix("| ") }
  }

  /// The names that stand in backquotes in a row.
  package static func names(in row: Substring) -> [String] {
    row.matches(of: /`([^`]+)`/).map { String($0.output.1) }
  }

  /// The names of all tests below a folder, by their file: its path there, without `.swift`.
  package static func tests(below folder: URL) throws -> [String: Set<String>] {
    var tests: [String: Set<String>] = [:]
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    for file in files where file.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      let names = text.matches(of: /func `([^`\n]+)`/).map { String($0.output.1) }
      if !names.isEmpty { tests[String(file.dropLast(".swift".count))] = Set(names) }
    }
    return tests
  }
}
