import StrandlineModels
import StrandlineStorage
import Testing

/// A store keeps everything through every change of its properties.
@Suite struct MigrationTests {
  private static let id = RecordID(text: "x")

  @Test func `an added property shows its default and is captured from then on`()
    async throws
  {
    let world = try MigrationWorld()
    let old = try await world.open(ModelText.item(ModelText.name))
    try await old.write { try $0.insert("Item", id: Self.id, values: ["name": .text("n")]) }
    let before = try await old.facts()

    let new = try await world.open(ModelText.item(ModelText.name, ModelText.count))
    #expect(try await new.facts() == before)
    let client = try ForeignClient(world.path)
    try client.run("UPDATE Item SET count = 5")

    let log = try await new.read { try $0.log(after: 1) }
    #expect(log.map(\.what) == [.update("Item", "x", ["count"])])
    #expect(try await new.facts().values.first?.versions["count"]?.value == .integer(5))
  }

  @Test func `a removed property is carried, and comes back byte for byte`() async throws {
    let world = try MigrationWorld()
    let wide = ModelText.item(ModelText.name, ModelText.count, ModelText.data)
    let first = try await world.open(wide)
    try await first.write {
      try $0.insert(
        "Item", id: Self.id,
        values: ["name": .text("n"), "count": .integer(7), "data": .blob([0, 0xFF, 0])])
      try $0.insert("Item", id: RecordID(text: "y"), values: ["data": .null])
    }
    try await first.write { try $0.update("Item", Self.id, values: ["count": .integer(8)]) }
    let client = try ForeignClient(world.path)
    try client.run("UPDATE Item SET data = 1.5 WHERE id = 'y'")
    let before = try await first.facts()

    let second = try await world.open(ModelText.item(ModelText.name))
    #expect(try await second.facts() == before)
    #expect(try await second.read { try $0.record("Item", Self.id)?.values.count } == 1)
    let third = try await world.open(wide)

    #expect(try await third.facts() == before)
    let records = try await third.read { try $0.records(Query("Item")) }
    #expect(records.map { $0["data"] } == [.blob([0, 0xFF, 0]), .real(1.5)])
    #expect(records.map { $0["count"] } == [.integer(8), .integer(0)])
  }

  @Test func `a pending change of a removed property is still sent`() async throws {
    let world = try MigrationWorld()
    let wide = try await world.open(ModelText.item(ModelText.name, ModelText.count))
    try await wide.write { try $0.insert("Item", id: Self.id, values: [:]) }
    let sent = try await wide.outgoing(for: 1).head
    try await wide.write { try $0.update("Item", Self.id, values: ["count": .integer(8)]) }

    let narrow = try await world.open(ModelText.item(ModelText.name))

    let pending = try await narrow.outgoing(for: 1, after: sent).deltas
    #expect(pending.map { $0.versions.mapValues(\.value) } == [["count": .integer(8)]])
  }

  @Test func `a carried change of a property that the model has again is still sent`()
    async throws
  {
    let world = try MigrationWorld()
    let narrow = try await world.open(ModelText.item(ModelText.name))
    try await narrow.write { try $0.insert("Item", id: Self.id, values: [:]) }
    let sent = try await narrow.outgoing(for: 2).head
    let born = try #require(try await narrow.read { try $0.shadow("Item", Self.id) }).born
    let version = Version(life: born, stamp: born.next, value: .integer(9))
    try await narrow.receive(
      [RecordDelta(key: RecordKey(entity: "Item", id: Self.id), versions: ["count": version])],
      from: 1)

    let wide = try await world.open(ModelText.item(ModelText.name, ModelText.count))

    let pending = try await wide.outgoing(for: 2, after: sent).deltas
    #expect(pending.map { $0.versions["count"] } == [version])
    #expect(try await wide.read { try $0.record("Item", Self.id)?["count"] } == .integer(9))
  }

  @Test func `a renamed property and entity keep values, stamps and history`() async throws {
    let world = try MigrationWorld()
    let old = try await world.open(
      ModelText.item(ModelText.name, more: ModelText.toList) + "," + ModelText.list)
    try await old.write {
      try $0.insert("List", id: RecordID(text: "l"), values: [:])
      try $0.insert("Item", id: Self.id, values: ["name": .text("n"), "list": .text("l")])
    }
    let before = try await old.facts()

    let new = try await world.open(
      """
      "Entry": {"renamedFrom": "Item", "attributes": {
        "title": {"type": "text", "default": "", "renamedFrom": "name"}}, "relationships": {
        "folder": {"to": "Folder", "inverse": "entries", "renamedFrom": "list",
          "onDelete": "cascade"}}, "indexes": [["title"]]},
      "Folder": {"renamedFrom": "List", "attributes": {\(ModelText.name)}}
      """)

    #expect(try await new.facts() == before)
    let client = try ForeignClient(world.path, foreignKeys: true)
    try client.run("UPDATE Entry SET title = 't'")
    let record = try await new.read { try $0.record("Entry", Self.id) }
    #expect(record?.values == ["title": .text("t"), "folder": .text("l")])
    let pending = try await new.outgoing(for: 1, after: 2).deltas
    #expect(pending.map(\.key.entity) == ["Item"])
    #expect(pending.map { $0.versions.keys.sorted() } == [["name"]])
  }

  @Test func `a changed delete rule, default or type holds from then on`() async throws {
    let world = try MigrationWorld()
    let old = try await world.open(
      ModelText.item(ModelText.name, more: ModelText.toList) + "," + ModelText.list)
    try await old.write {
      try $0.insert("List", id: RecordID(text: "l"), values: [:])
      try $0.insert("Item", id: Self.id, values: ["name": .text("7"), "list": .text("l")])
    }
    let before = try await old.facts()
    let client = try ForeignClient(world.path, foreignKeys: true)
    try client.script("CREATE INDEX mine ON Item(name)")

    let new = try await world.open(
      """
      "Item": {"attributes": {"name": {"type": "data", "optional": true}}, "relationships": {
        "list": {"to": "List", "inverse": "items", "onDelete": "cascade"}}},
      "List": {"attributes": {"name": {"type": "text", "default": "new"}}}
      """)

    #expect(try await new.facts() == before)
    try client.run("INSERT INTO List(id) VALUES ('m')")
    #expect(
      try await new.read { try $0.record("List", RecordID(text: "m"))?["name"] } == .text("new"))
    try client.run("UPDATE Item SET name = 7")
    #expect(
      try await new.read { try $0.record("Item", Self.id)?["name"] } == .integer(7))
    try client.run("DELETE FROM List")
    #expect(try await new.read { try $0.records(Query("Item")) }.isEmpty)
    #expect(try client.run("SELECT 1 FROM sqlite_schema WHERE name = 'mine'").count == 1)
    #expect(try await new.read { try $0.disagreements() } == [])
  }

  @Test(arguments: [1, 61, 62, 63, 124, 125, 200])
  func `an entity of many properties is captured in all of them`(count: Int) async throws {
    let attributes = (0..<count).map { "\"p\($0)\": {\"type\": \"integer\", \"default\": 0}" }
    let world = try MigrationWorld()
    let store = try await world.open(
      "\"Item\": {\"attributes\": {\(attributes.joined(separator: ","))}}")
    let client = try ForeignClient(world.path)
    let all = Set((0..<count).map { "p\($0)" })

    try client.run("INSERT INTO Item(id) VALUES ('x')")
    let sets = (0..<count).map { "p\($0) = 1" }.joined(separator: ", ")
    try client.run("UPDATE Item SET \(sets)")
    try client.run("UPDATE Item SET p\(count - 1) = 2")
    try client.run("INSERT OR REPLACE INTO Item(id) VALUES ('x')")

    let log = try await store.read { try $0.log() }
    #expect(Set(log.filter { $0.sequence > 1 }.flatMap(\.properties)) == all)
    #expect(log.filter { $0.properties == ["p\(count - 1)"] }.count >= 1)
    let pending = try await store.outgoing(for: 1, after: 1).deltas
    #expect(pending.first.map { Set($0.versions.keys) } == all)
    let seen = try await store.read { try $0.seen() }
    #expect(try await store.read { try $0.greatestStamp() } <= seen)
  }
}
