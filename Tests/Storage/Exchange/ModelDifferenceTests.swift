import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// C16, C20, C21 and C29: stores with different models, and references to what is not here.
@Suite struct ModelDifferenceTests {
  private static let id = RecordID(text: "x")
  private static let key = RecordKey(entity: "Item", id: RecordID(text: "x"))

  /// An item with some attributes, in the manner of a model file.
  private static func schema(_ attributes: String) throws -> Schema {
    try Schema(parsing: "{\"entities\": {\"Item\": {\"attributes\": {\(attributes)}}}}")
  }

  private static let name = "\"name\": {\"type\": \"text\", \"default\": \"\"}"
  private static let title = """
    "title": {"type": "text", "default": "", "renamedFrom": "name"}
    """

  private static func count(_ fallback: Int) -> String {
    "\"count\": {\"type\": \"integer\", \"default\": \(fallback)}"
  }

  @Test func `C16: an added default is never sent`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("store.sqlite")
    let old = try await Store.open(.file(path), schema: Self.schema(Self.name))
    try await old.write { try $0.insert("Item", id: Self.id, values: ["name": .text("n")]) }
    old.close()

    let new = try await Store.open(
      .file(path), schema: Self.schema(Self.name + "," + Self.count(1)))

    #expect(
      try await new.read { try $0.record("Item", Self.id)?["count"] } == .integer(1))
    #expect(try await new.outgoing(for: 1).deltas.map { $0.versions.keys.sorted() } == [["name"]])
    #expect(
      try await new.read { try $0.shadow("Item", Self.id)?.stamps["count"] } == .unset)
  }

  @Test func `C16: two models with different defaults each show their own, and agree`()
    async throws
  {
    let one = try await Store.open(.memory, schema: Self.schema(Self.name))
    let two = try await Store.open(
      .memory, schema: Self.schema(Self.name + "," + Self.count(0)))
    let three = try await Store.open(
      .memory, schema: Self.schema(Self.name + "," + Self.count(1)))
    try await one.write { try $0.insert("Item", id: Self.id, values: ["name": .text("n")]) }

    try await two.receive(try await one.outgoing(for: 1).deltas, from: 1)
    try await three.receive(try await two.outgoing(for: 2).deltas, from: 1)
    try await two.receive(try await three.outgoing(for: 2).deltas, from: 2)

    #expect(try await two.read { try $0.record("Item", Self.id)?["count"] } == .integer(0))
    #expect(try await three.read { try $0.record("Item", Self.id)?["count"] } == .integer(1))
    #expect(try await two.facts() == three.facts())
  }

  @Test func `C16: unset loses to the oldest edit`() async throws {
    let store = try await Store.open(
      .memory, schema: Self.schema(Self.name + "," + Self.count(1)))
    let life = Stamp(rawValue: 900)
    try await store.receive([RecordDelta(key: Self.key, birth: life)], from: 1)

    try await store.receive(
      [
        RecordDelta(
          key: Self.key,
          versions: ["count": Version(life: life, stamp: Stamp(rawValue: 2), value: .integer(5))])
      ], from: 1)

    #expect(try await store.read { try $0.record("Item", Self.id)?["count"] } == .integer(5))
  }

  @Test func `C20: edits of a renamed property meet under its first name`() async throws {
    let clock = ManualClock()
    let options = StoreOptions(clock: clock.wall)
    let one = try await Store.open(
      .memory, schema: Self.schema(Self.name), options: options)
    let two = try await Store.open(
      .memory, schema: Self.schema(Self.title), options: options)
    try await one.write { try $0.insert("Item", id: Self.id, values: ["name": .text("n")]) }
    try await two.receive(try await one.outgoing(for: 1).deltas, from: 1)
    clock.milliseconds += 1

    try await two.write { try $0.update("Item", Self.id, values: ["title": .text("t")]) }
    let sent = try await two.outgoing(for: 1).deltas
    try await one.receive(sent, from: 1)

    #expect(sent.map { $0.versions.keys.sorted() } == [["name"]])
    #expect(try await one.read { try $0.record("Item", Self.id)?["name"] } == .text("t"))
    #expect(try await one.facts() == two.facts())
  }

  @Test func `C21: a record whose parent has not arrived can be saved`() async throws {
    let one = try await Store.open(.memory, schema: SampleSchema.todo())
    let two = try await Store.open(.memory, schema: SampleSchema.todo())
    let list = TodoList(title: "Home")
    var item = TodoItem("milk")
    item.list = Reference(list)
    let saved = item
    try await one.write {
      try $0.save(list)
      try $0.save(saved)
    }
    let orphan = try await one.outgoing(for: 1).deltas.filter { $0.key.entity == "TodoItem" }
    try await two.receive(orphan, from: 1)

    item.name = "oat milk"
    let edited = item
    try await two.write { try $0.save(edited) }
    try await two.write {
      try $0.update(
        "TodoItem", edited.id, values: ["priority": .integer(3), "list": list.id.value])
    }
    let client = try ForeignClient(two.path, foreignKeys: true)
    try client.run("UPDATE TodoItem SET note = 'n'")

    let found = try await two.read { try $0.fetch(TodoItem.self, id: edited.id) }
    #expect(found?.name == "oat milk")
    #expect(found?.priority == 3)
    #expect(found?.note == "n")
    #expect(found?.list == Reference(list))
  }

  @Test func `C21: a reference to nothing is refused in words`() async throws {
    let store = try await Store.open(.memory, schema: SampleSchema.todo())

    let error = await #expect(throws: StorageError.self) {
      try await store.write {
        try $0.insert("TodoItem", values: ["list": .text("nowhere")])
      }
    }

    #expect(error?.code == .constraint)
    #expect(
      error?.message
        == "Could not save, a relationship points at a record that is not in the store.")
    #expect(try await store.read { try $0.logHead() } == 0)
  }

  @Test(arguments: [false, true])
  func `C29: carried fields go with the life that insert or replace ends`(
    recursiveTriggers: Bool
  ) async throws {
    let one = try await Store.open(
      .memory, schema: Self.schema(Self.name + "," + Self.count(1)))
    let two = try await Store.open(.memory, schema: Self.schema(Self.name))
    try await one.write { try $0.insert("Item", id: Self.id, values: ["count": .integer(5)]) }
    try await two.receive(try await one.outgoing(for: 1).deltas, from: 1)
    #expect(try await two.facts()[Self.key]?.versions["count"]?.value == .integer(5))

    let client = try ForeignClient(two.path, recursiveTriggers: recursiveTriggers)
    try client.run("INSERT OR REPLACE INTO Item(id, name) VALUES ('x', 'n')")
    try await one.receive(try await two.outgoing(for: 1).deltas, from: 1)

    let carried = try await two.facts()[Self.key]?.versions["count"]?.value
    #expect(carried == (recursiveTriggers ? nil : .integer(5)))
    #expect(
      try await one.read { try $0.record("Item", Self.id)?["count"] }
        == .integer(recursiveTriggers ? 1 : 5))
    #expect(try await one.facts() == two.facts())
  }
}
