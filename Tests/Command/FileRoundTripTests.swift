import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// What is exported and imported again is the same, byte for byte.
struct FileRoundTripTests {
  let folder: TemporaryFolder
  let device: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    device = CommandDevice("phone", in: folder)
  }

  /// Text that formats trip over.
  private static let names = [
    "plain", "comma, and; semicolon", "a \"quoted\" word", "two\nlines", "windows\r\nline",
    " spaces around ", "=1+1", "null", "true", "007", "1e3", "Ελλάδα", "日本語", "عربى", "e\u{301}",
    "👩‍👩‍👧", "back\\slash", "tab\there",
  ]

  private func fill() async throws {
    let rows = Self.names.enumerated().map { index, name in
      JSONValue.object([
        "name": .string(name), "done": .bool(index.isMultiple(of: 2)),
        "note": index.isMultiple(of: 3) ? .null : .string("note of \(name)"),
        "priority": .integer(Int64(index) - 5),
        "due": index.isMultiple(of: 4) ? .string("2026-12-24T17:00:00.123Z") : .null,
      ])
    }
    try folder.write(JSONValue.array(rows).text, to: "rows.json")
    try await device.succeed("import", folder.path("rows.json"), "TodoItem")
  }

  @Test(arguments: ["csv", "tsv", "json", "jsonl"])
  func `an export brings every value back`(_ format: String) async throws {
    try await fill()
    let path = folder.path("items." + format)
    let export = try await device.object("export", "TodoItem", path)
    #expect(export["export"]?["rows"]?.integer == Int64(Self.names.count))

    let other = CommandDevice("laptop", in: folder)
    let saved = try await other.object("import", path, "TodoItem")
    #expect(saved["import"]?["inserted"]?.integer == Int64(Self.names.count))
    let rows = try await device.rows(of: ["TodoItem"])
    #expect(try await other.rows(of: ["TodoItem"]) == rows)

    let again = try await device.object("import", path, "TodoItem")
    #expect(again["import"]?["inserted"]?.integer == 0)
    #expect(again["import"]?["updated"]?.integer == 0)
  }

  @Test func `an import is one transaction`() async throws {
    try await fill()
    let history = try await device.run(["--json", "history"]).objects()

    #expect(history.count == 1)
    #expect(history.first?["transaction"]?["changes"]?.elements?.count == Self.names.count)
  }

  @Test func `fields are mapped, left out and asked for`() async throws {
    try folder.write("title;prio;junk\nmilk;2;x\n", to: "list.csv")
    let path = folder.path("list.csv")

    let refused = try await device.run(["import", path, "TodoItem", "--map", "title=name"])
    #expect(refused.code == 1)
    #expect(refused.error.contains("--map junk="), "\(refused.error)")
    try await device.succeed(
      "import", path, "TodoItem", "--map", "title=name", "--map", "prio=priority", "--map", "junk=")
    #expect(try await device.shell("SELECT name, priority FROM TodoItem") == "'milk',2")
  }
}
