import Strandline
import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineSettings
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Switching off with a purge, and what becomes of the purge.
struct PurgeTests {
  @Test(arguments: PurgePlace.allCases)
  func `after a purge and switching on again both devices converge, and the purger is not asked`(
    place: PurgePlace
  ) async throws {
    let scene = try PurgeScene(place)
    let (a, b) = try await scene.pair()

    try await a.synced.switchOff(purge: true)
    let outcomes = try await a.synced.purge()

    #expect(outcomes.map(\.isDone) == [true])
    #expect(try await !a.switchState().isPurgePending)
    #expect(try await a.purgeEvents() == ["succeeded"])
    #expect(try await Set(a.names()) == ["milk", "bread"])
    #expect(try await scene.seen().isEmpty)
    try await a.synced.switchOn()
    try await a.settle()
    #expect(try await a.question() == nil)
    #expect(
      try await scene.seen() == ["milk", "bread"], "what came from others goes up again, too")
    try await b.insert("salt")
    #expect(try await b.sync().error?.codeName == "zonePurged")
    try await b.answer(.upload)
    try await a.insert("jam")
    for device in [b, a, b] { try await device.settle() }
    #expect(try await Set(a.names()) == ["milk", "bread", "salt", "jam"])
    #expect(try await a.names() == b.names())
  }

  @Test(arguments: PurgePlace.allCases)
  func `a device that still syncs is asked, may upload again, and who is off stays off`(
    place: PurgePlace
  ) async throws {
    let scene = try PurgeScene(place)
    let (a, b) = try await scene.pair()
    try await a.synced.switchOff(purge: true)
    try await a.synced.purge()

    #expect(try await b.sync().error?.codeName == "zonePurged")
    guard case .zonePurged(by: "a", at: _)? = try await b.question() else {
      Issue.record("b is not told who purged the zone")
      return
    }
    #expect(try await scene.seen().isEmpty)
    try await b.answer(.upload)
    try await b.settle()

    #expect(try await scene.seen() == ["milk", "bread"])
    let error = await #expect(throws: SyncError.self) { try await a.sync() }
    #expect(error?.code == .switchedOff)
    #expect(try await a.status()?.standing == .off)
    #expect(try await Set(a.names()) == ["milk", "bread"])
  }

  @Test(arguments: PurgePlace.allCases)
  func `a zone that somebody else purged counts as done, and what came since is left`(
    place: PurgePlace
  ) async throws {
    let scene = try PurgeScene(place)
    let (a, b) = try await scene.pair()
    try await a.synced.switchOff(purge: true)
    try await b.synced.switchOff(purge: true)
    try await b.synced.purge()
    try await b.synced.switchOn()
    try await b.settle()

    let outcomes = try await a.synced.purge()

    #expect(outcomes.map(\.isDone) == [true])
    #expect(try await scene.seen() == ["milk", "bread"])
    #expect(try await !a.switchState().isPurgePending)
  }

  @Test(arguments: PurgePlace.allCases)
  func `a purge that fails is kept with its reason over restarts, and is done later`(
    place: PurgePlace
  ) async throws {
    let scene = try PurgeScene(place)
    let (a, _) = try await scene.pair()
    a.panel.update { $0.isDown = true }
    try await a.synced.switchOff(purge: true)

    let outcome = try #require(try await a.synced.purge().first)

    #expect(outcome.error?.codeName == "unreachable")
    #expect(try await scene.seen() == ["milk", "bread"])
    let other = try await Store.open(.file(a.store.path), schema: a.store.schema)
    let purge = try #require(try await other.read { try $0.syncSwitch().purges.first })
    #expect(purge.failure?.code == "unreachable" && purge.attempts == 1)
    let wait = try #require(purge.failure?.retryAt) - a.store.clock.milliseconds
    #expect((500...1000).contains(wait), "the first wait has jitter: \(wait)")
    let status = try #require(try await other.status(deviceName: "a").first)
    #expect(status.isPurgePending)
    #expect(status.purge?.reason == purge.failure?.message)
    #expect(status.purge?.until == purge.failure?.retryAt)
    #expect(try await a.purgeEvents() == ["unreachable"])

    a.panel.update { $0.isDown = false }
    let restarted = SyncedStore(
      store: other, registry: Registry([]), options: SyncEngine.Options(deviceName: "a"))
    await a.synced.close()
    try await restarted.use(scene.transport())
    #expect(try await restarted.purge().map(\.isDone) == [true])
    #expect(try await scene.seen().isEmpty)
  }

  @Test func `a wait that the peer asked for is kept to`() async throws {
    let scene = try PurgeScene(.memory)
    let (a, _) = try await scene.pair()
    a.panel.update { $0.throttleSeconds = 600 }
    a.panel.inject(.throttle)
    try await a.synced.switchOff(purge: true)
    let engine = try #require(await a.synced.engines.first)

    _ = try await engine.purge(keepingWaits: true)

    let failure = try #require(try await a.switchState().purges.first?.failure)
    #expect(failure.code == "throttled")
    #expect(try #require(failure.retryAt) - a.store.clock.milliseconds == 600_000)
    #expect(try await engine.purge(keepingWaits: true) == nil)
    scene.time.advance(599_999)
    #expect(try await engine.purge(keepingWaits: true) == nil)
    scene.time.advance(1)
    #expect(try await engine.purge(keepingWaits: true)?.isDone == true)
  }

  @Test(arguments: [AccountState.signedOut, .restricted, .undetermined, .available("other")])
  func `nothing is purged while the account is not there or is another one`(
    state: AccountState
  ) async throws {
    let scene = try PurgeScene(.memory)
    let login = MemoryLogin()
    let (a, _) = try await scene.pair(login: login)
    login.state = state
    try await a.synced.switchOff(purge: true)

    let outcome = try #require(try await a.synced.purge().first)

    let code = state == .available("other") ? "accountChanged" : "accountUnavailable"
    #expect(outcome.error?.codeName == code)
    #expect(try await scene.seen() == ["milk", "bread"])
    login.state = .available("local")
    #expect(try await a.synced.purge().map(\.isDone) == [true])
    #expect(try await scene.seen().isEmpty)
  }

  @Test func `an account that the configuration names is the only one whose copy is purged`()
    async throws
  {
    let scene = try PurgeScene(.memory)
    let (a, _) = try await scene.pair()
    try await a.synced.use([
      SyncedStore.Peer(scene.transport(), account: "somebody else")
    ])
    try await a.synced.switchOff(purge: true)

    let outcome = try #require(try await a.synced.purge().first)

    #expect(outcome.error?.codeName == "accountChanged")
    #expect(try await scene.seen() == ["milk", "bread"])
  }

  @Test func `a folder that is not there or is empty has not lost the copy`() async throws {
    let scene = try PurgeScene(.directory)
    let (a, _) = try await scene.pair()
    try await a.synced.switchOff(purge: true)
    let away = scene.folder.path("away")
    try scene.folder.move("share", to: "away")

    #expect(try await a.synced.purge().first?.error?.codeName == "unreachable")
    try scene.folder.makeFolder("share")
    #expect(try await a.synced.purge().first?.error?.codeName == "unreachable")
    try scene.folder.remove("share")
    try scene.folder.move("away", to: "share")

    #expect(try await a.synced.purge().map(\.isDone) == [true], "\(away)")
    #expect(try await scene.seen().isEmpty)
  }

  @Test func `switching on again first drops the purge`() async throws {
    let scene = try PurgeScene(.memory)
    let (a, b) = try await scene.pair()
    try await a.synced.switchOff(purge: true)
    try await a.synced.switchOn()

    #expect(try await a.synced.purge().isEmpty)
    try await a.insert("jam")
    for device in [a, b] { try await device.settle() }
    #expect(try await Set(b.names()) == ["milk", "bread", "jam"])
  }

  @Test func `a purge may be dropped and sync left off`() async throws {
    let scene = try PurgeScene(.memory)
    let (a, _) = try await scene.pair()
    try await a.synced.switchOff(purge: true)
    try await a.synced.keepCloudCopy()

    #expect(try await a.synced.purge().isEmpty)
    #expect(try await !a.switchState().isWanted)
    #expect(try await scene.seen() == ["milk", "bread"])
  }

  @Test(arguments: PurgePlace.allCases)
  func `who changed their mind after a purge whose answer was lost is not asked who did it`(
    place: PurgePlace
  ) async throws {
    let scene = try PurgeScene(place)
    let (a, _) = try await scene.pair()
    try await a.synced.use(scene.losing())
    try await a.synced.switchOff(purge: true)
    #expect(try await a.synced.purge().first?.error?.codeName == "unreachable")
    #expect(try await scene.seen().isEmpty, "it had an effect")

    try await a.synced.switchOn()
    try await a.settle()

    #expect(try await a.question() == nil)
    #expect(try await scene.seen() == ["milk", "bread"])
  }

  @Test(arguments: PurgePlace.allCases)
  func `a process that ended before it noted the answer leaves a purge that is done next`(
    place: PurgePlace
  ) async throws {
    let scene = try PurgeScene(place)
    let (a, _) = try await scene.pair()
    try await a.store.handleSwitch(.turnOff(purge: true))
    let peer = try #require(try await a.store.read { try $0.peers().first })
    try await a.store.handleSwitch(.purgeBegan(peer.id))
    try await scene.transport().purge(
      PurgeRequest(
        device: DeviceInfo(id: a.store.device, name: "a"), zone: ZoneID(rawValue: peer.zone ?? "")))

    #expect(try await a.synced.purge().map(\.isDone) == [true])
    try await a.synced.switchOn()
    try await a.settle()
    #expect(try await scene.seen() == ["milk", "bread"])
  }

  @Test func `who changed their mind is asked all the same where somebody else purged`()
    async throws
  {
    let scene = try PurgeScene(.memory)
    let (a, b) = try await scene.pair()
    a.panel.update { $0.isDown = true }
    try await a.synced.switchOff(purge: true)
    try await a.synced.purge()
    a.panel.update { $0.isDown = false }
    try await a.synced.switchOn()
    try await b.synced.switchOff(purge: true)
    try await b.synced.purge()

    #expect(try await a.sync().error?.codeName == "zonePurged")
    #expect(try await a.question() != nil)
    #expect(try await scene.seen().isEmpty)
  }

  @Test func `another process that has the lease is named, and the purge stays pending`()
    async throws
  {
    let scene = try PurgeScene(.memory)
    let (a, _) = try await scene.pair()
    let engine = try #require(await a.synced.engines.first)
    await engine.stop()
    let lease = try SyncLease.take(for: a.store)
    try await a.synced.switchOff(purge: true)

    let error = await #expect(throws: StorageError.self) { try await a.synced.purge() }

    #expect(error?.code == .leaseHeld)
    #expect(try await a.switchState().isPurgePending)
    #expect(try await a.switchState().purges.first?.attempts == 0)
    withExtendedLifetime(lease) {}
  }
}
