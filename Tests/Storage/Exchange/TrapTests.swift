import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// C12 and C28: what SQLite does under the triggers and to values.
@Suite struct TrapTests {
  private static let id = RecordID(text: "x")
  private static let key = RecordKey(entity: "TodoItem", id: RecordID(text: "x"))

  private func store(_ model: String? = nil) async throws -> Store {
    try await Store.open(
      .memory, schema: model.map { try Schema(parsing: $0) } ?? SampleSchema.todo())
  }

  @Test(arguments: [false, true])
  func `C12: an outer insert or replace leaves the death in the shadow`(
    recursiveTriggers: Bool
  ) async throws {
    let store = try await store()
    let client = try ForeignClient(store.path, recursiveTriggers: recursiveTriggers)
    try client.run("INSERT INTO TodoItem(id) VALUES ('x')")
    try client.run("DELETE FROM TodoItem")
    let died = try #require(try await store.read { try $0.shadow("TodoItem", Self.id) }).died

    try client.run("INSERT OR REPLACE INTO TodoItem(id) VALUES ('x')")

    let shadow = try #require(try await store.read { try $0.shadow("TodoItem", Self.id) })
    #expect(shadow.died == died)
    #expect(shadow.born > died)
  }

  @Test func `C12: a row that or ignore skips is not captured`() async throws {
    let store = try await store()
    let client = try ForeignClient(store.path)
    try client.run("INSERT INTO TodoItem(id) VALUES ('x')")
    let head = try await store.read { try $0.logHead() }

    try client.run("INSERT OR IGNORE INTO TodoItem(id, name) VALUES ('x', 'y')")
    try client.run("UPDATE OR IGNORE TodoItem SET name = name")

    #expect(try await store.read { try $0.log(after: head) }.isEmpty)
  }

  @Test func `C12: values are told apart by type and by byte`() async throws {
    let store = try await store(HistoryShape.modelFile)
    let client = try ForeignClient(store.path)
    try client.run("INSERT INTO Node(id, b, d) VALUES ('x', 'e', 1)")
    let head = try await store.read { try $0.logHead() }

    for value in ["1.0", "'1'", "x'31'", "NULL", "x''", "''"] {
      try client.run("UPDATE Node SET d = \(value)")
    }
    for value in ["'E'", "'e '", "'e'"] { try client.run("UPDATE Node SET b = \(value)") }

    let log = try await store.read { try $0.log(after: head) }
    #expect(log.map(\.properties) == Array(repeating: ["d"], count: 6) + [["b"], ["b"], ["b"]])
  }

  @Test func `C12: a table has no row number by which a record could be replaced`()
    async throws
  {
    let store = try await store()
    let client = try ForeignClient(store.path)

    #expect(throws: ForeignClient.Failure.self) {
      try client.run("INSERT OR REPLACE INTO TodoItem(rowid, id) VALUES (1, 'y')")
    }
  }

  @Test func `C12: sequences are not used again after the log was pruned`() async throws {
    let store = try await store()
    let client = try ForeignClient(store.path)
    try client.run("INSERT INTO TodoItem(id) VALUES ('x')")
    try await store.write { _ in }
    let head = try await store.read { try $0.logHead() }
    try client.script("DELETE FROM strandline_log; DELETE FROM strandline_transaction")

    try await store.write { try $0.delete("TodoItem", Self.id) }

    let log = try await store.read { try $0.log() }
    #expect(log.map(\.sequence) == [head + 1])
  }

  @Test func `C12: an import does not cascade, and captures nothing twice`() async throws {
    let store = try await store()
    let list = RecordID(text: "l")
    try await store.write {
      try $0.insert("TodoList", id: list, values: [:])
      try $0.insert("TodoItem", id: Self.id, values: ["list": list.value])
    }
    let (head, born) = try await store.read {
      (try $0.logHead(), try #require(try $0.shadow("TodoList", list)).born)
    }

    try await store.receive(
      [
        RecordDelta(
          key: RecordKey(entity: "TodoList", id: list), death: Death(life: born, stamp: born.next))
      ], from: 1)

    let (log, item) = try await store.read {
      (try $0.log(after: head), try $0.record("TodoItem", Self.id))
    }
    #expect(log.map(\.what) == [.delete("TodoList", "l")])
    #expect(item?["list"] == list.value)
  }

  @Test func `C12: a row that vanished without a trigger is damage and no delete`()
    async throws
  {
    let store = try await store()
    try await store.write { try $0.insert("TodoItem", id: Self.id, values: ["name": .text("a")]) }
    let born = try #require(try await store.read { try $0.shadow("TodoItem", Self.id) }).born
    let client = try ForeignClient(store.path)
    client.setTriggers(false)
    try client.run("DELETE FROM TodoItem")

    let pending = try await store.outgoing(for: 1).deltas
    #expect(pending.allSatisfy { $0.death == nil && $0.versions.isEmpty })

    let version = Version(life: born, stamp: born.next, value: .text("b"))
    try await store.receive([RecordDelta(key: Self.key, versions: ["name": version])], from: 1)
    let (record, shadow) = try await store.read {
      (try $0.record("TodoItem", Self.id), try $0.shadow("TodoItem", Self.id))
    }
    #expect(record?["name"] == .text("b"))
    #expect(shadow?.stamps["note"] == .unset)
  }

  @Test func `C28: what SQLite stored is what is sent`() async throws {
    let store = try await store(HistoryShape.modelFile)
    let client = try ForeignClient(store.path)
    try client.run("INSERT INTO Node(id, a, b, d) VALUES ('x', '7', 7, '7')")
    try client.run("INSERT INTO Node(id, a, b, d) VALUES ('y', '7 apples', x'37', 7.0)")

    let sent = try await store.outgoing(for: 1).deltas
    let values = Dictionary(
      uniqueKeysWithValues: sent.map { ($0.key.id.description, $0.versions.mapValues(\.value)) })

    #expect(values["x"] == ["a": .integer(7), "b": .text("7"), "d": .text("7")])
    #expect(values["y"] == ["a": .text("7 apples"), "b": .blob([0x37]), "d": .real(7)])
    let other = try await self.store(HistoryShape.modelFile)
    let applied = try await other.receive(sent, from: 1)
    #expect(applied.allSatisfy { $0.unstorable.isEmpty })
    #expect(try await other.facts() == store.facts())
  }

  static let unstorable: [(String, Value)] = [
    ("a", .text("7")), ("a", .text(" -7.5e3 ")), ("a", .text(".5")), ("a", .real(7)),
    ("b", .integer(7)), ("b", .real(1.5)), ("d", .real(-0.0)), ("d", .real(.nan)),
    ("a", .real(.nan)),
  ]

  @Test(arguments: unstorable)
  func `C28: a value that a column would change is carried beside it, and the rest goes on`(
    name: String, value: Value
  ) async throws {
    let store = try await store(HistoryShape.modelFile)
    let life = Stamp(milliseconds: 1_800_000_000_000)
    let key = RecordKey(entity: "Node", id: Self.id)
    var delta = RecordDelta(key: key, birth: life)
    for other in ["a", "b", "d"] {
      delta.versions[other] = Version(life: life, stamp: life, value: .null)
    }
    delta.versions[name]?.value = value

    let applied = try await store.receive([delta], from: 1)

    #expect(applied[0].unstorable.map(\.property) == [name])
    let facts = try #require(try await store.facts()[key])
    // Where SQLite can hold it, it is carried beside its column, which shows its default.
    if applied[0].unstorable[0].isCarried {
      #expect(facts.versions[name]?.value == value)
    } else {
      #expect(facts.versions[name] == nil)
    }
    #expect(try await store.read { try $0.record("Node", Self.id)?[name] } != value)
    #expect(facts.versions.count == (applied[0].unstorable[0].isCarried ? 3 : 2))
    #expect(try await store.receive([delta], from: 1)[0].outcome.isNothing)
  }

  static let storable: [(String, Value)] = [
    ("a", .text("7 apples")), ("a", .text("-")), ("a", .text("1e")), ("a", .text("0x10")),
    ("a", .text("\u{0663}")), ("a", .text("")), ("a", .text("1 2")), ("a", .real(7.5)),
    ("a", .blob([0x37])), ("b", .text("7")), ("d", .text("7")), ("d", .real(7)),
    ("a", .real(1e300)), ("a", .text("Infinity")), ("a", .text("1.e")), ("a", .text("7\u{A0}")),
  ]

  @Test(arguments: storable)
  func `C28: a value that a column keeps is stored as it was sent`(
    name: String, value: Value
  ) async throws {
    let store = try await store(HistoryShape.modelFile)
    let life = Stamp(milliseconds: 1_800_000_000_000)
    let key = RecordKey(entity: "Node", id: Self.id)
    let delta = RecordDelta(
      key: key, birth: life, versions: [name: Version(life: life, stamp: life, value: value)])

    let applied = try await store.receive([delta], from: 1)

    #expect(applied[0].unstorable.isEmpty)
    #expect(try await store.facts()[key]?.versions[name]?.value == value)
  }
}
