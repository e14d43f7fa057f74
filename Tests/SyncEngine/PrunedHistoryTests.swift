import Strandline
import StrandlineFaults
import StrandlineHistory
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Syncing with a history that was pruned.
@Suite struct PrunedHistoryTests {
  private let time = TestTime()
  private let day: Int64 = 86_400_000

  @Test func `a cloud that is followed after everything was pruned gets every record and death`()
    async throws
  {
    let cloud = MemoryCloud(clock: time.clock)
    let phone = try await TestDevice("phone", cloud, time)
    let laptop = try await TestDevice("laptop", cloud, time)
    let kept = try await phone.insert("kept")
    let gone = try await phone.insert("gone")
    try await phone.sync()
    try await laptop.sync()
    try await phone.rename(kept, "renamed")
    try await phone.store.write { try $0.delete("TodoItem", gone) }
    try await phone.sync()
    time.advance(day)
    let report = try await phone.store.prune(RetentionPolicy(historyDays: 0))
    #expect(report.transactions == 4)
    #expect(report.holds.isEmpty)

    let moved = try await follow("second", on: cloud, phone)
    let sync = try await moved.syncNow()
    // The laptop never heard of the delete, and offers the life that it ended.
    let movedLaptop = try await follow("second", on: cloud, laptop)
    try await movedLaptop.syncNow()
    try await moved.syncNow()

    #expect(sync.exported == 2)
    let names = try await laptop.names()
    #expect(names == ["renamed"])
    #expect(try await phone.names() == names)
  }

  /// Lets a device follow another zone, which is another peer.
  private func follow(
    _ zone: String, on cloud: MemoryCloud, _ device: TestDevice
  ) async throws -> SyncedStore {
    let synced = SyncedStore(
      store: device.store, registry: Registry([]),
      options: SyncEngine.Options(zoneName: zone, deviceName: device.name))
    try await device.synced.use(nil)
    try await synced.use(MemoryTransport(cloud: cloud))
    return synced
  }

  @Test func `the engine prunes once a day, and never past what the peer has not acknowledged`()
    async throws
  {
    let cloud = MemoryCloud(clock: time.clock)
    let phone = try await TestDevice("phone", cloud, time)
    try await phone.insert("old")
    try await phone.sync()
    time.advance(200 * day)
    phone.panel.update { $0.isDown = true }
    try await phone.insert("pending")
    time.advance(200 * day)
    _ = try await phone.sync()
    #expect(try await phone.store.history().count == 2)

    phone.panel.update { $0.isDown = false }
    try await phone.sync()
    #expect(try await phone.store.history(after: try await phone.store.historyToken()).isEmpty)
    let error = await #expect(throws: HistoryError.self) { try await phone.store.history() }
    #expect(error?.code == .historyExpired)
    try await phone.sync()
    let prunes = try await phone.store.events(limit: 50).filter { $0.kind == "prune" }
    #expect(prunes.count == 1)
    #expect(prunes.first?.succeeded == true)
  }

  @Test func `a full compare after pruning offers everything`() async throws {
    let cloud = MemoryCloud(clock: time.clock)
    let phone = try await TestDevice("phone", cloud, time)
    let laptop = try await TestDevice("laptop", cloud, time)
    let id = try await phone.insert("one")
    try await phone.insert("two")
    try await phone.rename(id, "first")
    try await phone.sync()
    try await laptop.sync()
    time.advance(day)
    try await phone.store.prune(RetentionPolicy(historyDays: 0))
    let device = phone.store.device

    // As after a zone that was put back: everything is read and offered again.
    try await phone.store.administer { transaction in
      for var peer in try transaction.peers() {
        (peer.acknowledged, peer.examined, peer.cursor, peer.proof) = (0, 0, nil, nil)
        peer.compareHead = try transaction.sealedHead()?.sequence ?? 0
        try transaction.update(peer)
      }
    }
    let report = try await phone.sync()
    try await laptop.sync()

    #expect(report.error == nil)
    #expect(report.exported == 2)
    #expect(try await phone.store.read { try $0.deviceID() } == device)
    #expect(Set(try await laptop.names()) == ["first", "two"])
    #expect(try await laptop.conflicts().isEmpty)
  }

  @Test func `a trace of a change that was pruned says so`() async throws {
    let cloud = MemoryCloud(clock: time.clock)
    let phone = try await TestDevice("phone", cloud, time)
    let id = try await phone.insert("one")
    try await phone.sync()
    time.advance(day)
    try await phone.store.prune(RetentionPolicy(historyDays: 0))

    let pruned = try #require(try await phone.store.trace(id))
    try await phone.rename(id, "two")
    let later = try #require(try await phone.store.trace(id))

    #expect(pruned.isPruned)
    #expect(pruned.savedAt == nil)
    #expect(pruned.peers.isEmpty)
    #expect(!later.isPruned)
    #expect(later.savedAt != nil)
  }
}
