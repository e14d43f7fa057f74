import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// C1: stamps rise whatever the clock does, for other clients and for Strandline's own writes.
@Suite struct CaptureClockTests {
  private static let id = RecordID(text: "x")
  private static let start: Int64 = 1_800_000_000_000

  /// How the clock moves between two statements, in milliseconds.
  static let steps: [Int64] = [1, 0, -1, -5_000]

  private struct World {
    let clock = ManualClock(milliseconds: CaptureClockTests.start)
    let store: Store
    let client: ForeignClient

    init() async throws {
      store = try await Store.open(
        .memory, schema: SampleSchema.todo(), options: StoreOptions(clock: clock.wall))
      client = try ForeignClient(store.path, clock: clock)
    }

    func shadow() async throws -> ShadowRow {
      try #require(try await store.read { try $0.shadow("TodoItem", CaptureClockTests.id) })
    }
  }

  @Test func `another client's stamp is the time, the salt, and nothing else`() async throws {
    let world = try await World()
    let salt = try await world.store.read {
      UInt16(try $0.connection.integer("SELECT salt FROM strandline_clock"))
    }

    try world.client.run("INSERT INTO TodoItem(id) VALUES ('x')")

    let shadow = try await world.shadow()
    #expect(shadow.born == Stamp(milliseconds: Self.start, counter: salt))
    #expect(shadow.stamps.values.allSatisfy { $0 == shadow.born })
    #expect(shadow.died == .unset)
  }

  @Test func `C1: a second write in one millisecond has a later stamp`() async throws {
    let world = try await World()
    try world.client.run("INSERT INTO TodoItem(id) VALUES ('x')")

    var last = try await world.shadow().born
    for priority in [2, 1, 2, 1] {
      try world.client.run("UPDATE TodoItem SET priority = \(priority)")
      let stamp = try await world.shadow().stamps["priority"]
      #expect(stamp == last.next)
      last = last.next
    }
  }

  @Test(arguments: steps)
  func `C1: a delete ends the life that it saw`(step: Int64) async throws {
    let world = try await World()
    try world.client.run("INSERT INTO TodoItem(id) VALUES ('x')")
    world.clock.milliseconds += step

    try world.client.run("DELETE FROM TodoItem")

    let shadow = try await world.shadow()
    #expect(shadow.died == shadow.born)
    #expect(!shadow.isAlive)
    #expect(shadow.deleted >= shadow.born)
  }

  @Test(arguments: steps)
  func `C1: an insert after a delete begins a later life`(step: Int64) async throws {
    let world = try await World()
    try world.client.run("INSERT INTO TodoItem(id) VALUES ('x')")
    let first = try await world.shadow().born
    world.clock.milliseconds += step

    try world.client.script(
      "BEGIN; DELETE FROM TodoItem; INSERT INTO TodoItem(id) VALUES ('x'); COMMIT")

    let shadow = try await world.shadow()
    #expect(shadow.died == first)
    #expect(shadow.isAlive)
    #expect(shadow.stamps.values.allSatisfy { $0 == shadow.born })
  }

  @Test(arguments: steps)
  func `C1: an own transaction that deletes and inserts uses two stamps`(
    step: Int64
  ) async throws {
    let world = try await World()
    try await world.store.write { try $0.insert("TodoItem", id: Self.id, values: [:]) }
    let before = try await world.store.read { try $0.seen() }
    world.clock.milliseconds += step

    try await world.store.write {
      try $0.delete("TodoItem", Self.id)
      try $0.insert("TodoItem", id: Self.id, values: [:])
      try $0.delete("TodoItem", Self.id)
      try $0.insert("TodoItem", id: Self.id, values: ["name": .text("again")])
    }

    let shadow = try await world.shadow()
    let seen = try await world.store.read { try $0.seen() }
    #expect(shadow.isAlive)
    #expect(shadow.born == shadow.died.next)
    #expect(shadow.died > before)
    #expect(seen >= shadow.born)
  }

  @Test(arguments: steps)
  func `C1: an update is later than its insert`(step: Int64) async throws {
    let world = try await World()
    try world.client.run("INSERT INTO TodoItem(id) VALUES ('x')")
    world.clock.milliseconds += step

    try world.client.run("UPDATE TodoItem SET name = 'z'")

    let shadow = try await world.shadow()
    #expect(try #require(shadow.stamps["name"]) > shadow.born)
    #expect(shadow.stamps["note"] == shadow.born)
  }

  @Test(arguments: steps)
  func `C1: an own transaction is later than unsealed rows of others`(
    step: Int64
  ) async throws {
    let world = try await World()
    try world.client.run("INSERT INTO TodoItem(id) VALUES ('x')")
    for priority in 1...5 {
      try world.client.run("UPDATE TodoItem SET priority = \(priority)")
    }
    let foreign = try #require(try await world.shadow().stamps["priority"])
    world.clock.milliseconds += step

    try await world.store.write {
      try $0.update("TodoItem", Self.id, values: ["priority": .integer(9)])
    }

    let own = try #require(try await world.shadow().stamps["priority"])
    #expect(own > foreign)
    #expect(try await world.store.read { try $0.seen() } == own)
  }

  @Test func `an own transaction has one stamp, however often it writes a property`()
    async throws
  {
    let world = try await World()

    try await world.store.write {
      try $0.insert("TodoItem", id: Self.id, values: [:])
      try $0.insert("TodoItem", id: RecordID(text: "y"), values: [:])
      for priority in 1...3 {
        try $0.update("TodoItem", Self.id, values: ["priority": .integer(Int64(priority))])
      }
    }

    let shadows = try await world.store.read { try $0.shadows("TodoItem") }
    let seen = try await world.store.read { try $0.seen() }
    #expect(shadows.count == 2)
    #expect(shadows.values.allSatisfy { $0.stamps.values.allSatisfy { $0 == seen } })
    #expect(shadows.values.allSatisfy { $0.born == seen })
  }

  @Test func `an own transaction leaves no stamp behind for other clients`() async throws {
    let world = try await World()
    try await world.store.write { try $0.insert("TodoItem", id: Self.id, values: [:]) }
    world.clock.milliseconds += 10

    try world.client.run("UPDATE TodoItem SET name = 'z'")

    let name = try #require(try await world.shadow().stamps["name"])
    #expect(name.milliseconds == Self.start + 10)
  }
}
