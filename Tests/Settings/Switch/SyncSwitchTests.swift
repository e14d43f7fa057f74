import StrandlineModels
import StrandlineSettings
import StrandlineStorage
import StrandlineTestSupport
import Testing

@Suite struct SyncSwitchTests {
  typealias Step = (start: SyncSwitch, event: SyncSwitch.Event, end: SyncSwitch)

  private static let now: Int64 = 5000
  private static let zone = SyncSwitch.Zone(peer: 1, specification: "memory")
  private static let failure = PendingPurge.Failure(
    code: "unreachable", message: "Could not.", advice: "Wait.", retryAt: 9000)

  private static func purge(
    attempts: Int = 0, failure: PendingPurge.Failure? = nil
  ) -> PendingPurge {
    PendingPurge(
      peer: 1, specification: "memory", asked: now, attempts: attempts, failure: failure)
  }

  private static let on = SyncSwitch(isWanted: true, changed: now)
  private static let off = SyncSwitch(changed: now)
  private static let purging = SyncSwitch(purges: [purge()], changed: now)
  private static let tried = SyncSwitch(purges: [purge(attempts: 1)], changed: now)
  private static let withdrawn = SyncSwitch(
    isWanted: true, isAutomatic: true, purges: [], changed: now, withdrawn: [1])

  private static let steps: [Step] = [
    (SyncSwitch(), .turnOn, on),
    (SyncSwitch(isWanted: true, changed: 1), .turnOn, SyncSwitch(isWanted: true, changed: 1)),
    (purging, .turnOn, on),
    (tried, .turnOn, withdrawn),
    (on, .turnOff(purge: false), off),
    (on, .turnOff(purge: true), purging),
    (withdrawn, .turnOff(purge: true), purging),
    (off, .turnOff(purge: true), purging),
    (purging, .turnOff(purge: false), purging),
    (tried, .turnOff(purge: true), tried),
    (purging, .keepCopy, off),
    (purging, .purgeBegan(1), tried),
    (purging, .purgeBegan(2), purging),
    (
      tried, .purgeFailed(1, failure),
      SyncSwitch(purges: [purge(attempts: 1, failure: failure)], changed: now)
    ),
    (tried, .purged(1), off),
    (withdrawn, .purged(1), on),
    (on, .purged(1), on),
    (SyncSwitch(), .setAutomatic(false), SyncSwitch(isAutomatic: false)),
    (SyncSwitch(isAutomatic: false), .setAutomatic(true), SyncSwitch()),
  ]

  @Test func `each event leads from each state to the one that the table names`() {
    for step in Self.steps {
      var state = step.start
      state.handle(step.event, zones: [Self.zone], at: Self.now)
      #expect(state == step.end, "\(step)")
    }
  }

  @Test func `nothing is to be purged where no zone is known`() {
    var state = Self.on
    state.handle(.turnOff(purge: true), at: Self.now)

    #expect(state == Self.off)
  }

  @Test func `a purge waits as long as it was told, unless the clock was set back`() {
    let purge = Self.purge(attempts: 1, failure: Self.failure)

    #expect(Self.purge().isDue(at: 0, longestWait: 10_000))
    #expect(!purge.isDue(at: 8999, longestWait: 10_000))
    #expect(purge.isDue(at: 9000, longestWait: 10_000))
    #expect(purge.isDue(at: -5000, longestWait: 10_000))
  }

  @Test func `a new store does not sync before somebody asks for it`() async throws {
    let store = try await Store.open(.memory, schema: try SampleSchema.todo())

    let state = try await store.read { try $0.syncSwitch() }

    #expect(state == SyncSwitch())
  }

  @Test func `another opening of the store sees the switch and its purges`() async throws {
    let store = try await Store.open(.memory, schema: try SampleSchema.todo())
    try await store.handleSwitch(.turnOn)
    try await store.handleSwitch(.setAutomatic(false))
    let one = try await store.makePeer("directory:/one", zone: "z")
    let two = try await store.makePeer("directory:/two", zone: nil)
    try await store.handleSwitch(.turnOff(purge: true))
    try await store.handleSwitch(.purgeBegan(one))
    try await store.handleSwitch(.purgeFailed(one, Self.failure))

    let other = try await Store.open(.file(store.path), schema: store.schema)

    let state = try await other.read { try $0.syncSwitch() }
    #expect(!state.isWanted && !state.isAutomatic)
    #expect(state.purges.map(\.peer) == [one], "peer \(two) has no zone")
    #expect(state.purges.first?.specification == "directory:/one")
    #expect(state.purges.first?.failure == Self.failure)
    #expect(state.purges.first?.attempts == 1)
  }

  @Test func `a peer that is forgotten takes its purge along`() async throws {
    let store = try await Store.open(.memory, schema: try SampleSchema.todo())
    let peer = try await store.makePeer("directory:/one", zone: "z")
    try await store.handleSwitch(.turnOff(purge: true))

    try await store.administer { try $0.forgetPeer(peer) }

    #expect(try await store.read { try !$0.syncSwitch().isPurgePending })
  }
}

extension Store {
  /// Follows a peer, whose zone may be known.
  func makePeer(_ specification: String, zone: String?) async throws -> Int64 {
    try await administer { transaction in
      var peer = try transaction.followPeer(
        specification: specification, zoneName: "default", environment: "development")
      peer.zone = zone
      try transaction.update(peer)
      return peer.id
    }
  }
}
