import Strandline
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStorage
import StrandlineTransport
import Testing

/// C15 and F19: what becomes of stamps from the future once clocks are right.
@Suite struct FutureStampTests {
  private let scene = RecoveryScene()
  private let phoneTime = TestTime()

  private func phone() async throws -> TestDevice {
    try await scene.device("phone", clock: phoneTime)
  }

  @Test func `C15: edits made a year ahead arrive in their order once the clock is right`()
    async throws
  {
    let (phone, other) = (try await phone(), try await scene.device("other"))
    let old = try await phone.insert("one")
    try await scene.settle(phone, other)
    phoneTime.advance(RecoveryScene.year)
    try await phone.rename(old, "two")
    let new = try await phone.insert("draft")
    for step in 1...5 {
      phoneTime.advance()
      try await phone.rename(new, "draft \(step)")
    }
    try await phone.rename(old, "three")

    let refused = try await phone.sync()
    let blocked = try #require(try await phone.status())
    phoneTime.advance(-RecoveryScene.year - 5000)
    let accepted = try await phone.sync()
    try await other.sync()

    #expect(refused.error?.codeName == "clockSkew")
    #expect(blocked.standing == .blocked)
    #expect(blocked.reason?.contains("clock is 365 days") == true)
    #expect(blocked.cure?.contains("Set this device's clock.") == true)
    #expect(accepted.error == nil)
    #expect(accepted.exported == 2)
    #expect(try await other.name(old) == "three")
    #expect(try await other.name(new) == "draft 5")
    #expect(try await phone.status()?.standing == .caughtUp)
    #expect(try await phone.brokenInvariants() == [])
    #expect(try await phone.seenTime() <= scene.time.clock.milliseconds + 1000)
  }

  @Test func `F19: the device from the future does not win for a year`() async throws {
    let (phone, other) = (try await phone(), try await scene.device("other"))
    let id = try await phone.insert("one")
    try await scene.settle(phone, other)
    phoneTime.advance(RecoveryScene.year)
    try await phone.rename(id, "of the future")
    try await phone.sync()
    phoneTime.advance(-RecoveryScene.year)
    try await scene.settle(phone, other)
    #expect(try await other.name(id) == "of the future")
    scene.time.advance()
    try await other.rename(id, "later")
    try await scene.settle(other, phone)

    #expect(try await phone.name(id) == "later")
    #expect(try await other.name(id) == "later")
    phoneTime.advance(2000)
    try await phone.rename(id, "latest")
    try await scene.settle(phone, other)
    #expect(try await other.name(id) == "latest")
  }

  @Test func `C15: deaths, new lives and what plain SQL wrote are stamped anew together`()
    async throws
  {
    let (phone, other) = (try await phone(), try await scene.device("other"))
    let (gone, reborn) = (try await phone.insert("gone"), try await phone.insert("reborn"))
    try await scene.settle(phone, other)
    phoneTime.advance(RecoveryScene.year)
    try await phone.delete([gone])
    try await phone.store.write {
      try $0.delete("TodoItem", reborn)
      try $0.insert("TodoItem", id: reborn, values: ["name": .text("second life")])
    }
    try await phone.rename(reborn, "second life, edited")
    let brief = try await phone.insert("brief")
    try await phone.delete([brief])
    let client = try Connection(path: phone.store.path, readOnly: false)
    try client.run("INSERT INTO TodoItem(name) VALUES ('by hand')")
    try await phone.sync()
    try client.run("UPDATE TodoItem SET name = 'by hand, later' WHERE name = 'by hand'")
    phoneTime.advance(-RecoveryScene.year)

    try await phone.sync()
    try await other.sync()

    #expect(Set(try await other.names()) == ["second life, edited", "by hand, later"])
    #expect(try await phone.names() == other.names())
    #expect(try await phone.brokenInvariants() == [])
    #expect(try await other.brokenInvariants() == [])
    let late = try await phone.store.read { transaction in
      try transaction.connection.integer("SELECT max(stamp) FROM strandline_log") >> 16
    }
    #expect(late <= scene.time.clock.milliseconds + 1000)
  }

  @Test func `C15: fresh stamps are above what was imported meanwhile`() async throws {
    let (phone, other) = (try await phone(), try await scene.device("other"))
    let id = try await phone.insert("one")
    try await scene.settle(phone, other)
    scene.time.advance(60_000)
    try await other.rename(id, "of the other")
    try await other.sync()
    phoneTime.advance(RecoveryScene.year)
    try await phone.sync()
    try await phone.rename(id, "seen and changed")
    try await phone.sync()
    // The clock is a minute behind now, which is right enough, and behind what was imported.
    phoneTime.advance(-RecoveryScene.year)

    try await phone.sync()
    try await other.sync()

    #expect(try await other.name(id) == "seen and changed")
  }

  @Test func `C15: while the clock is off it says by how much, and goes on by itself`()
    async throws
  {
    let phone = try await phone()
    try await phone.sync()
    phoneTime.advance(RecoveryScene.year)
    try await phone.insert("milk")
    try await phone.sync()
    phoneTime.advance(2 * RecoveryScene.day - RecoveryScene.year)
    try await phone.sync()
    #expect(
      try await phone.status()?.reason?.contains("clock is 2 days ahead of the server's") == true)
    phoneTime.advance(-RecoveryScene.year)
    try await phone.sync()
    #expect(
      try await phone.status()?.reason?.contains("clock is 363 days behind the server's") == true)
    #expect(try await phone.status()?.pending == 1)
    phoneTime.advance(RecoveryScene.year - 2 * RecoveryScene.day)

    #expect(try await phone.sync().exported == 1)

    #expect(try await phone.status()?.standing == .caughtUp)
    #expect(try await phone.status()?.reason == nil)
  }

  @Test func `C15: a clock a year behind loses no later edit of its own`() async throws {
    let (phone, other) = (try await phone(), try await scene.device("other"))
    phoneTime.advance(-RecoveryScene.year)
    let id = try await phone.insert("one")
    try await scene.settle(phone, other)
    try await other.rename(id, "two")
    try await scene.settle(other, phone)
    try await phone.rename(id, "three")
    try await scene.settle(phone, other)

    for device in [phone, other] { #expect(try await device.name(id) == "three") }
  }

  @Test func `F19: a clock that jumps both ways ends with the last edit everywhere`()
    async throws
  {
    let (phone, other) = (try await phone(), try await scene.device("other"))
    let id = try await phone.insert("0")
    try await scene.settle(phone, other)
    var offset: Int64 = 0
    for (step, jump) in [1, -2, 3, -1, 2, -3].enumerated() {
      offset += Int64(jump) * RecoveryScene.year
      phoneTime.advance(Int64(jump) * RecoveryScene.year)
      try await phone.rename(id, "\(step + 1)")
      try await phone.sync()
      #expect(try await phone.brokenInvariants() == [])
    }
    phoneTime.advance(-offset)
    try await scene.settle(phone, other)

    #expect(try await other.name(id) == "6")
    #expect(try await phone.seenTime() <= scene.time.clock.milliseconds + 300_000)
  }

  @Test func `F19: a frozen clock keeps the order of edits and is blamed for nothing`()
    async throws
  {
    let (phone, other) = (try await phone(), try await scene.device("other"))
    let id = try await phone.insert("0")
    for step in 1...20 {
      scene.time.advance(RecoveryScene.day)
      try await phone.rename(id, "\(step)")
      #expect(try await phone.sync().error == nil)
      try await other.sync()
      #expect(try await other.name(id) == "\(step)")
    }
  }

  @Test func `C15: who imported a stamp at the bound's edge is not blamed, and goes on later`()
    async throws
  {
    let (phone, other) = (try await scene.device("phone"), try await self.phone())
    let id = try await phone.insert("one")
    try await scene.settle(phone, other)
    phoneTime.advance(300_000)
    try await other.rename(id, "at the edge")
    try await other.sync()
    try await phone.sync()
    // The server's clock is set back a little, as clocks are.
    scene.time.advance(-10_000)
    try await phone.rename(id, "mine")

    let report = try await phone.sync()

    #expect(report.error?.codeName == "clockSkew")
    #expect(report.error?.message.contains("this device's clock") == false)
    #expect(try await phone.status()?.standing == .waiting)
    scene.time.advance(20_000)
    #expect(try await phone.sync().error == nil)
    try await other.sync()
    #expect(try await other.name(id) == "mine")
  }

  @Test func `C15: a life that another peer has taken keeps its name, and the peer is named`()
    async throws
  {
    let lenient = MemoryCloud(clock: phoneTime.clock, seed: 2).named("lenient")
    let phone = try await scene.device("phone", clock: phoneTime)
    try await phone.synced.follow(MemoryTransport(cloud: lenient))
    try await phone.sync()
    phoneTime.advance(RecoveryScene.year)
    let id = try await phone.insert("one")
    try await phone.sync()
    let before = try await phone.seenTime()
    phoneTime.advance(-RecoveryScene.year)

    let report = try await phone.sync()

    let refused = report.peers.first { $0.error != nil }
    #expect(refused?.error?.message.contains("lenient") == true)
    #expect(try await phone.seenTime() == before)
    #expect(try await phone.brokenInvariants() == [])
    // Nothing is lost: the time comes in which the stamp is taken.
    phoneTime.advance(RecoveryScene.year)
    scene.time.advance(RecoveryScene.year)
    let other = try await scene.device("other")
    try await phone.sync()
    try await other.sync()
    #expect(try await other.name(id) == "one")
  }

  @Test func `C15: a live query and a context notice nothing of new stamps`() async throws {
    let phone = try await phone()
    try await phone.sync()
    phoneTime.advance(RecoveryScene.year)
    let id = try await phone.insert("one")
    try await phone.sync()
    let head = try await phone.logHead()
    phoneTime.advance(-RecoveryScene.year)

    try await phone.sync()

    #expect(try await phone.logHead() == head)
    #expect(try await phone.name(id) == "one")
  }
}
