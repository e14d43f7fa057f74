import Strandline
import StrandlineAuthority
import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTransport
import Testing

/// A device that was away for longer than the zone tells of deletes compares everything, both ways
/// (C14, F25).
struct LongAbsenceTests {
  private let time = TestTime()
  private let cloud: MemoryCloud
  private let day: Int64 = 86_400_000

  init() {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
  }

  private func way() -> CountingTransport {
    CountingTransport(MemoryTransport(cloud: cloud, isEphemeral: false))
  }

  /// What the absent device did while it was away.
  private struct Absence {
    var edited = RecordID()
    var untouched = RecordID()
    var born = RecordID()
    var renamed = RecordID()
  }

  /// One device stays, one was away for a year; the zone's fence has passed what it had read.
  private func absent() async throws -> (PeerDevice, PeerDevice, Absence) {
    let (a, b) = (
      try await PeerDevice("a", time, following: [way()]),
      try await PeerDevice("b", time, following: [way()])
    )
    var absence = Absence()
    absence.edited = try await a.insert("deleted and edited")
    absence.untouched = try await a.insert("deleted")
    absence.renamed = try await a.insert("kept")
    try await b.insert("of b")
    for one in [a, b, a] { try await one.sync() }
    // Written before the delete that it does not know of.
    time.advance()
    try await b.rename(absence.edited, "edited while away")
    absence.born = try await b.insert("born while away")
    time.advance()
    try await a.delete(absence.edited)
    try await a.delete(absence.untouched)
    time.advance()
    try await a.rename(absence.renamed, "renamed by a")
    try await a.insert("new of a")
    try await a.sync()
    time.advance(400 * day)
    // With b no longer waited for, a's next reports move the fence past what b has read.
    try await a.insert("much later")
    for _ in 0..<2 { try await a.sync() }
    return (a, b, absence)
  }

  private let after: Set<String> = [
    "renamed by a", "of b", "born while away", "new of a", "much later",
  ]

  private func expectSettled(_ a: PeerDevice, _ b: PeerDevice, _ note: String = "") async throws {
    for _ in 0..<2 {
      for one in [b, a] { #expect(try await one.sync().error == nil, "\(note)") }
    }
    for one in [a, b] {
      #expect(try await one.names() == after, "\(one.name) \(note)")
      #expect(try await one.conflicts() == ["name = edited while away"], "\(one.name) \(note)")
      #expect(try await one.status("memory")?.standing == .caughtUp, "\(one.name) \(note)")
      #expect(try await one.store.read { try $0.brokenInvariants() }.isEmpty)
    }
  }

  @Test func `F25: deleted records do not return, and an edit of one is listed on all devices`()
    async throws
  {
    let (a, b, _) = try await absent()
    let rows = try await b.store.read { try $0.peers() }

    try await expectSettled(a, b)

    // The cursor had expired, or this would prove nothing.
    let events = try await b.store.events(limit: 100)
    #expect(events.contains { $0.errorCode == "cursorExpired" })
    #expect(rows.count == 1)
  }

  @Test func `C14: what the device had read before and others changed since is no conflict`()
    async throws
  {
    let (_, b, absence) = try await absent()

    try await b.sync()

    let items = try await b.store.conflictItems(ownName: "b")
    #expect(items.allSatisfy { $0.id == absence.edited })
  }

  @Test func `C14: a compare that is killed at any step ends as if it had not been`() async throws {
    var steps = 0
    var isWhole = false
    while !isWhole {
      let world = LongAbsenceTests()
      let (a, b, _) = try await world.absent()
      let transport = world.way()
      transport.limit(pageSize: 2)
      let peer = try #require(try await b.peer("memory"))
      var options = SyncEngine.Options(deviceName: "b")
      options.stagedChanges = 3
      for _ in 0..<2 {
        var cycle = try await RunningCycle(
          store: b.store, transport: transport, options: options, peerID: peer.id)
        var left = steps
        var goesOn = true
        while goesOn && left > 0 {
          goesOn = await cycle.step()
          left -= 1
        }
        isWhole = !goesOn
      }
      try await world.expectSettled(a, b, "killed after \(steps) steps")
      steps += 1
    }
    #expect(steps > 10)
  }

  @Test func `C19: what died while a peer was forgotten is learned when it is followed again`()
    async throws
  {
    let (a, b) = (
      try await PeerDevice("a", time, following: [way()]),
      try await PeerDevice("b", time, following: [way()])
    )
    let gone = try await a.insert("deleted meanwhile")
    for one in [a, b] { try await one.sync() }
    try await b.insert("of b")
    try await b.sync()
    try await b.synced.forget(try #require(try await b.peer("memory")).id)
    try await a.delete(gone)
    try await a.sync()

    try await b.synced.use(way())
    for one in [b, a] { try await one.sync() }

    for one in [a, b] { #expect(try await one.names() == ["of b"]) }
  }

  @Test func `C14: nothing is sent before the compare has read everything`() async throws {
    let (_, b, _) = try await absent()
    let transport = way()
    transport.limit(pageSize: 1, fetches: 3)
    try await b.synced.use(transport)

    #expect(try await b.sync().error != nil)

    #expect(transport.counts.records == 0)
    #expect(try await b.status("memory")?.isCatchingUp == true)
  }
}
