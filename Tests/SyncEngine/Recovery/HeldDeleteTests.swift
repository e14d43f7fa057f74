import Strandline
import StrandlineFaults
import StrandlineHistory
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTransport
import Testing

/// C25 and F12: most records deleted elsewhere at once wait for the person's word.
@Suite struct HeldDeleteTests {
  private let scene = RecoveryScene()

  /// Two devices that hold so many items.
  private func pair(
    _ count: Int, in scene: RecoveryScene, _ change: (inout SyncEngine.Options) -> Void = { _ in }
  ) async throws -> (TestDevice, TestDevice, [RecordID]) {
    let (a, b) = (try await scene.device("a", change), try await scene.device("b"))
    let ids = try await b.insert(count: count)
    try await scene.settle(b, a)
    #expect(try await a.names().count == count)
    return (a, b, ids)
  }

  @Test func `F12: deletes of most records are held, and everything else goes on`() async throws {
    let (a, b, ids) = try await pair(50, in: scene)
    try await b.delete(ids.prefix(30))
    try await b.rename(ids[40], "renamed")
    try await b.sync()

    let report = try await a.sync()

    #expect(report.heldDeletes == 30)
    #expect(report.imported == 1)
    #expect(report.caughtUpAt == nil)
    #expect(try await a.names().count == 50)
    #expect(try await a.name(ids[40]) == "renamed")
    let status = try #require(try await a.status())
    #expect(status.heldDeletes == 30)
    #expect(status.standing == .working)
    #expect(status.reasonCode == "heldDeletes")
    #expect(status.json["status"] == nil && status.json["heldDeletes"] == .integer(30))
    #expect(try await a.store.events().contains { $0.kind == "hold" && $0.records == 30 })
    #expect(try await a.sync().imported == 0)
    let item = try #require(try await a.store.heldDeleteItems(ownName: "a").first)
    #expect(item.entity == "TodoItem")
    #expect(item.device == "b")
    #expect(try await b.names().count == 20)
    // Waiting does not settle it, so nobody is kept waiting.
    _ = try await a.synced.waitUntilCaughtUp(timeout: .seconds(60))
  }

  @Test func `F12: what is confirmed is deleted everywhere and can be restored`() async throws {
    let (a, b, ids) = try await pair(50, in: scene)
    let token = try await a.store.historyToken()
    try await b.delete(ids.prefix(30))
    try await b.sync()
    try await a.sync()

    #expect(try await a.store.confirmHeldDeletes() == 30)

    #expect(try await a.names().count == 20)
    #expect(try await a.sync().exported == 0)
    #expect(try await a.status()?.heldDeletes == 0)
    #expect(try await a.status()?.standing == .caughtUp)
    #expect(try await a.brokenInvariants() == [])
    _ = try await a.store.restore("TodoItem", ids[0], to: token, author: "a")
    try await scene.settle(a, b)
    #expect(try await b.names().count == 21)
  }

  @Test func `F12: what is refused lives again on every device with the present values`()
    async throws
  {
    let (a, b, ids) = try await pair(50, in: scene)
    let c = try await scene.device("c") { $0.deleteLimit = .none }
    try await c.sync()
    try await b.delete(ids.prefix(30))
    try await b.sync()
    try await scene.settle(a, c)
    #expect(try await c.names().count == 20)
    try await a.rename(ids[3], "edited meanwhile")

    #expect(try await a.store.refuseHeldDeletes() == 30)
    try await scene.settle(a, b, c)

    for device in [a, b, c] {
      #expect(try await device.names().count == 50)
      #expect(try await device.name(ids[3]) == "edited meanwhile")
      #expect(try await device.name(ids[0]) == "item 0")
      #expect(try await device.status()?.standing == .caughtUp)
      #expect(try await device.brokenInvariants() == [])
    }
  }

  @Test(arguments: [(30, 20), (60, 30), (200, 100)])
  func `C25: fewer deletes than the limit are applied at once`(
    count: Int, deleted: Int
  ) async throws {
    let (a, b, ids) = try await pair(count, in: scene)
    try await b.delete(ids.prefix(deleted))
    try await b.sync()

    let report = try await a.sync()

    #expect(report.heldDeletes == 0)
    #expect(try await a.names().count == count - deleted)
  }

  @Test func `C25: deletes of several groups and pages are judged together`() async throws {
    let scene = RecoveryScene(limits: TransportLimits(pageRecords: 10))
    let (a, b, ids) = try await pair(50, in: scene)
    for part in stride(from: 0, to: 30, by: 5) {
      try await b.delete(ids[part..<part + 5])
      try await b.sync()
    }

    #expect(try await a.sync().heldDeletes == 30)
    #expect(try await a.names().count == 50)
  }

  @Test func `C25: the pieces of a long catch-up are judged together`() async throws {
    let scene = RecoveryScene(limits: TransportLimits(pageRecords: 10))
    let (a, b, ids) = try await pair(50, in: scene) { $0.stagedChanges = 10 }
    try await b.delete(ids.prefix(30))
    try await b.sync()

    #expect(try await a.sync().heldDeletes == 30)
    #expect(try await a.names().count == 50)
    try await a.store.confirmHeldDeletes()
    // Few enough ones that came in pieces are applied when the head is reached.
    _ = try await b.insert(count: 60)
    try await scene.settle(b, a)
    try await b.delete(ids[30..<48])
    _ = try await b.insert(count: 15, "new")
    try await b.sync()
    #expect(try await a.sync().heldDeletes == 0)
    #expect(try await a.names() == b.names())
  }

  @Test func `C25: an edit that ends with a delete of an earlier piece is listed`() async throws {
    let scene = RecoveryScene(limits: TransportLimits(pageRecords: 10))
    let (a, b, ids) = try await pair(50, in: scene) { $0.stagedChanges = 10 }
    try await b.delete(ids.prefix(12))
    _ = try await b.insert(count: 25, "new")
    try await b.sync()
    try await a.rename(ids[0], "edited here")

    #expect(try await a.sync().heldDeletes == 0)

    #expect(try await a.names() == b.names())
    #expect(try await a.conflicts() == ["name = edited here"])
    try await b.sync()
    #expect(try await b.conflicts() == ["name = edited here"])
  }

  @Test func `C25: deletes made on this device are never held`() async throws {
    let (a, b, ids) = try await pair(50, in: scene)
    try await a.delete(ids)

    let report = try await a.sync()

    #expect(report.exported == 50)
    #expect(report.heldDeletes == 0)
    #expect(try await a.names().isEmpty)
    #expect(try await b.sync().heldDeletes == 50)
  }

  @Test func `C25: what is held goes to no other peer before it is confirmed`() async throws {
    let second = scene.cloud.named("second")
    let (a, b, ids) = try await pair(50, in: scene)
    try await a.synced.follow(MemoryTransport(cloud: second))
    let c = try await TestDevice("c", second, scene.time)
    try await a.sync()
    try await c.sync()
    #expect(try await c.names().count == 50)
    try await b.delete(ids.prefix(30))
    try await b.sync()

    try await a.sync()
    try await c.sync()
    #expect(try await c.names().count == 50)
    #expect(try await c.status()?.heldDeletes == 0)

    try await a.store.confirmHeldDeletes()
    try await a.sync()
    #expect(try await c.sync().heldDeletes == 30)
  }

  @Test func `C25: a later life makes a held delete void`() async throws {
    let (a, b, ids) = try await pair(50, in: scene)
    try await b.delete(ids.prefix(30))
    try await b.sync()
    try await a.sync()
    scene.time.advance()
    try await b.insert("born again", id: ids[0])
    try await scene.settle(b, a)

    #expect(try await a.name(ids[0]) == "born again")
    #expect(try await a.status()?.heldDeletes == 29)
    try await a.store.confirmHeldDeletes()
    #expect(try await a.names() == b.names())
  }

  @Test func `C25: an edit of a held record is kept by a refusal and listed by a confirmation`()
    async throws
  {
    for isRefused in [true, false] {
      let scene = RecoveryScene()
      let (a, b, ids) = try await pair(50, in: scene)
      try await b.delete(ids.prefix(30))
      try await b.sync()
      try await a.sync()
      scene.time.advance()
      try await a.rename(ids[1], "still wanted")
      try await a.sync()
      #expect(try await a.name(ids[1]) == "still wanted")
      #expect(try await a.status()?.heldDeletes == 30)

      if isRefused {
        try await a.store.refuseHeldDeletes()
      } else {
        try await a.store.confirmHeldDeletes()
      }
      try await scene.settle(a, b)

      #expect(try await b.name(ids[1]) == (isRefused ? "still wanted" : nil))
      #expect(try await a.names() == b.names())
      if !isRefused { #expect(try await a.conflicts().contains("name = still wanted")) }
    }
  }

  @Test func `C25: deaths that a full compare is answered are held too`() async throws {
    let (a, b, ids) = try await pair(50, in: scene)
    try await b.delete(ids.prefix(30))
    try await b.sync()
    a.panel.inject(.expireCursor)

    #expect(try await a.sync().heldDeletes == 30)
    try await a.sync()

    #expect(try await a.names().count == 50)
    #expect(try await a.status()?.heldDeletes == 30)
    try await a.store.refuseHeldDeletes()
    try await scene.settle(a, b)
    #expect(try await b.names().count == 50)
  }
}
