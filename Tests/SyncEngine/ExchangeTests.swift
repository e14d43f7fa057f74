import Strandline
import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// What one device exchanges with another through real stores and a cloud in memory.
@Suite struct ExchangeTests {
  private let time = TestTime()
  private let cloud: MemoryCloud

  init() {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
  }

  @Test func `a store that was filled before it syncs is exported as a whole`() async throws {
    let a = try await TestDevice("a", nil, time)
    for number in 0..<50 { try await a.insert("item \(number)") }

    try await a.use(cloud)
    let report = try await a.sync()
    let b = try await TestDevice("b", cloud, time)
    try await b.sync()

    #expect(report.exported == 50)
    #expect(try await b.names() == a.names())
  }

  @Test func `a zone that takes small pages gets small pages`() async throws {
    let small = MemoryCloud(
      clock: time.clock, seed: 1, limits: TransportLimits(pageRecords: 7))
    let a = try await TestDevice("a", small, time)
    for number in 0..<25 { try await a.insert("item \(number)") }
    #expect(try await a.sync().exported == 25)
    let b = try await TestDevice("b", small, time)
    try await b.sync()
    #expect(try await b.names() == a.names())
  }

  @Test func `what plain SQL wrote goes out with the next cycle`() async throws {
    let a = try await TestDevice("a", cloud, time)
    let b = try await TestDevice("b", cloud, time)
    try await a.sync()
    let connection = try Connection(path: a.store.path, readOnly: false)
    try connection.run("INSERT INTO TodoItem(name) VALUES ('by hand')")

    try await a.sync()
    try await b.sync()

    #expect(try await b.names() == ["by hand"])
  }

  @Test func `C5: an import that changes nothing writes no log row and sends nothing`()
    async throws
  {
    let a = try await TestDevice("a", cloud, time)
    let b = try await TestDevice("b", cloud, time)
    try await a.insert("milk")
    try await a.sync()
    try await b.sync()
    let (headA, headB) = (try await a.logHead(), try await b.logHead())

    for _ in 0..<3 {
      for device in [a, b] {
        let report = try await device.sync()
        #expect(report.exported == 0)
        #expect(report.imported == 0)
      }
    }

    #expect(try await a.logHead() == headA)
    #expect(try await b.logHead() == headB)
  }

  @Test func `C5: a pending delete is sent though a later birth was imported meanwhile`()
    async throws
  {
    let a = try await TestDevice("a", cloud, time)
    let b = try await TestDevice("b", cloud, time)
    let c = try await TestDevice("c", cloud, time)
    let id = try await a.insert("first life")
    for device in [a, b, c] { try await device.sync() }
    try await a.store.write { try $0.delete("TodoItem", id) }
    time.advance()
    try await b.store.write {
      try $0.delete("TodoItem", id)
      try $0.insert("TodoItem", id: id, values: ["name": .text("second life")])
    }
    try await b.sync()

    let report = try await a.sync()
    try await c.sync()

    #expect(report.exported == 1)
    #expect(try await a.names() == ["second life"])
    #expect(try await c.names() == ["second life"])
    #expect(try await a.status()?.pending == 0)
  }

  @Test func `toggles within one millisecond end alike everywhere`() async throws {
    let a = try await TestDevice("a", cloud, time)
    let b = try await TestDevice("b", cloud, time)
    let id = try await a.insert("lamp")
    for turn in 1...7 {
      let done: Value = .integer(Int64(turn % 2))
      try await a.store.write { try $0.update("TodoItem", id, values: ["done": done]) }
      if turn == 3 { try await a.sync() }
    }

    try await a.sync()
    try await b.sync()
    try await a.sync()

    for device in [a, b] {
      #expect(try await device.store.read { try $0.record("TodoItem", id)?["done"] } == .integer(1))
    }
  }

  @Test func `an edit made while a send is in flight stays pending and goes out next`()
    async throws
  {
    let gate = GatedTransport(MemoryTransport(cloud: cloud))
    let a = try await TestDevice("a", nil, time)
    let b = try await TestDevice("b", cloud, time)
    try await a.synced.use(gate)
    let id = try await a.insert("before")
    gate.whenSending { try await a.rename(id, "during") }

    let report = try await a.sync()

    #expect(report.exported == 1)
    #expect(try await a.status()?.pending == 1)
    #expect(try await a.status()?.standing == .working)
    try await a.sync()
    try await b.sync()
    #expect(try await b.names() == ["during"])
    #expect(try await a.status()?.pending == 0)
  }

  @Test func `two offline edits of one property leave the loser listed on both devices`()
    async throws
  {
    let (a, b, id) = try await pair("milk")
    try await a.rename(id, "oat milk")
    time.advance()
    try await b.rename(id, "soy milk")

    for device in [a, b, a, b] { try await device.sync() }

    #expect(try await a.names() == ["soy milk"])
    #expect(try await b.names() == ["soy milk"])
    #expect(try await a.conflicts() == ["name = oat milk"])
    #expect(try await b.conflicts() == ["name = oat milk"])
  }

  @Test func `an edit that a delete elsewhere beats is listed on both devices`() async throws {
    let (a, b, id) = try await pair("milk")
    try await a.store.write { try $0.delete("TodoItem", id) }
    time.advance()
    try await b.rename(id, "oat milk")

    for device in [a, b, a, b] { try await device.sync() }

    #expect(try await a.names().isEmpty)
    #expect(try await b.names().isEmpty)
    #expect(try await a.conflicts() == ["name = oat milk"])
    #expect(try await b.conflicts() == ["name = oat milk"])
  }

  @Test func `edits of two properties of one record both stay and are no conflict`() async throws {
    let (a, b, id) = try await pair("milk")
    try await a.rename(id, "oat milk")
    try await b.store.write { try $0.update("TodoItem", id, values: ["priority": .integer(3)]) }

    for device in [a, b, a, b] { try await device.sync() }

    for device in [a, b] {
      let record = try await device.store.read { try $0.record("TodoItem", id) }
      #expect(record?["name"] == .text("oat milk"))
      #expect(record?["priority"] == .integer(3))
      #expect(try await device.conflicts().isEmpty)
    }
  }

  @Test func `a refused record is set aside, and arrives whole after its next edit`() async throws {
    let a = try await TestDevice("a", cloud, time)
    let b = try await TestDevice("b", cloud, time)
    let bad = try await a.insert("refused")
    try await a.insert("taken")
    a.panel.update { $0.refusedRecords = [bad] }

    let report = try await a.sync()
    try await b.sync()

    #expect(report.setAside == 1)
    #expect(try await a.status()?.setAside == 1)
    #expect(try await a.status()?.pending == 0)
    #expect(try await b.names() == ["taken"])
    a.panel.update { $0.refusedRecords = [] }
    try await a.store.write { try $0.update("TodoItem", bad, values: ["priority": .integer(1)]) }
    try await a.sync()
    try await b.sync()
    #expect(Set(try await b.names()) == ["refused", "taken"])
    #expect(try await a.status()?.setAside == 0)
    #expect(try await b.status()?.parked == 0)
  }

  @Test func `C17: a refusal is not forgotten when the answer to the rest is lost`() async throws {
    let gate = GatedTransport(MemoryTransport(cloud: cloud))
    let a = try await TestDevice("a", nil, time)
    let b = try await TestDevice("b", cloud, time)
    try await a.synced.use(FaultyTransport(gate, panel: a.panel, sleep: { _ in }))
    // Of a first sync the answer would be asked for again.
    try await a.sync()
    let bad = try await a.insert("refused")
    try await a.insert("taken")
    a.panel.update { $0.refusedRecords = [bad] }
    gate.whenSending {
      throw TransportError(.unreachable, "Silence.", remedy: .retry(afterMilliseconds: nil))
    }

    #expect(try await a.sync().error != nil)
    #expect(try await a.sync().exported == 0)

    #expect(try await a.status()?.setAside == 1)
    a.panel.update { $0.refusedRecords = [] }
    try await a.rename(bad, "allowed")
    try await a.sync()
    try await b.sync()
    #expect(Set(try await b.names()) == ["allowed", "taken"])
    #expect(try await a.status()?.setAside == 0)
  }

  /// Two devices that hold one item.
  private func pair(_ name: String) async throws -> (TestDevice, TestDevice, RecordID) {
    let a = try await TestDevice("a", cloud, time)
    let b = try await TestDevice("b", cloud, time)
    let id = try await a.insert(name)
    try await a.sync()
    try await b.sync()
    time.advance()
    return (a, b, id)
  }

  @Test func `C22: of two values with one stamp the loser is listed everywhere`() async throws {
    let (ahead, time) = (TestTime(), TestTime())
    ahead.advance(10_000)
    let cloud = MemoryCloud(clock: time.clock, seed: 1)
    let first = try await TestDevice("first", cloud, ahead)
    let a = try await TestDevice("a", cloud, time)
    let b = try await TestDevice("b", cloud, time)
    let id = try await first.insert("milk")
    for device in [first, a, b] { try await device.sync() }

    // Both clocks stand behind what they have read, so both take the stamp after it.
    try await a.rename(id, "x")
    try await b.rename(id, "y")
    for device in [a, b, a, first] { try await device.sync() }

    for device in [a, b, first] {
      #expect(try await device.names() == ["y"])
      #expect(try await device.conflicts() == ["name = x"])
    }
  }
}
