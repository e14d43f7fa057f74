import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// One change of the fixtures' model.
struct ModelChange: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let change: @Sendable (String) -> String

  init(_ description: String, _ replacements: (String, String)...) {
    testDescription = description
    change = { text in
      replacements.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
  }

  static let all = [
    ModelChange(
      "added attribute",
      ("\"done\":", "\"added\": {\"type\": \"text\", \"default\": \"new\"}, \"done\":")),
    ModelChange("removed attribute", ("\"weight\": {\"type\": \"real\", \"default\": 0},", "")),
    ModelChange(
      "renamed attribute",
      (
        "\"title\": {\"type\": \"text\",",
        "\"heading\": {\"renamedFrom\": \"title\", \"type\": \"text\","
      )),
    ModelChange(
      "swapped attributes",
      (
        "\"title\": {\"type\": \"text\", \"default\": \"\"}",
        "\"count\": {\"type\": \"text\", \"default\": \"\", \"renamedFrom\": \"title\"}"
      ),
      (
        "\"count\": {\"type\": \"integer\", \"default\": 0}",
        "\"title\": {\"type\": \"integer\", \"default\": 0, \"renamedFrom\": \"count\"}"
      )),
    ModelChange(
      "renamed attribute whose old name another takes",
      (
        "\"title\": {\"type\": \"text\", \"default\": \"\"}",
        "\"heading\": {\"type\": \"text\", \"default\": \"\", \"renamedFrom\": \"title\"}, "
          + "\"title\": {\"type\": \"integer\", \"default\": 7, \"renamedFrom\": \"second\"}"
      )),
    ModelChange(
      "renamed in case alone",
      (
        "\"title\": {\"type\": \"text\",",
        "\"Title\": {\"renamedFrom\": \"title\", \"type\": \"text\","
      ),
      ("\"Draft\": {", "\"draft\": {\"renamedFrom\": \"Draft\",")),
    ModelChange(
      "a removed attribute's name taken by a renamed one",
      ("\"title\": {\"type\": \"text\", \"default\": \"\"},", ""),
      (
        "\"count\": {\"type\": \"integer\",",
        "\"title\": {\"renamedFrom\": \"count\", \"type\": \"integer\","
      )),
    ModelChange("optional attribute", ("\"default\": 0}", "\"default\": 0, \"optional\": true}")),
    ModelChange("another default", ("\"default\": \"\"}", "\"default\": \"other\"}")),
    ModelChange(
      "another type", ("\"type\": \"text\"", "\"type\": \"data\""),
      ("\"default\": \"\"", "\"optional\": true")),
    ModelChange(
      "a type that does not hold the values",
      (
        "\"count\": {\"type\": \"integer\", \"default\": 0}",
        "\"count\": {\"type\": \"text\", \"default\": \"none\"}"
      )),
    ModelChange("another delete rule", ("\"nullify\"", "\"cascade\"")),
    ModelChange("other indexes", ("[[\"done\", \"due\"]]", "[[\"title\"], [\"due\"]]")),
    ModelChange("no longer local", (",\n      \"configuration\": \"local\"", "")),
    ModelChange(
      "no longer synced",
      ("\"identity\": [\"key\"]", "\"identity\": [\"key\"], \"configuration\": \"local\"")),
    ModelChange("added entity", ("\"Draft\": {", "\"New\": {}, \"Draft\": {")),
    ModelChange(
      "removed entity", ("\"Setting\": {", "\"Other\": {"), ("\"Draft\": {", "\"Fresh\": {")),
    ModelChange(
      "renamed entities",
      ("\"Note\"", "\"Entry\""), ("\"Entry\": {", "\"Entry\": {\"renamedFrom\": \"Note\","),
      ("\"Folder\"", "\"Place\""), ("\"Place\": {", "\"Place\": {\"renamedFrom\": \"Folder\",")),
    ModelChange(
      "swapped entities",
      ("\"Label\"", "\"~\""), ("\"Folder\"", "\"Label\""), ("\"~\"", "\"Folder\""),
      ("\"Folder\": {", "\"Folder\": {\"renamedFrom\": \"Label\","),
      (
        "\"Label\": {\n      \"attributes\"",
        "\"Label\": {\"renamedFrom\": \"Folder\",\n      \"attributes\""
      )),
    ModelChange(
      "removed relationship",
      ("\"folder\": {\"to\": \"Folder\", \"inverse\": \"notes\", \"onDelete\": \"nullify\"},", ""),
      (
        ",\n      \"relationships\": {\"notes\": {\"to\": \"Note\", \"inverse\": \"folder\", \"many\": true}}",
        ""
      )),
    ModelChange(
      "removed links",
      (
        "\"onDelete\": \"nullify\"},\n        \"labels\": {\"to\": \"Label\", \"inverse\": \"notes\", \"many\": true}",
        "\"onDelete\": \"nullify\"}"
      ),
      (
        ",\n      \"relationships\": {\"notes\": {\"to\": \"Note\", \"inverse\": \"labels\", \"many\": true}}",
        ""
      )),
  ]
}

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

/// C28: values keep their kind and their bytes on the way into a model that knows them.
@Suite struct KeptValueTests {
  private static let id = RecordID(text: "x")
  private static let key = RecordKey(entity: "Item", id: RecordID(text: "x"))

  static let values: [Value] = [
    .text("7"), .text(" 1e3 "), .integer(7), .real(7), .real(0.5), .real(-0.0), .blob([0x37]),
    .text("word"), .null,
  ]

  private func narrow(_ world: MigrationWorld, _ value: Value) async throws -> Store {
    let store = try await world.open(ModelText.item(ModelText.name))
    let life = Stamp(rawValue: 900)
    try await store.receive(
      [
        RecordDelta(
          key: Self.key, birth: life,
          versions: ["count": Version(life: life, stamp: Stamp(rawValue: 950), value: value)])
      ], from: 1)
    return store
  }

  @Test(arguments: values, ["integer", "real", "text", "data"])
  func `a carried value reaches its column byte for byte or stays carried`(
    value: Value, type: String
  ) async throws {
    let world = try MigrationWorld()
    let facts = try await narrow(world, value).facts()

    let wide = try await world.open(
      ModelText.item(
        ModelText.name, "\"count\": {\"type\": \"\(type)\", \"optional\": true}"))

    #expect(try await wide.facts() == facts)
    #expect(
      try await wide.outgoing(for: 2).deltas.first?.versions["count"]?.value == value)
    let column = try #require(try await wide.read { try $0.record("Item", Self.id)?["count"] })
    let kept = try await wide.checkup().first { $0.name == "keptValues" }?.level == .warning
    #expect(column == value || (column == .null && kept))
  }

  @Test func `a later value takes the place of one that stayed carried`() async throws {
    let world = try MigrationWorld()
    _ = try await narrow(world, .text("7"))
    let wide = try await world.open(ModelText.item(ModelText.name, ModelText.count))
    #expect(try await wide.read { try $0.record("Item", Self.id)?["count"] } == .integer(0))

    try await wide.write { try $0.update("Item", Self.id, values: ["count": .integer(8)]) }

    #expect(try await wide.outgoing(for: 2).deltas.first?.versions["count"]?.value == .integer(8))
    #expect(try await wide.checkup().first { $0.name == "keptValues" }?.level == .ok)
    let narrow = try await world.open(ModelText.item(ModelText.name))
    #expect(
      try await narrow.outgoing(for: 2).deltas.first?.versions["count"]?.value == .integer(8))
  }

  @Test func `a later value of another device does so too`() async throws {
    let world = try MigrationWorld()
    _ = try await narrow(world, .text("7"))
    let wide = try await world.open(ModelText.item(ModelText.name, ModelText.count))
    let life = Stamp(rawValue: 900)
    func send(_ stamp: Int64, _ value: Int64) async throws {
      try await wide.receive(
        [
          RecordDelta(
            key: Self.key,
            versions: [
              "count": Version(life: life, stamp: Stamp(rawValue: stamp), value: .integer(value))
            ])
        ], from: 1)
    }

    try await send(940, 1)
    #expect(
      try await wide.outgoing(for: 2).deltas.first?.versions["count"]?.value == .text("7"))
    try await send(960, 2)

    #expect(
      try await wide.outgoing(for: 2).deltas.first?.versions["count"]?.value == .integer(2))
    #expect(try await wide.read { try $0.record("Item", Self.id)?["count"] } == .integer(2))
  }

  @Test(arguments: values)
  func `an added entity takes in what fits and carries the rest`(value: Value) async throws {
    let world = try MigrationWorld()
    let old = try await world.open("\"Other\": {}")
    let life = Stamp(rawValue: 900)
    try await old.receive(
      [
        RecordDelta(
          key: Self.key, birth: life,
          versions: ["count": Version(life: life, stamp: life, value: value)])
      ], from: 1)
    let facts = try await old.facts()

    let new = try await world.open(
      "\"Other\": {}, " + ModelText.item(ModelText.name, ModelText.count))

    #expect(try await new.facts() == facts)
    let gone = try await world.open("\"Other\": {}")
    #expect(try await gone.facts() == facts)
  }

  @Test func `values pass through an older device and show after its upgrade`() async throws {
    let wideText =
      "{\"entities\": {\(ModelText.item(ModelText.name, ModelText.count, ModelText.data)), \"Extra\": {\"attributes\": {\(ModelText.name)}}}}"
    let first = try await Store.open(.memory, schema: Schema(parsing: wideText))
    let last = try await Store.open(.memory, schema: Schema(parsing: wideText))
    let world = try MigrationWorld()
    let between = try await world.open(ModelText.item(ModelText.name))
    try await first.write {
      try $0.insert(
        "Item", id: Self.id,
        values: ["name": .text("n"), "count": .integer(9), "data": .blob([0, 9])])
      try $0.insert("Extra", id: RecordID(text: "e"), values: ["name": .text("extra")])
    }

    try await between.receive(try await first.outgoing(for: 1).deltas, from: 1)
    try await between.write { try $0.update("Item", Self.id, values: ["name": .text("edited")]) }
    try await last.receive(try await between.outgoing(for: 2).deltas, from: 1)
    try await first.receive(try await between.outgoing(for: 1).deltas, from: 1)

    #expect(try await last.facts() == first.facts())
    let upgraded = try await Store.open(.file(world.path), schema: Schema(parsing: wideText))
    #expect(try await upgraded.facts() == first.facts())
    #expect(
      try await upgraded.read { try $0.record("Item", Self.id)?.values }
        == ["name": .text("edited"), "count": .integer(9), "data": .blob([0, 9])])
    #expect(
      try await upgraded.read { try $0.record("Extra", RecordID(text: "e"))?["name"] }
        == .text("extra"))
  }
}
