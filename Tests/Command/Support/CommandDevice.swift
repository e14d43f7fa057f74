import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// One device that is used through the program only, with a home of its own.
struct CommandDevice: Sendable {
  let folder: TemporaryFolder
  let name: String
  /// What stands before every command.
  let options: [String]

  /// A device of that name in a home of that name.
  init(
    _ name: String, in folder: TemporaryFolder, transport: String? = nil, model: String? = nil,
    options: [String] = []
  ) {
    self.folder = folder
    self.name = name
    self.options =
      ["--home", folder.path(name), "--device", name]
      + (transport.map { ["--transport", $0] } ?? []) + (model.map { ["--model", $0] } ?? [])
      + options
  }

  /// The path of its store.
  var store: String { folder.path("\(name)/\(name)/store.sqlite") }

  func process(_ arguments: [String]) throws -> ChildProcess {
    ChildProcess(
      folder: folder, executable: try BuiltProgram.path(), arguments: options + arguments)
  }

  /// Runs the program to its end.
  func run(_ arguments: [String], input: String = "") async throws -> Outcome {
    try await process(arguments).run(input: input)
  }

  /// Runs the program, which must succeed.
  ///
  /// - Returns: What stood on standard output, without the last line's end.
  @discardableResult
  func succeed(
    _ arguments: String..., input: String = "", at location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let outcome = try await run(arguments, input: input)
    #expect(
      outcome.code == 0 && !outcome.wasKilled, "\(arguments): \(outcome.error)",
      sourceLocation: location)
    return outcome.output.trimmingCharacters(in: .newlines)
  }

  /// Runs one command with `--json`, which must succeed and answer one object.
  func object(
    _ arguments: String..., at location: SourceLocation = #_sourceLocation
  ) async throws -> JSONValue {
    let outcome = try await run(["--json"] + arguments)
    #expect(outcome.code == 0, "\(arguments): \(outcome.error)", sourceLocation: location)
    return try #require(try outcome.objects().first, sourceLocation: location)
  }

  /// What the sqlite3 shell answers; its quoting tells every type and byte apart.
  @discardableResult
  func shell(
    _ sql: String, at location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let outcome = try await ChildProcess(
      folder: folder, executable: try BuiltProgram.tool("sqlite3", package: "sqlite3"),
      arguments: ["-cmd", ".timeout 20000", "-cmd", ".mode quote", store, sql]
    ).run()
    #expect(outcome.code == 0, "\(sql): \(outcome.error)", sourceLocation: location)
    return outcome.output.trimmingCharacters(in: .newlines)
  }

  /// All rows of tables, in the order of their ids.
  func rows(of tables: [String]) async throws -> String {
    try await shell(tables.map { "SELECT '\($0)', * FROM \"\($0)\" ORDER BY id;" }.joined())
  }

  /// All rows of the sample model.
  func allRows() async throws -> String {
    try await rows(of: ["TodoList", "TodoItem", "Tag", "Tag_items", "Habit"])
  }
}
