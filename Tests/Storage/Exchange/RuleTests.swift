import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// The counterexamples of lives, stamps and pending changes, each between stores.
@Suite struct RuleTests {
  private static let id = RecordID(text: "x")
  private static let key = RecordKey(entity: "TodoItem", id: RecordID(text: "x"))

  private func stores(
    _ count: Int, _ clock: ManualClock = ManualClock()
  ) async throws -> [Store] {
    var stores: [Store] = []
    for _ in 0..<count {
      stores.append(
        try await Store.open(
          .memory, schema: SampleSchema.todo(), options: StoreOptions(clock: clock.wall)))
    }
    return stores
  }

  private func insert(
    _ name: String, in store: Store, id: RecordID = RuleTests.id
  ) async throws {
    try await store.write {
      try $0.insert("TodoItem", id: id, values: ["name": .text(name)])
    }
  }

  private func set(_ name: String, _ value: Value, in store: Store) async throws {
    try await store.write { try $0.update("TodoItem", Self.id, values: [name: value]) }
  }

  private func record(_ store: Store) async throws -> Record? {
    try await store.read { try $0.record("TodoItem", Self.id) }
  }

  @Test func `C1: a peer keeps the last of two toggles in one millisecond`() async throws {
    let clock = ManualClock()
    let stores = try await stores(2, clock)
    try await insert("x", in: stores[0])
    let client = try ForeignClient(stores[0].path, clock: clock)

    try client.run("UPDATE TodoItem SET priority = 2")
    let first = try await stores[0].outgoing(for: 1)
    try client.run("UPDATE TodoItem SET priority = 1")
    let second = try await stores[0].outgoing(for: 1, after: first.head)
    try await stores[1].receive(second.deltas + first.deltas, from: 1)

    #expect(try await record(stores[1])?["priority"] == .integer(1))
  }

  @Test func `C1: a delete reaches a peer although the clock stepped back`() async throws {
    let clock = ManualClock()
    let stores = try await stores(2, clock)
    let client = try ForeignClient(stores[0].path, clock: clock)

    try client.run("INSERT INTO TodoItem(id) VALUES ('x')")
    try await stores[1].receive(try await stores[0].outgoing(for: 1).deltas, from: 1)
    clock.milliseconds -= 60_000
    try client.run("DELETE FROM TodoItem")
    try await stores[1].receive(try await stores[0].outgoing(for: 1).deltas, from: 1)

    #expect(try await record(stores[1]) == nil)
    #expect(try await stores[1].read { try $0.disagreements() } == [])
  }

  @Test func `C2: an edit of the old life does not show in the new one`() async throws {
    let stores = try await stores(2)
    try await insert("old", in: stores[0])
    try await stores[1].receive(try await stores[0].outgoing(for: 1).deltas, from: 1)
    try await stores[1].write { try $0.delete("TodoItem", Self.id) }
    try await insert("new", in: stores[1])
    try await set("note", .text("late"), in: stores[0])

    let one = try await stores[0].outgoing(for: 1)
    let two = try await stores[1].outgoing(for: 1)
    try await stores[0].receive(two.deltas, from: 1)
    try await stores[1].receive(one.deltas, from: 1)

    for store in stores {
      #expect(try await record(store)?["name"] == .text("new"))
      #expect(try await record(store)?["note"] == .null)
    }
    #expect(try await stores[0].facts() == stores[1].facts())
  }

  @Test func `C2: a late delete spares a life that it never saw`() async throws {
    let clock = ManualClock()
    let stores = try await stores(3, clock)
    try await insert("old", in: stores[0])
    let birth = try await stores[0].outgoing(for: 1)
    for store in stores[1...] { try await store.receive(birth.deltas, from: 1) }
    try await stores[1].write { try $0.delete("TodoItem", Self.id) }
    try await insert("new", in: stores[1])
    clock.milliseconds += 60_000
    try await stores[2].write { try $0.delete("TodoItem", Self.id) }

    let new = try await stores[1].outgoing(for: 1).deltas
    let late = try await stores[2].outgoing(for: 1).deltas
    try await stores[0].receive(late + new, from: 1)
    try await stores[2].receive(new, from: 1)
    try await stores[1].receive(late, from: 1)

    for store in stores { #expect(try await record(store)?["name"] == .text("new")) }
  }

  @Test func `C2: when a birth rises, what it did not write is unset`() async throws {
    let stores = try await stores(3)
    try await insert("one", in: stores[0])
    try await set("priority", .integer(5), in: stores[0])
    let other = RecordDelta(
      key: Self.key, birth: Stamp(milliseconds: 2_000_000_000_000),
      versions: [
        "note": Version(
          life: Stamp(milliseconds: 2_000_000_000_000),
          stamp: Stamp(milliseconds: 2_000_000_000_000), value: .text("n"))
      ])

    let own = try await stores[0].outgoing(for: 1).deltas
    try await stores[0].receive([other], from: 1)
    try await stores[1].receive(own + [other], from: 1)
    try await stores[2].receive([other] + own, from: 1)

    let facts = try await stores[0].facts()
    #expect(facts[Self.key]?.versions.keys.sorted() == ["note"])
    #expect(try await record(stores[0])?["priority"] == .integer(0))
    for store in stores { #expect(try await store.facts() == facts) }
  }

  @Test func `C2: an edit of a life that has not arrived waits for it`() async throws {
    let stores = try await stores(2)
    try await insert("x", in: stores[0])
    let birth = try await stores[0].outgoing(for: 1)
    try await set("note", .text("n"), in: stores[0])
    let edit = try await stores[0].outgoing(for: 1, after: birth.head)

    try await stores[1].receive(edit.deltas, from: 1)
    #expect(try await record(stores[1]) == nil)
    try await stores[1].receive(birth.deltas, from: 1)

    #expect(try await record(stores[1])?["note"] == .text("n"))
    #expect(try await stores[0].facts() == stores[1].facts())
  }

  @Test func `C5: a pending delete is sent although a later birth was imported`() async throws {
    let clock = ManualClock()
    let stores = try await stores(2, clock)
    try await insert("x", in: stores[0])
    try await stores[1].receive(try await stores[0].outgoing(for: 1).deltas, from: 1)
    let birth = try await stores[0].outgoing(for: 1)
    try await stores[0].write { try $0.delete("TodoItem", Self.id) }
    clock.milliseconds += 1_000
    try await stores[1].write { try $0.delete("TodoItem", Self.id) }
    try await insert("again", in: stores[1])
    let later = try await stores[1].outgoing(for: 2).deltas.map {
      RecordDelta(key: $0.key, birth: $0.birth, versions: $0.versions)
    }

    try await stores[0].receive(later, from: 1)

    let pending = try await stores[0].outgoing(for: 1, after: birth.head).deltas
    #expect(pending.map(\.death?.life) == [birth.deltas.first?.birth])
    #expect(try await record(stores[0])?["name"] == .text("again"))
  }

  @Test func `C5: a pending edit is sent although the peer's own edit won`() async throws {
    let clock = ManualClock()
    let stores = try await stores(2, clock)
    try await insert("x", in: stores[0])
    let birth = try await stores[0].outgoing(for: 1)
    try await stores[1].receive(birth.deltas, from: 1)
    try await set("note", .text("mine"), in: stores[0])
    clock.milliseconds += 1_000
    try await set("note", .text("theirs"), in: stores[1])

    try await stores[0].receive(try await stores[1].outgoing(for: 1).deltas, from: 1)

    let pending = try await stores[0].outgoing(for: 1, after: birth.head).deltas
    #expect(pending.map { $0.versions["note"]?.value } == [.text("theirs")])
  }

  @Test func `C5: what came from a peer is pending for all but that peer`() async throws {
    let stores = try await stores(2)
    try await insert("x", in: stores[0])
    let birth = try await stores[0].outgoing(for: 1).deltas

    try await stores[1].receive(birth, from: 1)

    #expect(try await stores[1].outgoing(for: 1).deltas.isEmpty)
    #expect(try await stores[1].outgoing(for: 2).deltas == birth)
  }

  @Test func `C5: an import that changes nothing writes no history`() async throws {
    let stores = try await stores(2)
    try await insert("x", in: stores[0])
    try await set("note", .text("n"), in: stores[0])
    let deltas = try await stores[0].outgoing(for: 1).deltas
    try await stores[1].receive(deltas, from: 1)
    let before = try await stores[1].read { (try $0.log(), try $0.transactions()) }

    try await stores[1].receive(deltas + deltas, from: 2)

    let after = try await stores[1].read { (try $0.log(), try $0.transactions()) }
    #expect(before.0 == after.0)
    #expect(before.1 == after.1)
  }

  @Test func `C5: an edit from one peer reaches the peer whose birth it waited for`()
    async throws
  {
    let stores = try await stores(3)
    try await insert("x", in: stores[0])
    let birth = try await stores[0].outgoing(for: 1)
    try await set("note", .text("n"), in: stores[0])
    let edit = try await stores[0].outgoing(for: 1, after: birth.head)

    try await stores[1].receive(edit.deltas, from: 1)
    try await stores[1].receive(birth.deltas, from: 2)
    try await stores[2].receive(birth.deltas, from: 1)
    try await stores[2].receive(try await stores[1].outgoing(for: 2).deltas, from: 1)

    #expect(try await record(stores[2])?["note"] == .text("n"))
  }
}
