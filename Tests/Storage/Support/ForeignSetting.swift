import StrandlineTestSupport
import Testing

/// A program that writes the store's file without Strandline, and how it sets SQLite up.
struct ForeignSetting: Sendable, CustomTestStringConvertible {
  enum Program: String, CaseIterable, Sendable {
    case connection = "a connection"
    case shell = "the sqlite3 shell"
    case python = "Python"
  }

  let program: Program
  let recursiveTriggers: Bool
  let foreignKeys: Bool

  /// Every setting of a connection, and the two extremes of the programs, which start slowly.
  static let all = Program.allCases.flatMap { program in
    [(false, false), (false, true), (true, false), (true, true)]
      .filter { program == .connection || $0.0 == $0.1 }
      .map { ForeignSetting(program: program, recursiveTriggers: $0.0, foreignKeys: $0.1) }
  }

  var testDescription: String {
    "\(program.rawValue), recursive triggers \(recursiveTriggers), foreign keys \(foreignKeys)"
  }

  /// Runs a script as that program and gives SQLite's message if it fails.
  func run(_ sql: String, on path: String) async throws -> String? {
    switch program {
    case .connection:
      let client = try ForeignClient(
        path, recursiveTriggers: recursiveTriggers, foreignKeys: foreignKeys)
      do {
        try client.script(sql)
        return nil
      } catch let failure as ForeignClient.Failure {
        return failure.message
      }
    case .shell:
      return try await Self.launch("/usr/bin/sqlite3", ["-batch", "-bail", path, setup + sql])
    case .python:
      return try await Self.launch("/usr/bin/python3", ["-c", Self.script, path, setup + sql])
    }
  }

  private var setup: String {
    "PRAGMA recursive_triggers = \(recursiveTriggers); PRAGMA foreign_keys = \(foreignKeys); "
  }

  private static let script = """
    import sqlite3, sys
    connection = sqlite3.connect(sys.argv[1], isolation_level=None)
    connection.executescript(sys.argv[2])
    """

  /// Runs a program to its end; what it says when it fails, or nil when it does not.
  private static func launch(_ path: String, _ arguments: [String]) async throws -> String? {
    let outcome = try await ChildProcess(
      folder: TemporaryFolder(), executable: path, arguments: arguments
    ).run()
    return outcome.code == 0 ? nil : outcome.error
  }
}
