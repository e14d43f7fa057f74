import Strandline
import StrandlineDirectoryTransport
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// The first sync of a store that has data already: merged, or by a policy that the person chose.
struct FirstSyncTests {
  private let time = TestTime()
  private let cloud: MemoryCloud
  private let both = [RecordID(), RecordID(), RecordID()]

  init() {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
  }

  private func way(_ cloud: MemoryCloud? = nil) -> CountingTransport {
    CountingTransport(MemoryTransport(cloud: cloud ?? self.cloud, isEphemeral: false))
  }

  /// A device in the zone and one with data of its own that has not synced yet; of three records
  /// that both have, one was written later here, one later there, and one is the same.
  private func world(
    _ transports: [any Transport]? = nil, at location: StoreLocation = .memory
  ) async throws -> (there: PeerDevice, here: PeerDevice) {
    let there = try await PeerDevice("there", time, following: transports ?? [way()])
    let here = try await PeerDevice("here", time, at: location, stagedChanges: 2)
    // The records have met elsewhere before, so they are the same ones on both.
    for (index, id) in both.enumerated() { try await there.insert("same \(index)", id: id) }
    let origin = MemoryTransport(cloud: cloud.named("origin"))
    for one in [there, here] {
      try await one.synced.follow(origin)
      try await one.synced.syncNow(with: TransportSpecification(origin.specification))
      try await one.synced.forget(try #require(try await one.peer(origin.specification)).id)
    }
    time.advance()
    try await there.rename(both[0], "there, early")
    try await here.rename(both[1], "here, early")
    time.advance()
    try await here.rename(both[0], "here, late")
    try await there.rename(both[1], "there, late")
    try await there.insert("only there")
    try await here.insert("only here")
    try await there.sync()
    return (there, here)
  }

  private let thereNames: Set<String> = ["there, early", "there, late", "same 2", "only there"]
  private let hereNames: Set<String> = ["here, late", "here, early", "same 2", "only here"]

  private func settle(_ one: PeerDevice, _ other: PeerDevice) async throws {
    for device in [one, other, one] { #expect(try await device.sync().error == nil) }
  }

  @Test func `union merges both sides, the later value wins and the earlier one is listed`()
    async throws
  {
    let (there, here) = try await world()

    try await here.synced.use(way(), firstSync: .union)
    #expect(try await here.peer("memory")?.firstSync == .union)
    try await settle(here, there)

    for one in [here, there] {
      #expect(
        try await one.names() == ["here, late", "there, late", "same 2", "only there", "only here"])
      #expect(
        try await one.conflicts().isSuperset(of: ["name = there, early", "name = here, early"]))
    }
    #expect(try await here.peer("memory")?.firstSync == nil)
  }

  @Test func `keep local lets what is here win wherever the two differ, and deletes nothing`()
    async throws
  {
    let (there, here) = try await world()

    try await here.synced.use(way(), firstSync: .keepLocal)
    try await settle(here, there)

    for one in [here, there] {
      #expect(try await one.names() == hereNames.union(["only there"]))
      #expect(try await one.conflicts().contains("name = there, late"))
    }
    #expect(try await here.peer("memory")?.firstSync == nil)
    #expect(try await here.status("memory")?.standing == .caughtUp)
  }

  @Test func `a first sync whose answer is lost still learns what had died there`() async throws {
    let (there, here) = try await world()
    try await there.sync()
    try await there.delete(both[2])
    try await there.sync()
    try await here.synced.use(way())
    let peer = try #require(try await here.peer("memory"))
    var cycle = try await RunningCycle(
      store: here.store, transport: way(), options: SyncEngine.Options(deviceName: "here"),
      peerID: peer.id)
    // The zone has accepted everything, and the process ends before it notes the answer.
    while let next = cycle.next {
      if case .acknowledge = next { break }
      _ = await cycle.step()
    }

    try await settle(here, there)

    for one in [here, there] { #expect(try await !one.names().contains("same 2")) }
  }

  @Test func `keep local holds against deletes of the zone`() async throws {
    let (there, here) = try await world()
    try await here.synced.use(way())
    try await settle(here, there)
    let item = try #require(try await here.peer("memory"))
    try await here.synced.forget(item.id)
    try await there.delete(both[2])
    try await there.sync()

    try await here.synced.use(way(), firstSync: .keepLocal)
    try await settle(here, there)

    for one in [here, there] { #expect(try await one.names().contains("same 2")) }
  }

  @Test(arguments: [false, true])
  func `keep cloud lets the zone's values win and lays aside what only this device has`(
    isFolder: Bool
  ) async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("share")
    func way() -> any Transport {
      isFolder
        ? DirectoryTransport(path: folder.path("share"), clock: time.clock) : self.way()
    }
    let (there, here) = try await world([way()])
    let mine = try #require(
      try await here.store.read {
        try $0.records(Query("TodoItem", where: "name = 'only here'")).first
      })

    let counted = CountingTransport(way())
    try await here.synced.use(counted, firstSync: .keepCloud)
    try await settle(here, there)

    #expect(counted.counts.records == 0)
    for one in [here, there] { #expect(try await one.names() == thereNames) }
    #expect(
      try await here.conflicts() == ["name = here, late", "name = here, early"])
    #expect(try await there.conflicts().isEmpty)
    #expect(try await here.store.read { try $0.brokenInvariants() }.isEmpty)
    let events = try await here.store.events()
    #expect(events.first { $0.kind == "firstSync" }?.records == 1)

    // What was laid aside is in history with all its values, and goes out when it is restored.
    let restored = try await here.store.restore("TodoItem", mine.id)
    #expect(restored.isNewLife)
    try await here.rename(both[0], "edited later")
    try await settle(here, there)
    for one in [here, there] {
      #expect(
        try await one.names() == [
          "edited later", "there, late", "same 2", "only there", "only here",
        ])
    }
  }

  @Test func `keep cloud does nothing where the zone is empty`() async throws {
    let (_, here) = try await world()
    let empty = MemoryCloud(clock: time.clock, seed: 9)

    try await here.synced.use(way(empty), firstSync: .keepCloud)
    let report = try await here.sync()

    #expect(report.error?.codeName == "firstSyncRefused")
    #expect(try await here.status("memory")?.standing == .blocked)
    #expect(try await here.names() == hereNames)
  }

  @Test func `keep cloud is refused beside another peer, which would lose what is laid aside`()
    async throws
  {
    let (_, here) = try await world()
    let other = MemoryTransport(cloud: cloud.named("other"))
    try await here.synced.use(other)
    try await here.sync()

    await #expect(throws: SyncError.self) {
      try await here.synced.follow(way(), firstSync: .keepCloud)
    }

    #expect(await here.synced.transports.count == 1)
    #expect(try await here.peer("memory") == nil)
    #expect(try await here.names() == hereNames)
  }

  @Test func `an old peer that is followed again brings back what was laid aside`() async throws {
    let (there, here) = try await world()
    let other = MemoryTransport(cloud: cloud.named("other"))
    try await here.synced.use(other)
    try await here.sync()
    try await here.synced.use(way(), firstSync: .keepCloud)
    try await settle(here, there)
    #expect(try await !here.names().contains("only here"))

    try await here.synced.follow(other)
    try await settle(here, there)

    for one in [here, there] { #expect(try await one.names().contains("only here")) }
  }

  @Test func `what is edited while the zone is read the first time is kept and sent`() async throws
  {
    let (there, here) = try await world()
    let slow = way()
    slow.limit(pageSize: 1, fetches: 3)
    try await here.synced.use(slow, firstSync: .keepCloud)
    #expect(try await here.sync().error != nil)
    try await here.insert("made meanwhile")

    try await here.synced.use(way())
    try await settle(here, there)

    for one in [here, there] {
      #expect(try await one.names() == thereNames.union(["made meanwhile"]))
    }
  }

  @Test(arguments: FirstSync.allCases)
  func `a first sync that is killed at any step goes on and ends as if it had not been`(
    policy: FirstSync
  ) async throws {
    var wanted: Set<String>?
    var steps = 0
    var isWhole = false
    while !isWhole {
      let world = FirstSyncTests()
      let (there, here) = try await world.world()
      let transport = world.way()
      transport.limit(pageSize: 1)
      try await here.synced.use(transport, firstSync: policy)
      let peer = try #require(try await here.peer("memory"))
      var options = SyncEngine.Options(deviceName: "here")
      options.stagedChanges = 2
      // Twice, since a kill may come while the second attempt goes on.
      for _ in 0..<2 {
        var cycle = try await RunningCycle(
          store: here.store, transport: transport, options: options, peerID: peer.id)
        var left = steps
        var goesOn = true
        while goesOn && left > 0 {
          goesOn = await cycle.step()
          left -= 1
        }
        isWhole = !goesOn
      }
      try await settle(here, there)
      let names = try await here.names()
      #expect(names == wanted ?? names, "killed after \(steps) steps")
      #expect(try await there.names() == names, "killed after \(steps) steps")
      #expect(try await here.store.read { try $0.brokenInvariants() }.isEmpty)
      wanted = wanted ?? names
      steps += 1
    }
    #expect(steps > 8)
  }
}
