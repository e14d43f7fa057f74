import Observation
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// The one monitor of a process, which the tables feed.
@MainActor @Suite(.timeLimit(.minutes(10))) struct StatusMonitorTests {
  /// Waits for a state; the suite's time limit ends a wait in vain.
  private func wait(
    _ monitor: StatusMonitor, until isReached: ([StoreStatus]) -> Bool
  ) async -> [StoreStatus] {
    for await stores in monitor.updates() where isReached(stores) { return stores }
    return []
  }

  private func monitor(_ stores: [String: Store]) -> StatusMonitor {
    StatusMonitor(stores, deviceName: "a", pause: .zero)
  }

  @Test func `before it is started it has seen nothing, and the store is loading`() async throws {
    let fixture = try await StatusFixture()
    let monitor = monitor(["notes": fixture.store])

    #expect(monitor["notes"]?.snapshots.isEmpty == true)
    #expect(monitor["notes"]?.firstLaunch == .loading)
    #expect(monitor.summary.standing == nil)
  }

  @Test func `an event that ends is shown, in the order of what was seen`() async throws {
    let fixture = try await StatusFixture()
    let monitor = monitor(["notes": fixture.store])
    monitor.start()
    monitor.start()
    let lease = try SyncLease.take(for: fixture.store)

    let id = try await fixture.begin("export", at: 100)
    _ = await wait(monitor) { $0[0].snapshots.first?.phase == .exporting }
    try await fixture.end(id, at: 200)
    let ended = await wait(monitor) {
      $0[0].snapshots.first?.activity(.export)?.outcome == .succeeded
    }

    #expect(ended[0].snapshots.first?.phase == .idle)
    withExtendedLifetime(lease) {}
    monitor.stop()
  }

  @Test func `an observer that comes late gets the present state at once`() async throws {
    let fixture = try await StatusFixture()
    let monitor = monitor(["notes": fixture.store])
    monitor.start()
    try await fixture.store.write { try $0.insert("Tag", values: [:]) }
    _ = await wait(monitor) { $0[0].snapshots.first?.pending == 1 }

    var iterator = monitor.updates().makeAsyncIterator()

    #expect(await iterator.next()?[0].snapshots.first?.pending == 1)
    #expect(monitor["notes"]?.firstLaunch == .hasRecords)
  }

  @Test func `another opening of the file is told of events and of the switch`() async throws {
    let folder = try TemporaryFolder()
    let schema = try SampleSchema.todo()
    let engine = try await Store.open(.file(folder.path("a.sqlite")), schema: schema)
    let peer = try await engine.administer {
      try $0.followPeer(specification: "memory", zoneName: "z", environment: "development").id
    }
    let other = try await Store.open(
      .file(folder.path("a.sqlite")), schema: schema, options: StoreOptions(isReadOnly: true))
    let monitor = monitor(["notes": other])
    monitor.start()
    _ = await wait(monitor) { $0[0].snapshots.first?.standing == .off }

    // Neither changes a record or history.
    try await engine.administer {
      try $0.connection.run("UPDATE strandline_switch SET wanted = 1")
    }
    _ = await wait(monitor) { $0[0].snapshots.first?.standing == .settingUp }
    try await engine.administer {
      try $0.recordEvent(.import, peer: peer, process: 7, at: 300)
    }
    let told = await wait(monitor) {
      $0[0].snapshots.first?.activity(.import)?.outcome == .succeeded
    }

    #expect(told[0].snapshots.first?.activity(.import)?.end == 300)
  }

  @Test func `an activity that runs is interrupted when its process lets go of the lease`()
    async throws
  {
    let fixture = try await StatusFixture()
    var lease: SyncLease? = try SyncLease.take(for: fixture.store)
    _ = try await fixture.begin("import", at: 100)
    let monitor = monitor(["notes": fixture.store])
    monitor.start()
    _ = await wait(monitor) { $0[0].snapshots.first?.phase == .importing }

    // As a killed process does: nothing is written to the store.
    withExtendedLifetime(lease) {}
    lease = nil

    let seen = await wait(monitor) { $0[0].snapshots.first?.phase == .idle }
    #expect(seen[0].snapshots.first?.activity(.import)?.outcome == .interrupted)
  }

  @Test func `what nobody tells is found by looking now and then`() async throws {
    let folder = try TemporaryFolder()
    var options = StoreOptions()
    options.watching = WatchPacing(
      shortestWait: 600_000, longestWait: 600_000, usesNotifications: false)
    let store = try await Store.open(
      .file(folder.path("a.sqlite")), schema: try SampleSchema.todo(), options: options)
    let peer = try await store.administer { transaction in
      try transaction.connection.run("UPDATE strandline_switch SET wanted = 1")
      return try transaction.followPeer(
        specification: "memory", zoneName: "z", environment: "development"
      ).id
    }
    var lease: SyncLease? = try SyncLease.take(for: store)
    _ = try await store.administer {
      try $0.beginEvent(peer: peer, kind: "import", process: 1, at: 100)
    }
    let monitor = StatusMonitor(
      ["notes": store], deviceName: "a", pause: .zero, interval: .milliseconds(1))
    monitor.start()
    _ = await wait(monitor) { $0[0].snapshots.first?.phase == .importing }

    withExtendedLifetime(lease) {}
    lease = nil

    _ = await wait(monitor) { $0[0].snapshots.first?.phase == .idle }
    monitor.stop()
  }

  @Test func `stopped it shows what it saw last, and started again what is so by then`()
    async throws
  {
    let fixture = try await StatusFixture()
    let monitor = monitor(["notes": fixture.store])
    monitor.start()
    _ = await wait(monitor) { $0[0].snapshots.first?.pending == 0 }
    monitor.stop()
    try await fixture.store.write { try $0.insert("Tag", values: [:]) }
    #expect(monitor["notes"]?.snapshots.first?.pending == 0)

    monitor.start()

    _ = await wait(monitor) { $0[0].snapshots.first?.pending == 1 }
  }

  @Test func `a store that is being opened, cannot be opened or is gone is told by name`()
    async throws
  {
    let fixture = try await StatusFixture()
    let monitor = monitor([:])
    monitor.start()
    monitor.expect("notes")
    #expect(monitor.summary.firstLaunch == .loading)

    monitor.note(
      StorageError(.notADatabase, "Could not open it, it is none.", advice: "Look."),
      opening: "notes")
    #expect(monitor["notes"]?.failure?.code == "notADatabase")
    #expect(monitor.summary.failures.map(\.store) == ["notes"])
    #expect(monitor.summary.failures.first?.kind == nil)

    monitor.add(fixture.store, as: "notes")
    _ = await wait(monitor) { $0[0].failure == nil && !$0[0].snapshots.isEmpty }
    monitor.remove("notes")
    #expect(monitor.stores.isEmpty)
  }

  @Test func `observers of its values are told of a change`() async throws {
    let fixture = try await StatusFixture()
    let monitor = monitor(["notes": fixture.store])
    let (told, continuation) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking {
      _ = monitor.summary.pending
    } onChange: {
      continuation.yield()
    }
    monitor.start()

    for await _ in told { break }

    #expect(monitor.stores.count == 1)
  }
}
