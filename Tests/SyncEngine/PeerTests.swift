import Foundation
import Strandline
import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTransport
import Testing

/// What happens to a peer when links, accounts, clouds and processes come and go.
@Suite struct PeerTests {
  private let time = TestTime()
  private let cloud: MemoryCloud

  init() {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
  }

  @Test func `a link that is down makes it wait with the reason, and it catches up later`()
    async throws
  {
    let a = try await TestDevice("a", cloud, time)
    try await a.sync()
    a.panel.update { $0.isDown = true }
    try await a.insert("milk")

    let report = try await a.sync()

    let waiting = try #require(try await a.status())
    #expect(report.error?.codeName == "unreachable")
    #expect(waiting.standing == .waiting)
    #expect(waiting.reasonCode == "unreachable")
    #expect(waiting.reason == report.error?.message)
    #expect(waiting.until.map { $0 > time.clock.milliseconds } == true)
    #expect(waiting.pending == 1)
    a.panel.update { $0.isDown = false }
    #expect(try await a.sync().exported == 1)
    #expect(try await a.status()?.standing == .caughtUp)
    #expect(try await a.status()?.reason == nil)
  }

  @Test func `a lost answer is found out by the next cycle and nothing is sent twice`()
    async throws
  {
    let a = try await TestDevice("a", cloud, time)
    try await a.sync()
    try await a.insert("milk")
    // Account, setup and import are answered; the answer of the send is lost.
    let lossy = GatedTransport(
      FaultyTransport(MemoryTransport(cloud: cloud), panel: a.panel, sleep: { _ in }))
    try await a.synced.use(lossy)
    lossy.whenSending {
      throw TransportError(.unreachable, "", remedy: .retry(afterMilliseconds: nil))
    }
    #expect(try await a.sync().error != nil)
    #expect(try await a.status()?.pending == 1)

    let report = try await a.sync()

    #expect(report.error == nil)
    #expect(report.exported == 0)
    #expect(try await a.status()?.pending == 0)
  }

  @Test func `a second engine on one store is told who has the lease`() async throws {
    let a = try await TestDevice("a", cloud, time)
    try await a.sync()
    let other = try await Store.open(.file(a.store.path), schema: a.store.schema)
    let second = SyncEngine(
      store: other, transport: MemoryTransport(cloud: cloud),
      options: SyncEngine.Options(deviceName: "second"))

    let error = await #expect(throws: StorageError.self) { try await second.syncNow() }

    #expect(error?.code == .leaseHeld)
    #expect(error?.message.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true)
    await a.synced.close()
    try await second.syncNow()
    await second.stop()
  }

  @Test func `another cloud and back again loses nothing and sends nothing twice`() async throws {
    let a = try await TestDevice("a", cloud, time)
    let b = try await TestDevice("b", cloud, time)
    try await a.insert("one")
    try await a.sync()
    try await a.use(cloud.named("other"))
    try await a.insert("two")

    #expect(try await a.sync().exported == 2)
    try await b.insert("three")
    try await b.sync()
    try await a.use(cloud)
    let back = try await a.sync()
    try await b.sync()

    #expect(back.exported == 1)
    #expect(back.imported == 1)
    #expect(Set(try await a.names()) == ["one", "two", "three"])
    #expect(Set(try await b.names()) == ["one", "two", "three"])
    try await a.use(cloud.named("other"))
    #expect(try await a.sync().exported == 1)
  }

  @Test func `a cloud that ended with its process is begun anew and gets everything`()
    async throws
  {
    let a = try await TestDevice("a", cloud, time)
    try await a.insert("one")
    try await a.insert("two")
    try await a.sync()
    let next = MemoryCloud(clock: time.clock, seed: 2)
    try await a.use(next)

    let report = try await a.sync()
    let b = try await TestDevice("b", next, time)
    try await b.sync()

    #expect(report.error == nil)
    #expect(report.exported == 2)
    #expect(Set(try await b.names()) == ["one", "two"])
  }

  @Test func `nobody signed in blocks with a cure and keeps everything`() async throws {
    let login = MemoryLogin(.signedOut)
    let a = try await TestDevice("a", nil, time)
    try await a.use(cloud, login: login)
    try await a.insert("milk")

    let report = try await a.sync()

    let blocked = try #require(try await a.status())
    #expect(report.exported == 0)
    #expect(blocked.standing == .blocked)
    #expect(blocked.reasonCode == "accountUnavailable")
    #expect(blocked.cure?.isEmpty == false)
    #expect(blocked.pending == 1)
    login.state = .available("local")
    #expect(try await a.sync().exported == 1)
    #expect(try await a.status()?.standing == .caughtUp)
  }

  @Test func `C14: a compare that is cut short still tells a device what died meanwhile`()
    async throws
  {
    let a = try await TestDevice("a", cloud, time)
    let b = try await TestDevice("b", cloud, time)
    let own = try await b.insert("of b")
    let other = try await a.insert("of a")
    for device in [a, b, a, b] { try await device.sync() }
    try await a.store.write { transaction in
      try transaction.delete("TodoItem", own)
      try transaction.delete("TodoItem", other)
    }
    try await a.sync()
    // The cursor expires, and the link goes down while everything is offered.
    b.panel.inject(.expireCursor)
    let cut = GatedTransport(
      FaultyTransport(MemoryTransport(cloud: cloud), panel: b.panel, sleep: { _ in }))
    try await b.synced.use(cut)
    cut.whenSending {
      throw TransportError(.unreachable, "Silence.", remedy: .retry(afterMilliseconds: nil))
    }
    #expect(try await b.sync().error != nil)

    try await b.sync()

    #expect(try await b.names().isEmpty)
    #expect(try await a.names().isEmpty)
    #expect(try await b.status()?.pending == 0)
  }

  @Test func `a cloud put back from a backup is compared and gets what it lacks`() async throws {
    let a = try await TestDevice("a", cloud, time)
    let b = try await TestDevice("b", cloud, time)
    try await a.insert("kept")
    try await a.sync()
    let backup = try cloud.backUp()
    try await a.insert("after the backup")
    try await a.sync()
    try cloud.restore(backup, announced: false)

    try await a.sync()
    try await a.sync()
    try await b.sync()

    #expect(Set(try await b.names()) == ["kept", "after the backup"])
    #expect(try await a.status()?.standing == .caughtUp)
  }
}
