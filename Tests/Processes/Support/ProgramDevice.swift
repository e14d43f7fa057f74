import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// A device that is used through the real program only, which may run under another program that
/// fakes its clock or lets its calls of the system fail.
struct ProgramDevice {
  let folder: TemporaryFolder
  let name: String
  private let options: [String]

  init(_ name: String, in folder: TemporaryFolder, transport: String, token: String? = nil) {
    self.folder = folder
    self.name = name
    options =
      ["--home", folder.path(name), "--device", name, "--transport", transport]
      + (token.map { ["--token-file", $0] } ?? [])
  }

  func process(_ words: [String], under wrapper: [String] = []) throws -> ChildProcess {
    let all = wrapper + [try BuiltProgram.path()] + options + words
    return ChildProcess(folder: folder, executable: all[0], arguments: Array(all.dropFirst()))
  }

  func run(_ words: String..., under wrapper: [String] = []) async throws -> Outcome {
    try await process(words, under: wrapper).run()
  }

  /// Runs the program, which must succeed, and gives what it wrote.
  @discardableResult
  func succeed(
    _ words: String..., under wrapper: [String] = [],
    at location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let outcome = try await process(words, under: wrapper).run()
    #expect(
      outcome.code == 0 && !outcome.wasKilled, "\(words): \(outcome.error)",
      sourceLocation: location)
    return outcome.output.trimmingCharacters(in: .newlines)
  }

  /// The names of all tags of the program's own model.
  func tags() async throws -> [String] {
    let rows = try await run("--local", "--json", "sql", "SELECT name FROM Tag ORDER BY name")
    return try rows.output.split(separator: "\n")
      .compactMap { try JSONValue(parsing: String($0))["name"]?.string }
  }

  /// What the status says.
  func status() async throws -> JSONValue {
    let outcome = try await run("--local", "--json", "status")
    return try JSONValue(parsing: String(outcome.output.split(separator: "\n").first ?? ""))[
      "status"] ?? .null
  }
}
