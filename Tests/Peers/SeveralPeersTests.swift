import Strandline
import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// One store follows several peers at once.
struct SeveralPeersTests {
  private let time = TestTime()
  private let cloud: MemoryCloud

  init() {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
  }

  private func transport(_ name: String) -> MemoryTransport {
    MemoryTransport(cloud: cloud.named(name))
  }

  @Test func `one call syncs with every followed peer and reports each`() async throws {
    let a = try await PeerDevice("a", time, following: [transport("one"), transport("two")])
    try await a.insert("milk")

    let report = try await a.sync()

    #expect(report.peers.map(\.peer) == ["memory:one", "memory:two"])
    #expect(report.peers.map(\.exported) == [1, 1])
    #expect(report.exported == 2)
    #expect(report.caughtUpAt == time.clock.milliseconds)
    #expect(report.error == nil)
    for name in ["memory:one", "memory:two"] {
      #expect(try await a.status(name)?.standing == .caughtUp)
    }
  }

  @Test func `what comes from one peer goes to the other in the same call, and nothing returns`()
    async throws
  {
    let one = CountingTransport(transport("one"))
    let two = CountingTransport(transport("two"))
    let a = try await PeerDevice("a", time, following: [transport("one")])
    let b = try await PeerDevice("b", time, following: [one, two])
    let c = try await PeerDevice("c", time, following: [transport("two")])
    let milk = try await a.insert("milk")
    try await a.sync()

    let report = try await b.sync()
    try await c.sync()

    #expect(report["memory:one"]?.imported == 1)
    #expect(report["memory:two"]?.exported == 1)
    #expect(one.counts.records == 0)
    #expect(try await c.names() == ["milk"])
    time.advance()
    try await c.rename(milk, "oat milk")
    for device in [c, b, a] { try await device.sync() }
    #expect(try await a.names() == ["oat milk"])
  }

  @Test func `an idle pair of bridged zones sends nothing`() async throws {
    let transports = [transport("one"), transport("two")].map { CountingTransport($0) }
    let a = try await PeerDevice("a", time, following: [transport("one")])
    let b = try await PeerDevice("b", time, following: transports)
    let c = try await PeerDevice("c", time, following: [transport("two")])
    let milk = try await a.insert("milk")
    for device in [a, b, c] { try await device.sync() }
    time.advance()
    try await a.rename(milk, "from a")
    time.advance()
    try await c.rename(milk, "from c")
    for device in [a, b, c, b, a, c, b] { try await device.sync() }

    for transport in transports { transport.reset() }
    for device in [a, b, c, b, a, b] { try await device.sync() }

    #expect(transports.map(\.counts.pages) == [0, 0])
    #expect(transports.map(\.counts.records) == [0, 0])
    for device in [a, b, c] {
      #expect(try await device.names() == ["from c"])
      #expect(try await device.conflicts() == ["name = from a"], "\(device.name)")
    }
  }

  @Test func `a peer that is down neither hides nor holds up another`() async throws {
    let panel = FaultPanel(seed: 1)
    let a = try await PeerDevice(
      "a", time,
      following: [
        FaultyTransport(transport("one"), panel: panel, sleep: { _ in }), transport("two"),
      ])
    panel.update { $0.isDown = true }
    try await a.insert("milk")

    let report = try await a.sync()

    #expect(report["memory:one"]?.error?.codeName == "unreachable")
    #expect(report["memory:two"]?.error == nil)
    #expect(report["memory:two"]?.exported == 1)
    #expect(report.error?.codeName == "unreachable")
    #expect(report.caughtUpAt == nil)
    let (down, up) = (try await a.status("memory:one"), try await a.status("memory:two"))
    #expect(down?.standing == .waiting)
    #expect(down?.pending == 1)
    #expect(up?.standing == .caughtUp)
    #expect(up?.reason == nil)
  }

  @Test func `a wait names the peers that are behind, and the others are caught up`()
    async throws
  {
    let panel = FaultPanel(seed: 1)
    let a = try await PeerDevice(
      "a", time,
      following: [
        FaultyTransport(transport("one"), panel: panel, sleep: { _ in }), transport("two"),
      ])
    panel.update { $0.isDown = true }
    try await a.insert("milk")

    let error = await #expect(throws: SyncError.self) {
      try await a.synced.waitUntilCaughtUp(timeout: .zero)
    }

    #expect(error?.code == .notCaughtUp)
    #expect(error?.message.contains("'memory:one'") == true)
    #expect(error?.message.contains("memory:two") == false)
    #expect(try await a.status("memory:two")?.standing == .caughtUp)
    panel.update { $0.isDown = false }
    let report = try await a.synced.waitUntilCaughtUp(timeout: .seconds(60))
    #expect(report.caughtUpAt != nil)
    #expect(report.peers.map(\.exported) == [1, 0])
  }

  @Test func `a wait passes on what one peer brought`() async throws {
    let a = try await PeerDevice("a", time, following: [transport("one")])
    let b = try await PeerDevice("b", time, following: [transport("two"), transport("one")])
    try await a.insert("milk")
    try await a.sync()

    let report = try await b.synced.waitUntilCaughtUp(timeout: .seconds(60))

    #expect(report["memory:two"]?.exported == 1)
    #expect(report["memory:one"]?.imported == 1)
    #expect(try await b.status("memory:two")?.pending == 0)
  }

  @Test func `all engines of a store share one lease, and the last gives it back`() async throws {
    let a = try await PeerDevice("a", time, following: [transport("one"), transport("two")])
    try await a.sync()
    let other = try await Store.open(.file(a.store.path), schema: a.store.schema)
    let second = SyncEngine(
      store: other, transport: transport("three"),
      options: SyncEngine.Options(deviceName: "second"))

    let one = try #require(try await a.peer("memory:one"))
    try await a.synced.forget(one.id)
    let error = await #expect(throws: StorageError.self) { try await second.syncNow() }

    #expect(error?.code == .leaseHeld)
    try await a.sync()
    await a.synced.close()
    try await second.syncNow()
    await second.stop()
  }

  @Test func `two transports to one zone are told apart and one of them is refused`()
    async throws
  {
    let a = try await PeerDevice(
      "a", time,
      following: [transport("one"), CountingTransport(transport("one"), name: "memory:alias")])
    try await a.insert("milk")
    try await a.synced.syncNow(with: TransportSpecification("memory:one"))

    let report = try await a.synced.syncNow(with: TransportSpecification("memory:alias"))

    #expect(report.error?.codeName == "sameZone")
    #expect(report.exported == 0)
    #expect(try await a.status("memory:alias")?.standing == .blocked)
    #expect(try await a.status("memory:one")?.standing == .caughtUp)
  }

  @Test func `an account that the person named is the only one that is synced with`()
    async throws
  {
    let login = MemoryLogin(.available("somebody"))
    let counting = CountingTransport(MemoryTransport(cloud: cloud.named("one"), login: login))
    let a = try await PeerDevice("a", time)
    try await a.synced.use([SyncedStore.Peer(counting, account: "me")])
    try await a.insert("milk")

    let report = try await a.sync()

    let status = try #require(try await a.status("memory:one"))
    #expect(report.error?.codeName == "wrongAccount")
    #expect(counting.counts == CountingTransport.Counts())
    #expect(status.standing == .blocked)
    #expect(status.reason?.contains("'me'") == true)
    #expect(status.pending == 1)
    login.state = .available("me")
    #expect(try await a.sync().exported == 1)
  }

  @Test func `what a zone lacks holds back that it is caught up, and only its own peer`()
    async throws
  {
    let lacking = CountingTransport(transport("one"))
    let a = try await PeerDevice("a", time, following: [lacking, transport("two")])
    lacking.setWaitingFor(["Waiting for 1 file of phone (change 3)."])

    let report = try await a.sync()

    let status = try #require(try await a.status("memory:one"))
    #expect(report["memory:one"]?.caughtUpAt == nil)
    #expect(report["memory:one"]?.waitingFor == ["Waiting for 1 file of phone (change 3)."])
    #expect(report["memory:two"]?.caughtUpAt != nil)
    #expect(status.standing == .working)
    #expect(status.waitingFor == ["Waiting for 1 file of phone (change 3)."])
    #expect(
      Wording().standing(status, time: { "\($0)" }) == "Waiting for 1 file of phone (change 3).")
    let error = await #expect(throws: SyncError.self) {
      try await a.synced.waitUntilCaughtUp(timeout: .zero)
    }
    #expect(error?.message.contains("Waiting for 1 file of phone") == true)
    lacking.setWaitingFor([])
    try await a.sync()
    #expect(try await a.status("memory:one")?.standing == .caughtUp)
  }
}
