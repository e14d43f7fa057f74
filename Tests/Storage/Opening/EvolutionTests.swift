import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// Whatever changes in a model, a populated store keeps every fact, there and back.
@Suite struct EvolutionTests {
  private static let id = RecordID(text: "x")

  /// What no change of a model may touch.
  private struct Kept: Equatable {
    var facts: [RecordKey: RecordState]
    var rows: [String: [[Value]]]

    init(_ store: Store) async throws {
      facts = try await store.facts().mapValues(\.agreed)
      let dump = try Fixture.dump(store.path)
      rows = dump.filter {
        ["strandline_conflict", "strandline_parked", "strandline_peer", "strandline_delivery"]
          .contains($0.key)
      }
    }
  }

  @Test(arguments: ModelChange.all)
  func `a change of the model and its undoing keep every fact`(change: ModelChange) async throws {
    let fixture = try Fixture(format: 1)
    let text = try Fixture.modelText()
    let changed = change.change(text)
    try #require(changed != text)
    let schema = try Schema(parsing: changed)
    let before: Kept
    let log: [[Value]]?
    do {
      let old = try await fixture.open()
      before = try await Kept(old)
      log = try Fixture.dump(fixture.path)["strandline_log"]
    }

    let new = try await Store.open(.file(fixture.path), schema: schema)
    #expect(try await Kept(new) == before)
    #expect(try await new.checkup().filter { $0.level == .problem } == [])
    let after = try Fixture.dump(fixture.path)["strandline_log"]
    #expect(after?.starts(with: log ?? []) == true)
    // Only records that begin to be synced become pending.
    #expect(
      after?.count == (log?.count ?? 0) + (change.testDescription == "no longer local" ? 1 : 0))

    let back = try await fixture.open()
    #expect(try await Kept(back) == before)
    #expect(try await back.checkup().filter { $0.level == .problem } == [])
    let names = try ForeignClient(fixture.path).run(
      "SELECT name FROM sqlite_schema WHERE name LIKE '%moving%' OR name = 'strandline_new'")
    #expect(names == [])
  }

  @Test func `a chain of renamings over three models keeps one property`() async throws {
    let world = try MigrationWorld()
    let names = ["name", "title", "heading"]
    let models = names.map { name in
      let from = name == "name" ? "" : ", \"renamedFrom\": \"name\""
      return
        "\"Item\": {\"attributes\": {\"\(name)\": {\"type\": \"text\", \"default\": \"\"\(from)}}}"
    }
    let first = try await world.open(models[0])
    try await first.write { try $0.insert("Item", id: Self.id, values: ["name": .text("0")]) }
    for (index, model) in models.enumerated().dropFirst() {
      let store = try await world.open(model)
      let name = names[index]
      #expect(
        try await store.read { try $0.record("Item", Self.id)?[name] } == .text("\(index - 1)"))
      try await store.write {
        try $0.update("Item", Self.id, values: [name: .text("\(index)")])
      }
    }

    // A model that skipped the middle one, in a store of its own.
    let other = try await Store.open(
      .memory, schema: Schema(parsing: "{\"entities\": {\(models[0])}}"))
    let last = try await world.open(models[2])
    try await other.receive(try await last.outgoing(for: 1).deltas, from: 1)

    #expect(try await other.read { try $0.record("Item", Self.id)?["name"] } == .text("2"))
  }

  @Test func `great texts, zero bytes and emoji outlive removal and return`() async throws {
    let world = try MigrationWorld()
    let wide = ModelText.item(ModelText.name, ModelText.data)
    let text = String(repeating: "Zeile 👩‍👩‍👧‍👦 e\u{301}\n", count: 40_000)
    let bytes: [UInt8] = [0, 1, 0, 255, 0]
    let first = try await world.open(wide)
    try await first.write {
      try $0.insert("Item", id: Self.id, values: ["name": .text(text), "data": .blob(bytes)])
      try $0.insert("Item", id: RecordID(text: "nul"), values: ["name": .text("a\0b")])
      try $0.insert("Item", id: RecordID(text: "empty"), values: ["data": .blob([])])
    }
    let before = try await first.facts()

    let without = try await world.open("\"Item\": {}")
    #expect(try await without.facts() == before)
    let again = try await world.open(wide)

    #expect(try await again.facts() == before)
    let record = try await again.read { try $0.record("Item", Self.id) }
    #expect(record?["name"] == .text(text))
    #expect(record?["data"] == .blob(bytes))
    #expect(
      try await again.read { try $0.record("Item", RecordID(text: "nul"))?["name"] }
        == .text("a\0b"))
  }

  @Test func `a new default shows where nothing was written, and only there`() async throws {
    let world = try MigrationWorld()
    let old = try await world.open(ModelText.item(ModelText.name))
    try await old.write { try $0.insert("Item", id: Self.id, values: ["name": .text("n")]) }
    func count(_ fallback: Int) -> String {
      "\"count\": {\"type\": \"integer\", \"default\": \(fallback)}"
    }
    let middle = try await world.open(ModelText.item(ModelText.name, count(1)))
    try await middle.write { try $0.insert("Item", id: RecordID(text: "y"), values: [:]) }

    let new = try await world.open(ModelText.item(ModelText.name, count(2)))

    let records = try await new.read { try $0.records(Query("Item")) }
    #expect(records.map { $0["count"] } == [.integer(2), .integer(1)])
  }
}
