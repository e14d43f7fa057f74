import StrandlineModels
import StrandlineStorage
import Testing

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
