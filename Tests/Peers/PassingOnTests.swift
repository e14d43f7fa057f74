import Strandline
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// C27: what is imported from one zone is passed on to another when the first one's head is
/// reached, and not before.
struct PassingOnTests {
  private let time = TestTime()
  private let cloud: MemoryCloud
  private let first: CountingTransport
  private let second: CountingTransport

  init() {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
    first = CountingTransport(MemoryTransport(cloud: cloud.named("first")))
    second = CountingTransport(MemoryTransport(cloud: cloud.named("second")))
  }

  private func transport(_ name: String) -> MemoryTransport {
    MemoryTransport(cloud: cloud.named(name))
  }

  /// Applies what is fetched in pieces of one page, so that a catch-up can be cut short.
  private func bridge() async throws -> (PeerDevice, SyncEngine, SyncEngine) {
    let device = try await PeerDevice("b", time, following: [])
    let lease = StoreLease(device.store)
    var options = SyncEngine.Options(deviceName: "b")
    options.stagedChanges = 1
    let engines = [first, second].map {
      SyncEngine(store: device.store, transport: $0, options: options, lease: lease)
    }
    for engine in engines { try await engine.start() }
    return (device, engines[0], engines[1])
  }

  private func fill() async throws -> PeerDevice {
    let a = try await PeerDevice("a", time, following: [transport("first")])
    for index in 0..<4 { try await a.insert("item \(index)") }
    try await a.sync()
    return a
  }

  @Test func `imports of a catch-up that is cut short stay here, and local saves go out`()
    async throws
  {
    _ = try await fill()
    let (b, one, two) = try await bridge()
    let c = try await PeerDevice("c", time, following: [transport("second")])
    first.limit(pageSize: 1, fetches: 2)
    #expect(try await one.syncNow().error?.codeName == "unreachable")
    #expect(try await b.names().count == 2)
    try await b.insert("local")

    let report = try await two.syncNow()
    try await c.sync()

    #expect(report.exported == 1)
    #expect(report.caughtUpAt == nil)
    #expect(try await c.names() == ["local"])
    #expect(try await b.status("memory:second")?.pending == 2)
    #expect(try await b.status("memory:second")?.standing != .caughtUp)
    // A further cycle has nothing to say.
    second.reset()
    try await two.syncNow()
    #expect(second.counts.pages == 0)

    first.limit()
    try await one.syncNow()
    let rest = try await two.syncNow()
    try await c.sync()

    #expect(rest.exported == 4)
    #expect(rest.caughtUpAt != nil)
    #expect(try await c.names().count == 5)
    #expect(try await b.status("memory:second")?.pending == 0)
    second.reset()
    try await two.syncNow()
    #expect(second.counts.pages == 0)
  }

  @Test func `what was left out goes even where nothing new follows it`() async throws {
    _ = try await fill()
    let (b, one, two) = try await bridge()
    // Everything has come, but the zone could not say yet that this was all.
    first.limit(fetches: 1, hidesHead: true)
    _ = try await one.syncNow()
    #expect(try await b.names().count == 4)
    try await b.insert("local")
    #expect(try await two.syncNow().exported == 1)
    first.limit()
    try await one.syncNow()

    #expect(try await two.syncNow().exported == 4)

    let c = try await PeerDevice("c", time, following: [transport("second")])
    try await c.sync()
    #expect(try await c.names().count == 5)
    #expect(try await b.status("memory:second")?.pending == 0)
    #expect(try await b.store.checkup().filter { $0.level == .problem } == [])
  }

  @Test func `what was left out holds history back until it has gone out`() async throws {
    _ = try await fill()
    let (b, one, two) = try await bridge()
    first.limit(pageSize: 1, fetches: 2)
    _ = try await one.syncNow()
    try await b.insert("local")
    try await two.syncNow()
    time.advance(400 * 86_400_000)

    let report = try await b.store.prune(RetentionPolicy(historyDays: 1))

    #expect(report.holds.map(\.name).contains("memory:second"))
    first.limit()
    try await one.syncNow()
    try await two.syncNow()
    let c = try await PeerDevice("c", time, following: [transport("second")])
    try await c.sync()
    #expect(try await c.names().count == 5)
  }

  @Test func `a peer that is no longer followed holds nothing back`() async throws {
    _ = try await fill()
    let (b, one, two) = try await bridge()
    first.limit(pageSize: 1, fetches: 2)
    _ = try await one.syncNow()
    try await b.insert("local")
    try await two.syncNow()
    await one.retire()
    try await b.store.administer { transaction in
      let second = try transaction.peers().filter { $0.specification == "memory:second" }
      try transaction.unfollowPeers(except: Set(second.map(\.id)))
    }

    #expect(try await two.syncNow().exported == 2)
    #expect(try await b.status("memory:second")?.pending == 0)
  }

  @Test func `an upload in the first zone is a mark in the second until it ends`() async throws {
    _ = try await fill()
    let b = try await PeerDevice("b", time, following: [first, second])
    let c = try await PeerDevice("c", time, following: [transport("second")])
    first.setUploading(true)
    for device in [b, c] { try await device.sync() }

    #expect(try await c.names().count == 4)
    #expect(try await c.status("memory:second")?.isCatchingUp == true)
    #expect(try await b.sync().caughtUpAt == nil)

    first.setUploading(false)
    for device in [b, b, c] { try await device.sync() }

    #expect(try await c.status("memory:second")?.isCatchingUp == false)
    #expect(try await c.status("memory:second")?.standing == .caughtUp)
    second.reset()
    try await b.sync()
    #expect(second.counts.pages == 0)
  }
}
