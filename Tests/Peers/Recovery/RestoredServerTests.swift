import Strandline
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTransport
import Testing

/// A server that was put back to an earlier state, announced or not (C11, F17).
struct RestoredServerTests {
  private let time = TestTime()
  private let cloud: MemoryCloud

  init() {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
  }

  private func device(_ name: String) async throws -> PeerDevice {
    try await PeerDevice(
      name, time, following: [MemoryTransport(cloud: cloud, isEphemeral: false)])
  }

  @Test(arguments: [true, false])
  func `F17: what the server lost is offered again by whoever holds it, deletes too`(
    announced: Bool
  ) async throws {
    let (a, b) = (try await device("a"), try await device("b"))
    let gone = try await a.insert("deleted after the backup")
    let kept = try await a.insert("kept")
    for one in [a, b, a] { try await one.sync() }
    let backup = try cloud.backUp()
    try await a.insert("of a")
    try await a.delete(gone)
    time.advance()
    try await b.rename(kept, "renamed")
    try await b.insert("of b")
    for one in [a, b, a] { try await one.sync() }
    try await b.insert("pending")

    try cloud.restore(backup, announced: announced)
    // Somebody who knows nothing of it has written there meanwhile.
    let stranger = try await device("stranger")
    try await stranger.insert("of a stranger")
    try await stranger.sync()
    for one in [a, b, stranger, a, b, stranger] { #expect(try await one.sync().error == nil) }

    let all: Set<String> = ["renamed", "of a", "of b", "pending", "of a stranger"]
    for one in [a, b, stranger, try await device("new")] {
      try await one.sync()
      #expect(try await one.names() == all, "\(one.name)")
      #expect(try await one.status("memory")?.standing == .caughtUp, "\(one.name)")
      #expect(try await one.conflicts().isEmpty, "\(one.name)")
    }
  }

  @Test func `F17: a server that is put back while a device sends loses nothing`() async throws {
    let (a, b) = (try await device("a"), try await device("b"))
    try await a.insert("one")
    for one in [a, b] { try await one.sync() }
    let backup = try cloud.backUp()
    try await a.insert("two")
    let peer = try #require(try await a.peer("memory"))
    var cycle = try await RunningCycle(
      store: a.store, transport: MemoryTransport(cloud: cloud, isEphemeral: false),
      options: SyncEngine.Options(deviceName: "a"), peerID: peer.id)
    // Up to the answer of the send, which is then of a server that is no more.
    while let next = cycle.next {
      if case .acknowledge = next { break }
      _ = await cycle.step()
    }

    try cloud.restore(backup, announced: false)
    while await cycle.step() {}
    _ = try await cycle.end(random: 0)
    for one in [a, b, a, b] { try await one.sync() }

    for one in [a, b] { #expect(try await one.names() == ["one", "two"]) }
  }

  @Test func `F18: a server that lost everything asks, and the answer upload fills it`()
    async throws
  {
    let (a, b) = (try await device("a"), try await device("b"))
    try await a.insert("of a")
    try await b.insert("of b")
    for one in [a, b, a] { try await one.sync() }
    let empty = MemoryCloud(clock: time.clock, seed: 2)
    for one in [a, b] {
      try await one.synced.use(MemoryTransport(cloud: empty, isEphemeral: false))
      #expect(try await one.sync().exported == 0)
      #expect(try await one.peer("memory")?.question == .zoneNotFound)
      #expect(try await one.names() == ["of a", "of b"])
    }

    try await a.answer(.upload, of: "memory")
    #expect(try await a.sync().exported == 2)
    try await b.sync()
    #expect(try await b.peer("memory")?.question == .zoneReplaced)
    try await b.answer(.upload, of: "memory")
    try await b.sync()

    for one in [a, b] {
      #expect(try await one.names() == ["of a", "of b"])
      #expect(try await one.status("memory")?.standing == .caughtUp)
    }
  }
}
