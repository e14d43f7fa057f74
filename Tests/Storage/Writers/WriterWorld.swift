import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport

/// Who runs the statements, and how it sets SQLite up.
struct StatementWriter: Hashable, Sendable {
  enum Program: String, CaseIterable, Sendable {
    case strandline = "Strandline"
    case connection = "a connection"
    case shell = "the sqlite3 shell"
    case python = "Python"
  }

  let program: Program
  var recursiveTriggers = false
  var foreignKeys = false

  /// Every setting of a connection, and the two extremes of the programs, which start slowly.
  static let all =
    [StatementWriter(program: .strandline)]
    + [Program.connection, .shell, .python].flatMap { program in
      [(false, false), (false, true), (true, false), (true, true)]
        .filter { program == .connection || $0.0 == $0.1 }
        .map {
          StatementWriter(program: program, recursiveTriggers: $0.0, foreignKeys: $0.1)
        }
    }

  var pragmas: String {
    "PRAGMA recursive_triggers = \(recursiveTriggers); PRAGMA foreign_keys = \(foreignKeys);\n"
  }
}

/// A store file to which each statement of each writer is applied anew.
struct WriterWorld: Sendable {
  let folder: TemporaryFolder
  private let before: StoreFacts
  private let head: Int64

  init() async throws {
    folder = try TemporaryFolder()
    let store = try await WriterBench.open(folder.path("original"))
    try await Self.fill(store)
    (before, head) = try await store.read { (try StoreFacts($0), try $0.logHead()) }
    // A file that nobody has open can be copied; the store's own may stand in its log still.
    try ForeignClient(store.path).run("VACUUM INTO ?", [.text(folder.path("template"))])
  }

  private static func fill(_ store: Store) async throws {
    let id = WriterStatement.id
    try await store.write {
      try $0.insert("TodoList", id: id("l"), values: ["title": .text("Home")])
      for (name, priority) in [("a", 4), ("b", 5), ("d", 6)] as [(String, Int64)] {
        try $0.insert(
          "TodoItem", id: id(name),
          values: ["name": .text(name), "priority": .integer(priority), "list": .text("l")])
      }
      try $0.insert("Tag", id: id("t"), values: ["name": .text("shop")])
      try $0.link("TodoItem", id("a"), "tags", to: id("t"))
      try $0.insert("Setting", values: ["key": .text("theme"), "value": .text("dark")])
    }
    try await store.write { try $0.delete("TodoItem", id("d")) }
  }

  /// What history recorded of each statement, in their order; nil where the writer has no such.
  func outcomes(of writer: StatementWriter) async throws -> [WriterOutcome?] {
    let name = "writer-\(UUID().uuidString)"
    try folder.makeFolder(name)
    let bench = try await WriterBench(try copy(to: "\(name)-bench"))
    let template = try copy(to: "\(name)-template")
    switch writer.program {
    case .strandline: return try await statements(on: bench, from: template)
    case .connection: return try await statements(of: writer, on: bench, from: template)
    case .shell, .python:
      let paths = try WriterStatement.all.indices.map { try copy(to: "\(name)/\($0 + 100)") }
      let refusals = try await launch(writer, folder.path(name), paths)
      var outcomes: [WriterOutcome?] = []
      for (path, refusal) in zip(paths, refusals) {
        try bench.load(path)
        outcomes.append(try await outcome(bench.store, refusal))
      }
      return outcomes
    }
  }

  private func copy(to name: String) throws -> String {
    try FileManager.default.copyItem(
      atPath: folder.path("template"), toPath: folder.path(name))
    return folder.path(name)
  }

  private func statements(
    on bench: WriterBench, from template: String
  ) async throws -> [WriterOutcome?] {
    var outcomes: [WriterOutcome?] = []
    for statement in WriterStatement.all {
      guard let own = statement.own else {
        outcomes.append(nil)
        continue
      }
      try bench.load(template)
      let refusal = try await Self.refusal(of: own, on: bench.store)
      outcomes.append(try await outcome(bench.store, refusal))
    }
    return outcomes
  }

  private func statements(
    of writer: StatementWriter, on bench: WriterBench, from template: String
  ) async throws -> [WriterOutcome?] {
    let client = try ForeignClient(
      bench.store.path, recursiveTriggers: writer.recursiveTriggers,
      foreignKeys: writer.foreignKeys)
    var outcomes: [WriterOutcome?] = []
    for statement in WriterStatement.all {
      try bench.load(template)
      var refusal: String?
      do {
        try client.script(statement.sql)
      } catch let failure as ForeignClient.Failure {
        refusal = failure.message
      }
      outcomes.append(try await outcome(bench.store, refusal))
    }
    return outcomes
  }

  private static func refusal(
    of own: @Sendable (Store) async throws -> Void, on store: Store
  ) async throws -> String? {
    do {
      try await own(store)
      return nil
    } catch let error as StorageError {
      return error.message
    }
  }

  private func outcome(_ store: Store, _ refusal: String?) async throws -> WriterOutcome {
    // Whatever Strandline does next puts first into history what others wrote.
    try await store.write { _ in }
    let (before, head) = (before, head)
    return try await store.read { read in
      try WriterOutcome(read, refusal: refusal, before: before, head: head)
    }
  }
}

// MARK: Programs

extension WriterWorld {
  /// Runs a program once for all files, since programs start slowly.
  ///
  /// - Returns: SQLite's message of each statement that is refused.
  private func launch(
    _ writer: StatementWriter, _ folder: String, _ paths: [String]
  ) async throws -> [String?] {
    for (path, statement) in zip(paths, WriterStatement.all) {
      let text = writer.pragmas + statement.sql + ";\n"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path + ".sql"))
    }
    let isShell = writer.program == .shell
    let outcome = try await ChildProcess(
      folder: self.folder, executable: isShell ? "/bin/sh" : "/usr/bin/python3",
      arguments: ["-c", isShell ? Self.shell : Self.python, folder]
    ).run()
    guard outcome.code == 0 else {
      throw WriterFailure(description: "\(writer): \(outcome.error)")
    }
    return try paths.map { path in
      let text = try String(contentsOfFile: path + ".err", encoding: .utf8)
      if text.isEmpty { return nil }
      // The shell says where the statement stood, too.
      let match = text.firstMatch(of: /near line \d+: (.+?)( \(\d+\))?\n/)
      return match.map { String($0.1) } ?? text
    }
  }

  private static let shell = """
    for script in "$0"/*.sql; do
      sqlite3 -batch -bail "${script%.sql}" < "$script" 2> "${script%.sql}.err"
    done
    true
    """

  private static let python = """
    import glob, sqlite3, sys
    for script in sorted(glob.glob(sys.argv[1] + "/*.sql")):
        connection = sqlite3.connect(script[:-4], isolation_level=None)
        with open(script) as text, open(script[:-4] + ".err", "w") as errors:
            try:
                connection.executescript(text.read())
            except sqlite3.Error as error:
                errors.write(str(error))
        connection.close()
    """
}

/// Why the table cannot be made.
struct WriterFailure: Error, CustomStringConvertible {
  let description: String
}
