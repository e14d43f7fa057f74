import StrandlineModels
import StrandlineStorage
import Testing

/// A store keeps everything when entities come, go, and change their names.
@Suite struct EntityMigrationTests {
  private static let id = RecordID(text: "x")

  @Test func `an added entity takes in the records that arrived before it`() async throws {
    let world = try MigrationWorld()
    let source = try await Store.open(
      .memory,
      schema: Schema(
        parsing:
          "{\"entities\": {\(ModelText.item(ModelText.name, ModelText.data, more: ModelText.toList)),"
          + "\(ModelText.list)}}"))
    try await source.write {
      try $0.insert("List", id: RecordID(text: "l"), values: ["name": .text("L")])
      try $0.insert(
        "Item", id: Self.id, values: ["name": .text("n"), "data": .blob([1]), "list": .text("l")])
      try $0.insert("Item", id: RecordID(text: "dead"), values: [:])
    }
    try await source.write { try $0.delete("Item", RecordID(text: "dead")) }
    let old = try await world.open("\"Other\": {\"attributes\": {\(ModelText.name)}}")
    try await old.receive(try await source.outgoing(for: 1).deltas, from: 1)
    let facts = try await old.facts().mapValues(\.agreed)
    #expect(facts.count == 3)

    let narrow = try await world.open(
      "\"Other\": {\"attributes\": {\(ModelText.name)}}," + ModelText.item(ModelText.name))
    #expect(try await narrow.facts().mapValues(\.agreed) == facts)
    #expect(try await narrow.read { try $0.record("Item", Self.id)?["name"] } == .text("n"))
    let wide = try await world.open(
      "\"Other\": {\"attributes\": {\(ModelText.name)}},"
        + ModelText.item(ModelText.name, ModelText.data, more: ModelText.toList) + ","
        + ModelText.list)

    #expect(try await wide.facts().mapValues(\.agreed) == facts)
    #expect(
      try await wide.read { try $0.record("Item", Self.id)?.values }
        == ["name": .text("n"), "data": .blob([1]), "list": .text("l")])
    #expect(try await wide.read { try $0.disagreements() } == [])
  }

  @Test func `a removed entity is carried, sent and merged, and comes back`() async throws {
    let world = try MigrationWorld()
    let both =
      ModelText.item(ModelText.name, ModelText.count, more: ModelText.toList) + "," + ModelText.list
    let first = try await world.open(both)
    try await first.write {
      try $0.insert("List", id: RecordID(text: "l"), values: ["name": .text("L")])
      try $0.insert("Item", id: Self.id, values: ["name": .text("n"), "list": .text("l")])
      try $0.insert("Item", id: RecordID(text: "dead"), values: [:])
    }
    try await first.write { try $0.delete("Item", RecordID(text: "dead")) }
    let sent = try await first.outgoing(for: 1).head
    try await first.write { try $0.update("Item", Self.id, values: ["count": .integer(5)]) }
    let before = try await first.facts()

    let second = try await world.open(
      "\"List\": {\"attributes\": {\(ModelText.name)}}")
    #expect(try await second.facts() == before)
    let pending = try await second.outgoing(for: 1, after: sent).deltas
    #expect(pending.map { $0.versions.mapValues(\.value) } == [["count": .integer(5)]])
    let third = try await world.open(both)

    #expect(try await third.facts().mapValues(\.agreed) == before.mapValues(\.agreed))
    #expect(
      try await third.read { try $0.record("Item", Self.id)?.values }
        == ["name": .text("n"), "count": .integer(5), "list": .text("l")])
  }

  @Test func `a local entity that the model no longer has stays local`() async throws {
    let world = try MigrationWorld()
    let list = "\"List\": {\"attributes\": {\(ModelText.name)}}"
    let first = try await world.open(
      list + "," + ModelText.item(ModelText.name, more: ", \"configuration\": \"local\""))
    try await first.write { try $0.insert("Item", id: Self.id, values: ["name": .text("secret")]) }
    #expect(try await first.outgoing(for: 1).deltas.isEmpty)

    let second = try await world.open(list)

    #expect(try await second.outgoing(for: 1).deltas.isEmpty)
    #expect(try await second.read { try $0.pendingCounts(after: 0, for: 1) }.isEmpty)
  }

  @Test func `a local entity that becomes synced is sent whole`() async throws {
    let world = try MigrationWorld()
    let first = try await world.open(
      ModelText.item(ModelText.name, more: ", \"configuration\": \"local\""))
    try await first.write { try $0.insert("Item", id: Self.id, values: ["name": .text("n")]) }
    let head = try await first.read { try $0.logHead() }

    let second = try await world.open(ModelText.item(ModelText.name))

    let pending = try await second.outgoing(for: 1, after: head).deltas
    #expect(pending.map { $0.versions.mapValues(\.value) } == [["name": .text("n")]])
    #expect(pending.first?.birth != nil)
  }

  @Test func `opening with the same model changes nothing`() async throws {
    let world = try MigrationWorld()
    let first = try await world.open(ModelText.item(ModelText.name))
    let version = try await first.read { try $0.connection.integer("PRAGMA schema_version") }

    let second = try await world.open(ModelText.item(ModelText.name))

    #expect(
      try await second.read { try $0.connection.integer("PRAGMA schema_version") } == version)
  }

  @Test func `links outlive the renaming of both of their sides`() async throws {
    let world = try MigrationWorld()
    let old = try await world.open(
      """
      "Tag": {"relationships": {"items": {"to": "Item", "inverse": "tags", "many": true}}},
      "Item": {"relationships": {"tags": {"to": "Tag", "inverse": "items", "many": true}}}
      """)
    let tag = RecordID(text: "t")
    try await old.write {
      try $0.insert("Item", id: Self.id, values: [:])
      try $0.insert("Tag", id: tag, values: [:])
      try $0.link("Item", Self.id, "tags", to: tag)
    }
    let before = try await old.facts()

    let new = try await world.open(
      """
      "Label": {"renamedFrom": "Tag", "relationships": {
        "things": {"to": "Thing", "inverse": "labels", "many": true, "renamedFrom": "items"}}},
      "Thing": {"renamedFrom": "Item", "relationships": {
        "labels": {"to": "Label", "inverse": "things", "many": true, "renamedFrom": "tags"}}}
      """)

    let labels = try await new.read { read in
      try read.related(try #require(try read.record("Thing", Self.id)), "labels").map(\.id)
    }
    #expect(labels == [tag])
    #expect(try await new.facts() == before)
  }

  @Test func `an entity of no properties is captured, sent and imported`() async throws {
    let world = try MigrationWorld()
    let store = try await world.open("\"Item\": {}")
    let other = try await Store.open(
      .memory, schema: Schema(parsing: "{\"entities\": {\"Item\": {}}}"))
    let client = try ForeignClient(world.path)

    try client.script(
      """
      INSERT INTO Item(id) VALUES ('x'), ('y');
      INSERT OR REPLACE INTO Item(id) VALUES ('x');
      DELETE FROM Item WHERE id = 'y';
      """)
    try await other.receive(try await store.outgoing(for: 1).deltas, from: 1)

    #expect(try await other.read { try $0.records(Query("Item")) }.map(\.id) == [Self.id])
    #expect(
      try await other.facts().mapValues(\.agreed) == store.facts().mapValues(\.agreed))
  }
}
