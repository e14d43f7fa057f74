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

/// Swapping transports on a populated store loses nothing and sends nothing twice (6.6), and a
/// peer keeps its place until it is forgotten (C19).
struct SwapTests {
  private let time = TestTime()
  private let cloud: MemoryCloud
  private let folder: TemporaryFolder

  init() throws {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
    folder = try TemporaryFolder()
    try folder.makeFolder("share")
  }

  private func memory() -> CountingTransport {
    CountingTransport(MemoryTransport(cloud: cloud))
  }

  private func directory() -> CountingTransport {
    CountingTransport(DirectoryTransport(path: folder.path("share"), clock: time.clock))
  }

  @Test func `memory, folder and memory again get each change once`() async throws {
    let a = try await PeerDevice("a", time)
    let gone = try await a.insert("gone")
    for index in 0..<10 { try await a.insert("before \(index)") }
    let first = memory()
    try await a.synced.use(first)
    #expect(try await a.sync().exported == 11)
    // Two changes are pending when the transport is swapped, one of them a delete.
    try await a.delete(gone)
    try await a.insert("pending")

    let share = directory()
    try await a.synced.use(share)
    let there = try await a.sync()
    try await a.insert("in the folder")
    try await a.sync()
    let back = memory()
    try await a.synced.use(back)
    try await a.sync()

    // The folder is offered the death too: it may hold the record from elsewhere.
    #expect(there.exported == 12)
    #expect(share.counts.records == 13)
    #expect(first.counts.records == 11)
    #expect(back.counts.records == 3)
    #expect(back.counts.pages == 1)
    for transport in [memory() as any Transport, directory()] {
      let reader = try await PeerDevice("reader", time, following: [transport])
      try await reader.sync()
      #expect(
        try await reader.names()
          == Set((0..<10).map { "before \($0)" } + ["pending", "in the folder"]))
    }
    let again = [memory(), directory()]
    for transport in again {
      try await a.synced.use(transport)
      try await a.sync()
      #expect(transport.counts.records == 0, "\(transport.specification)")
    }
  }

  @Test func `what came from one peer is sent to the next, and its own is not sent back`()
    async throws
  {
    let other = try await PeerDevice("other", time, following: [memory()])
    try await other.insert("from memory")
    try await other.sync()
    let a = try await PeerDevice("a", time, following: [memory()])
    try await a.sync()
    let share = directory()
    try await a.synced.use(share)
    try await a.sync()
    let back = memory()
    try await a.synced.use(back)
    try await a.sync()

    #expect(share.counts.records == 1)
    #expect(back.counts.records == 0)
  }

  @Test func `C19: a peer that is not followed keeps its place against pruning`() async throws {
    let a = try await PeerDevice("a", time, following: [memory()])
    let b = try await PeerDevice("b", time, following: [memory()])
    let doomed = try await a.insert("doomed")
    for device in [a, b] { try await device.sync() }
    try await a.synced.use(directory())
    try await a.delete(doomed)
    try await a.insert("later")
    try await a.sync()
    time.advance(400 * 86_400_000)

    let report = try await a.store.prune(RetentionPolicy(historyDays: 1))

    #expect(report.holds.map(\.name) == ["memory"])
    #expect(try await a.peer("memory")?.isFollowed == false)
    #expect(try await a.peer("memory")?.status.pending == 2)
    let back = memory()
    try await a.synced.use(back)
    try await a.sync()
    try await b.sync()
    #expect(back.counts.records == 2)
    #expect(try await b.names() == ["later"])
  }

  @Test func `a forgotten peer holds nothing back, and to follow it again is a first sync`()
    async throws
  {
    let a = try await PeerDevice("a", time, following: [memory(), directory()])
    for index in 0..<3 { try await a.insert("item \(index)") }
    try await a.sync()
    let peer = try #require(try await a.peer("memory"))
    try await a.synced.forget(peer.id)
    try await a.insert("later")
    try await a.sync()
    time.advance(400 * 86_400_000)

    let report = try await a.store.prune(RetentionPolicy(historyDays: 1))

    #expect(report.holds.isEmpty)
    #expect(try await a.peer("memory") == nil)
    #expect(await a.synced.transports.count == 1)
    let again = memory()
    try await a.synced.follow(again)
    try await a.sync()
    // Everything is compared both ways: the zone may have heard of deletes that this store missed.
    #expect(again.counts.changes == 3)
    #expect(again.counts.records == 4)
    let reader = try await PeerDevice("reader", time, following: [memory()])
    try await reader.sync()
    #expect(try await reader.names() == ["item 0", "item 1", "item 2", "later"])
    #expect(try await a.status("memory")?.standing == .caughtUp)
  }

  @Test func `to follow one more peer changes nothing for the others`() async throws {
    let a = try await PeerDevice("a", time, following: [memory()])
    try await a.insert("milk")
    try await a.sync()
    let share = directory()

    #expect(try await a.synced.follow(share))
    #expect(try await !a.synced.follow(directory()))
    let report = try await a.sync()

    #expect(report.peers.map(\.exported) == [0, 1])
    #expect(try await a.store.peerItems().map(\.isFollowed) == [true, true])
    #expect(try await a.store.peerItems().allSatisfy(\.hasCursor))
  }

  @Test func `what a person chose is kept when the peers are named again`() async throws {
    let a = try await PeerDevice("a", time, following: [memory()])
    try await a.store.handleSwitch(.turnOff(purge: false))

    try await a.synced.use([SyncedStore.Peer(memory())])
    #expect(try await a.store.read { try $0.syncSwitch().isWanted } == false)
    try await a.synced.follow(directory())
    #expect(try await a.store.read { try $0.syncSwitch().isWanted } == true)
  }
}
