import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// `doctor`, `migrate` and a full disk, as a person meets them.
struct StoreCommandTests {
  let folder: TemporaryFolder
  let phone: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    phone = CommandDevice("phone", in: folder)
  }

  private func writeModel(_ version: Int, _ attributes: String) throws -> String {
    let name = "model-\(version).json"
    try folder.write(
      """
      {"version": \(version), "entities": {"Item": {"attributes": {\(attributes)}}}}
      """, to: name)
    return folder.path(name)
  }

  private static let name = "\"name\": {\"type\": \"text\", \"default\": \"\"}"
  private static let title = """
    "title": {"type": "text", "default": "", "renamedFrom": "name"},
    "count": {"type": "integer", "default": 3}
    """

  @Test func `doctor finds nothing wrong in a new store and says what it looked at`() async throws {
    try await phone.succeed("save", "TodoItem", "name=milk")

    let outcome = try await phone.run(["--json", "doctor"])

    let findings = try outcome.objects().compactMap { $0["finding"] }
    #expect(outcome.code == 0, "\(outcome.error)")
    #expect(findings.count >= 12)
    #expect(findings.allSatisfy { $0["level"]?.string != "problem" })
  }

  @Test func `doctor names what is broken and fails`() async throws {
    try await phone.succeed("save", "TodoItem", "name=milk")
    try await phone.shell("UPDATE strandline_clock SET seen = 1")

    let outcome = try await phone.run(["--read-only", "doctor"])

    #expect(outcome.code == 1)
    #expect(outcome.output.contains("a stamp that the clock has not seen"))
    #expect(outcome.error.contains("problems were found: stamps"), "\(outcome.error)")
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a store that may not be written is read, and says so otherwise`() async throws {
    try await phone.succeed("save", "TodoItem", "name=milk")
    chmod(phone.store, 0o444)
    chmod(folder.path("phone/phone"), 0o555)
    let setpriv = try BuiltProgram.tool("setpriv", package: "util-linux")
    func runAsNobody(_ arguments: [String]) async throws -> Outcome {
      let program = try BuiltProgram.path()
      return try await ChildProcess(
        folder: folder, executable: setpriv,
        arguments: ["--reuid", "65534", "--regid", "65534", "--clear-groups", program]
          + phone.options + arguments
      ).run()
    }

    let refused = try await runAsNobody(["list", "TodoItem"])
    let read = try await runAsNobody(["--read-only", "--json", "list", "TodoItem"])

    #expect(refused.code == 3)
    #expect(refused.error.contains("for writing, the file cannot be written"), "\(refused.error)")
    #expect(read.code == 0, "\(read.error)")
    #expect(read.output.contains("milk"))
    #expect(try folder.names(in: "phone/phone") == ["store.sqlite"])
  }

  @Test func `migrate brings the store and the home to another model`() async throws {
    let first = try writeModel(1, Self.name)
    let second = try writeModel(2, Self.title)
    try FileManager.default.createDirectory(
      atPath: folder.path("phone"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: first, toPath: folder.path("phone/model.json"))
    try await phone.succeed("save", "Item", "name=milk")

    let refused = try await phone.run(["migrate", second])
    #expect(refused.code == 1)
    #expect(try await phone.succeed("--yes", "--json", "migrate", second).contains("\"version\":2"))

    let shown = try await phone.object("list", "Item")
    #expect(shown["fields"]?["title"]?.string == "milk")
    #expect(shown["fields"]?["count"]?.integer == 3)
  }

  @Test func `kills in the middle of migrations leave the old model or the new`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let models = [try writeModel(1, Self.name), try writeModel(2, Self.title)]
    let rows = (0..<3000).map { "{\"name\": \"item \($0)\"}" }.joined(separator: "\n")
    try folder.write(rows, to: "rows.jsonl")
    let imported = try await phone.run(
      ["--model", models[0], "import", folder.path("rows.jsonl"), "Item"])
    #expect(imported.code == 0, "\(imported.error)")
    let start = ContinuousClock.now
    _ = try await phone.run(["--model", models[1], "count", "Item"])
    let duration = ContinuousClock.now - start

    for round in 0..<20 {
      let running = try phone.process(["--model", models[round % 2], "count", "Item"]).start()
      // The moment of the kill is what is random here; nothing waits for something to be done.
      try await Task.sleep(for: duration * Double.random(in: 0...1, using: &random))
      running.kill()
      let ended = try await running.outcome()
      #expect(ended.wasKilled || ended.output == "3000\n", "seed \(seed): \(ended.error)")
    }

    for model in models.reversed() {
      let outcome = try await phone.run(["--model", model, "--json", "doctor"])
      #expect(outcome.code == 0, "seed \(seed): \(outcome.output)")
    }
    #expect(
      try await phone.shell("SELECT count(*), count(DISTINCT name) FROM Item") == "3000,3000",
      "seed \(seed)")
  }
}
