import StrandlineAuthority
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct FenceTests {
  private func remedy(_ body: () throws -> Void) -> (TransportError.Code, TransportError.Remedy)? {
    do { try body() } catch { return (error as? TransportError).map { ($0.code, $0.remedy) } }
    return nil
  }

  /// Reads to the head and says so.
  @discardableResult private func catchUp(
    _ desk: inout Desk, _ device: UInt64, after cursor: Cursor? = nil
  ) throws -> Cursor {
    let cursor = try desk.fetch(device, after: cursor).cursor
    try desk.receipt(device, cursor)
    return cursor
  }

  @Test func `C6: the fence waits for the device that has read least`() throws {
    var desk = try Desk()
    let early = try catchUp(&desk, 2)
    try desk.send(1, Fact.birth("a", 10))
    try desk.send(1, Fact.delete("a", 10, at: 5))
    try catchUp(&desk, 1)
    let waiting = desk.stored?.fence
    let late = try desk.fetch(2, after: early)

    try desk.receipt(2, late.cursor)

    #expect(waiting == 0)
    #expect(late.changes.map(\.delta.death?.life) == [Fact.stamp(10)])
    #expect(desk.stored?.fence == 2)
  }

  @Test func `C6: a delete with an old stamp is shown, since the fence is a position`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10), Fact.birth("b", 1000))
    let one = try catchUp(&desk, 1)
    let two = try catchUp(&desk, 2)
    try desk.send(1, Fact.delete("a", 10, at: 50), cursor: one)

    let page = try desk.fetch(2, after: two)

    #expect(page.changes.map(\.delta) == [Fact.delete("a", 10, at: 50)])
  }

  @Test func `C6: a device that was silent too long must compare everything`() throws {
    var limits = AuthorityLimits()
    limits.silenceMilliseconds = 1000
    var desk = try Desk(limits: limits)
    let old = try catchUp(&desk, 2)
    desk.clock.advance(by: 2000)
    try desk.send(1, Fact.birth("a", 10))
    try catchUp(&desk, 1)

    let fetch = remedy { try desk.fetch(2, after: old) }
    let send = remedy { try desk.send(2, Fact.birth("b", 10), cursor: old) }

    #expect(fetch?.0 == .cursorExpired && fetch?.1 == .compareAll)
    #expect(send?.0 == .cursorExpired && send?.1 == .compareAll)
    #expect(throws: Never.self) { try desk.fetch(2) }
  }

  @Test func `C6: a stale birth or edit is answered with the death, long behind the fence`() throws
  {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10), Fact.birth("b", 10))
    try desk.send(1, Fact.delete("a", 10, at: 20), Fact.delete("b", 10, at: 20))
    let cursor = try catchUp(&desk, 1)

    let answer = try desk.send(
      3, Fact.birth("a", 10, ["p": 1]), Fact.edit("b", "p", 1, at: 5, of: 10), cursor: cursor)

    #expect(desk.stored?.fence == 4)
    #expect(
      answer.deaths == [Fact.delete("a", 10, at: 20), Fact.delete("b", 10, at: 20)])
    #expect(answer.acceptance?.position == 4)
  }

  @Test func `C6: the death is answered again when the reply was lost`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10))
    try desk.send(1, Fact.delete("a", 10, at: 20))
    let page = desk.page(2, [Fact.birth("a", 10)], cursor: try desk.fetch(2).cursor)

    let answers = try [desk.send(page), desk.send(page)]

    #expect(answers.map(\.deaths) == Array(repeating: [Fact.delete("a", 10, at: 20)], count: 2))
  }

  @Test func `C4: a death that the sender will fetch anyway is not answered apart`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10), Fact.birth("b", 10))
    let cursor = try desk.fetch(2).cursor
    try desk.send(1, Fact.delete("a", 10, at: 20), Fact.edit("b", "p", 1, at: 20, of: 10))

    let answer = try desk.send(2, Fact.edit("a", "p", 1, at: 15, of: 10), cursor: cursor)

    #expect(answer.deaths.isEmpty)
    #expect(try desk.fetch(2, after: cursor).changes.count == 2)
  }

  @Test func `C6: raising a kept death numbers it again`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10))
    try desk.send(1, Fact.delete("a", 10, at: 20))
    let cursor = try catchUp(&desk, 1)

    try desk.send(2, Fact.delete("a", 15, at: 30))

    #expect(
      try desk.fetch(1, after: cursor).changes.map(\.delta) == [Fact.delete("a", 15, at: 30)])
  }

  @Test func `C2: a later insert revives what the authority remembers as dead`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10))
    try desk.send(1, Fact.delete("a", 10, at: 20))
    let cursor = try catchUp(&desk, 1)

    let answer = try desk.send(2, Fact.birth("a", 11, ["p": 1]), cursor: cursor)

    #expect(answer.deaths.isEmpty)
    #expect(
      try desk.fetch(1, after: cursor).changes.map(\.delta) == [Fact.birth("a", 11, ["p": 1])])
  }

  @Test func `C18: a receipt beyond the head is clamped and expires nobody`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10))
    let honest = try catchUp(&desk, 2)
    let mark = try #require(desk.stored?.mark)
    try desk.receipt(3, ZonePlace(mark: mark, incarnation: 1, sequence: 1_000_000).cursor)
    try desk.send(1, Fact.birth("b", 10))

    #expect(desk.stored?.fence == 1)
    #expect(try desk.fetch(2, after: honest).changes.count == 1)
    #expect(try desk.receipt(2, honest).first { $0.device == Desk.info(3) }?.position == 1)
  }

  @Test func `a receipt that comes late does not take back what a later one has said`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10))
    let early = try catchUp(&desk, 2)
    try desk.send(1, Fact.birth("b", 10))
    let late = try catchUp(&desk, 2)

    try desk.receipt(2, late)
    try desk.receipt(2, early)

    let reports = try desk.receipt(1, try desk.fetch(1).cursor)
    #expect(reports.first { $0.device == Desk.info(2) }?.position == 2)
  }

  @Test func `C18: a receipt of another incarnation counts for nothing`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10))
    let mark = try #require(desk.stored?.mark)
    let cursor = ZonePlace(mark: mark, incarnation: 2, sequence: 1).cursor

    #expect(remedy { try desk.receipt(2, cursor) }?.0 == .zoneRestored)
    #expect(desk.stored?.fence == 0)
  }

  @Test func `C14: the fence waits where a listing began, and nothing claims to be held`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10), Fact.birth("b", 10))
    let listing = try desk.fetch(2, limit: 1)
    try desk.receipt(2, listing.cursor)
    try desk.send(1, Fact.delete("a", 10, at: 20))

    let reports = try desk.receipt(1, try desk.fetch(1).cursor)

    #expect(reports.isEmpty)
    #expect(desk.stored?.fence == 2)
    #expect(try desk.fetch(2, after: listing.cursor).headReached)
  }

  @Test func `C11: the fence does not pass the newest backup`() throws {
    var desk = try Desk()
    try desk.authority.noteBackup()
    try desk.send(1, Fact.birth("a", 10))
    try catchUp(&desk, 1)
    let held = desk.stored?.fence

    try desk.authority.noteBackup()
    try catchUp(&desk, 1)

    #expect(held == 0)
    #expect(desk.stored?.fence == 1)
  }

  @Test func `C8: a device that comes back under a new epoch frees the fence of its old one`()
    throws
  {
    var desk = try Desk()
    try catchUp(&desk, 2)
    try desk.open(2, epoch: 2)
    try desk.send(1, Fact.birth("a", 10))

    let reports = try desk.receipt(1, try desk.fetch(1).cursor)

    #expect(desk.stored?.fence == 1)
    #expect(reports.isEmpty)
  }

  @Test func `a report tells how far another device has read and when it said so`() throws {
    var desk = try Desk()
    let position = try desk.send(1, Fact.birth("a", 10)).acceptance?.position
    try catchUp(&desk, 2)
    desk.clock.advance(by: 500)

    let reports = try desk.receipt(1, try desk.fetch(1).cursor)

    #expect(reports.map(\.device) == [Desk.info(2)])
    #expect(reports.map(\.position) == [position])
    #expect(reports.map(\.reportedAt) == [desk.clock.now - 500])
  }
}
