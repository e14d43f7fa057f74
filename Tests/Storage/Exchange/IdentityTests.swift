import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// C13: records with an identity meet in one first life, and seeds win over nothing.
@Suite struct IdentityTests {
  private static let id = RecordID(text: "theme")
  private static let key = RecordKey(entity: "Setting", id: RecordID(text: "theme"))

  private func store(_ clock: ManualClock = ManualClock()) async throws -> Store {
    try await Store.open(
      .memory, schema: SampleSchema.todo(), options: StoreOptions(clock: clock.wall))
  }

  private func seed(_ store: Store, _ value: String = "light") async throws -> Int {
    try await store.write {
      try $0.seed("Setting", [["key": .text("theme"), "value": .text(value)]])
    }
  }

  private func value(_ store: Store) async throws -> Value? {
    try await store.read { try $0.record("Setting", Self.id)?["value"] }
  }

  private func exchange(_ one: Store, _ two: Store) async throws {
    let (left, right) = (try await one.outgoing(for: 1), try await two.outgoing(for: 1))
    try await one.receive(right.deltas, from: 1)
    try await two.receive(left.deltas, from: 1)
  }

  @Test func `C13: a seed is born at stamp 1, and so are its values`() async throws {
    let store = try await store()

    #expect(try await seed(store) == 1)

    let shadow = try #require(try await store.read { try $0.shadow("Setting", Self.id) })
    #expect(shadow.born == .firstLife)
    #expect(shadow.stamps == ["key": .firstLife, "value": .firstLife])
  }

  @Test func `C13: a later installation's seed does not win over an edit`() async throws {
    let clock = ManualClock()
    let (old, new) = (try await store(clock), try await store(clock))
    _ = try await seed(old)
    try await old.write { try $0.update("Setting", Self.id, values: ["value": .text("dark")]) }
    clock.milliseconds += 86_400_000

    _ = try await seed(new)
    try await exchange(old, new)

    #expect(try await value(old) == .text("dark"))
    #expect(try await value(new) == .text("dark"))
    #expect(try await old.facts() == new.facts())
  }

  @Test func `C13: two different seeds meet in one value`() async throws {
    let (one, two) = (try await store(), try await store())
    _ = try await seed(one, "dark")
    _ = try await seed(two, "light")

    try await exchange(one, two)

    #expect(try await value(one) == .text("light"))
    #expect(try await one.facts() == two.facts())
  }

  @Test func `C13: an insert by another client begins the same first life`() async throws {
    let (one, two) = (try await store(), try await store())
    _ = try await seed(one)
    let client = try ForeignClient(two.path)

    try client.run("INSERT INTO Setting(id, key, value) VALUES ('theme', 'theme', 'dark')")
    try await exchange(one, two)

    #expect(try await value(one) == .text("dark"))
    #expect(try await one.facts() == two.facts())
    #expect(try await one.facts()[Self.key]?.born == .firstLife)
  }

  @Test func `C13: a seed does not revive what was deleted, and an insert does`()
    async throws
  {
    let store = try await store()
    _ = try await seed(store)
    try await store.write { try $0.delete("Setting", Self.id) }

    #expect(try await seed(store) == 0)
    #expect(try await value(store) == nil)

    try await store.write {
      try $0.insert("Setting", values: ["key": .text("theme"), "value": .text("dark")])
    }
    let shadow = try #require(try await store.read { try $0.shadow("Setting", Self.id) })
    #expect(shadow.died == .firstLife)
    #expect(shadow.born > .firstLife)
  }

  @Test func `C13: an edit that arrives before the first life meets the local insert`()
    async throws
  {
    let (one, two) = (try await store(), try await store())
    _ = try await seed(one)
    let birth = try await one.outgoing(for: 1)
    try await one.write { try $0.update("Setting", Self.id, values: ["value": .text("dark")]) }
    let edit = try await one.outgoing(for: 1, after: birth.head)

    try await two.receive(edit.deltas, from: 1)
    #expect(try await seed(two) == 1)
    try await two.receive(birth.deltas, from: 1)

    #expect(try await value(two) == .text("dark"))
    #expect(try await one.facts() == two.facts())
    let log = try await two.read { try $0.log() }
    #expect(log.map(\.kind) == [.parked, .insert, .update])
  }

  @Test func `C13: the properties of an identity cannot be edited`() async throws {
    let store = try await store()
    _ = try await seed(store)

    await #expect(throws: StorageError.self) {
      try await store.write { try $0.update("Setting", Self.id, values: ["key": .text("x")]) }
    }

    #expect(try await store.read { try $0.record("Setting", Self.id)?["key"] } == .text("theme"))
  }

  @Test func `C13: only an entity with an identity is seeded`() async throws {
    let store = try await store()

    let error = await #expect(throws: StorageError.self) {
      try await store.write { try $0.seed("Tag", [["name": .text("x")]]) }
    }

    #expect(error?.message == "Could not seed Tag, it has no identity.")
  }

  @Test func `C13: a bar in a value does not make one id of two identities`() async throws {
    let schema = try Schema(
      parsing: """
        {"entities": {"Pair": {"attributes": {
          "a": {"type": "text", "default": ""}, "b": {"type": "text", "default": ""}},
          "identity": ["a", "b"]}}}
        """)
    let store = try await Store.open(.memory, schema: schema)
    let pairs = [
      ("x|y", "z"), ("x", "y|z"), ("x\\", "|z"), ("x\\|", "z"), ("", "|"), ("|\u{301}", ""),
    ]

    let ids = try await store.write { write in
      try pairs.map {
        try write.insert("Pair", values: ["a": .text($0.0), "b": .text($0.1)]).description
      }
    }

    #expect(Set(ids).count == pairs.count)
    #expect(ids.first == "x\\|y|z")
    let client = try ForeignClient(store.path)
    try client.run("INSERT INTO Pair(id, a, b) VALUES ('p\\|\\\\|q', 'p|\\', 'q')")
    #expect(throws: ForeignClient.Failure.self) {
      try client.run("INSERT INTO Pair(id, a, b) VALUES ('p|r|q', 'p|r', 'q')")
    }
  }

  @Test func `C13: an identity of several properties of any type is the same text in SQL`()
    async throws
  {
    let schema = try Schema(
      parsing: """
        {"entities": {
          "Part": {"attributes": {"name": {"type": "text", "default": ""}}, "relationships": {
            "uses": {"to": "Use", "inverse": "part", "many": true}}},
          "Use": {"attributes": {
            "n": {"type": "integer", "default": 0}, "u": {"type": "uuid", "optional": true},
            "d": {"type": "data", "optional": true}, "t": {"type": "text", "optional": true},
            "b": {"type": "boolean", "default": false}},
            "relationships": {"part": {"to": "Part", "inverse": "uses", "onDelete": "cascade"}},
            "identity": ["n", "u", "d", "t", "b", "part"]}
        }}
        """)
    let store = try await Store.open(.memory, schema: schema)
    let part = RecordID(bytes: Array(0..<16))

    let id = try await store.write {
      try $0.insert("Part", id: part, values: [:])
      return try $0.insert(
        "Use",
        values: [
          "n": .integer(-7), "u": .blob(Array(16..<32)), "d": .blob([0, 255]), "t": .null,
          "b": .integer(1), "part": part.value,
        ])
    }

    #expect(
      id.description
        == "-7|101112131415161718191a1b1c1d1e1f|00ff||1|000102030405060708090a0b0c0d0e0f")
  }
}
