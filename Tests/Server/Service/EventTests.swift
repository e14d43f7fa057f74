import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import StrandlineTransport
import Testing

struct EventTests {
  let desk: Desk

  init() throws {
    desk = try Desk()
  }

  private func events(_ stream: EventStream) -> [HintEvent] {
    var reader = ServerEventReader()
    return reader.read(Array((stream.text() ?? "").utf8)).compactMap(HintEvent.init)
  }

  private func resume(_ number: Int64) throws -> EventStream {
    var request = Desk.request(.events)
    request.headers["last-event-id"] = String(number)
    return try desk.server.answer(request).stream
  }

  @Test func `a group that is accepted is told with its zone, place and device`() throws {
    let zone = try desk.open().zone
    let stream = try desk.ask(.events).stream
    _ = stream.text()

    try desk.send(1, to: zone, Fact.note("a", "milk"))

    let found = events(stream)
    #expect(found.map(\.zone) == [zone])
    #expect(found.map(\.sequence) == [1])
    #expect(found.map(\.incarnation) == [1])
    #expect(found.map(\.device) == [Desk.info(1).id.description])
  }

  @Test func `a purge is told`() throws {
    let zone = try desk.open().zone
    let stream = try desk.ask(.events).stream
    _ = stream.text()

    let purge = PurgeRequest(device: Desk.info(1), zone: zone)
    _ = desk.ask(.purge(zone: zone.rawValue), purge.encode())

    #expect(events(stream).map(\.zone) == [zone])
  }

  @Test func `a page that is only staged is not told`() throws {
    let zone = try desk.open().zone
    let stream = try desk.ask(.events).stream
    _ = stream.text()
    var page = desk.page(1, to: zone, [Fact.note("a", "milk")])
    page.isLast = false
    page.group.recordCount = 2

    _ = try desk.ask(.send(zone: zone.rawValue), page.encode()).bytes(200)

    #expect(stream.text() == "")
  }

  @Test func `another account is told nothing`() throws {
    let zone = try desk.open().zone
    desk.cabinet.addToken("token-of-bert", account: "bert")
    let stream = try desk.ask(.events, secret: "token-of-bert").stream
    _ = stream.text()

    try desk.send(1, to: zone, Fact.note("a", "milk"))

    #expect(stream.text() == "")
  }

  @Test func `a reader that comes back is told at once what it missed, and else nothing`() throws {
    let zone = try desk.open().zone
    let stream = try desk.ask(.events).stream
    try desk.send(1, to: zone, Fact.note("a", "milk"))
    let last = try #require(events(stream).last)

    #expect(events(try resume(last.number)).isEmpty)
    try desk.send(1, to: zone, Fact.note("b", "bread"))
    let missed = events(try resume(last.number))
    #expect(missed.map(\.sequence) == [2])
    // So does a server that was started anew.
    let again = try Desk(cabinet: desk.cabinet, process: 2)
    var request = Desk.request(.events)
    request.headers["last-event-id"] = String(try #require(missed.last).number)
    #expect(events(try again.server.answer(request).stream).isEmpty)
  }

  @Test func `a stream shows a sign of life every 15 seconds`() throws {
    let stream = try desk.ask(.events).stream
    _ = stream.text()

    desk.server.tick()
    #expect(stream.text() == "")
    desk.clock.advance(by: 15_000)
    desk.server.tick()
    desk.server.tick()

    #expect(stream.text() == ": keep-alive\n\n")
  }

  @Test func `a reader that is too slow loses its stream and nobody else does`() throws {
    var limits = ServerLimits()
    limits.streamBytes = 1000
    let desk = try Desk(limits: limits)
    let zone = try desk.open().zone
    let (slow, quick) = (try desk.ask(.events).stream, try desk.ask(.events).stream)

    for number in 0..<20 {
      try desk.send(1, to: zone, Fact.note("n\(number)", "x"))
      _ = quick.text()
    }

    #expect(slow.standing == .overflowed)
    #expect(slow.text() == nil)
    #expect(quick.standing == .open)
  }

  @Test func `too many streams are refused until one is left`() throws {
    var limits = ServerLimits()
    limits.streamsPerAccount = 2
    limits.streams = 3
    let desk = try Desk(limits: limits)
    desk.cabinet.addToken("token-of-bert", account: "bert")
    let streams = try (0..<2).map { _ in try desk.ask(.events).stream }

    let refused = desk.ask(.events)
    #expect(refused.status == 503)
    #expect(refused.headers["Retry-After"] == "15")
    let third = try desk.ask(.events, secret: "token-of-bert").stream
    #expect(desk.ask(.events, secret: "token-of-bert").status == 503)
    streams[0].leave()
    third.leave()
    #expect(desk.ask(.events).status == 200)
    #expect(desk.server.streamCount == 2)
  }

  @Test func `the streams of a token that another process revokes are closed`() throws {
    desk.cabinet.addToken("token-phone", account: "anna")
    let (lost, kept) = (
      try desk.ask(.events, secret: "token-phone").stream, try desk.ask(.events).stream
    )

    desk.cabinet.revoke("token-phone")
    desk.server.lookForForeignChanges()

    _ = lost.text()
    #expect(lost.text() == nil)
    #expect(kept.standing == .open)
  }

  @Test func `the streams of a token end with it`() throws {
    desk.cabinet.addToken("token-short", account: "anna", expiresAt: desk.clock.now + 5000)
    let stream = try desk.ask(.events, secret: "token-short").stream

    desk.server.tick()
    #expect(stream.standing == .open)
    desk.clock.advance(by: 5000)
    desk.server.tick()

    #expect(stream.standing == .ending)
  }

  @Test func `what another process writes is told`() throws {
    let zone = try desk.open().zone
    let other = try Desk(cabinet: desk.cabinet, process: 2)
    let stream = try desk.ask(.events).stream
    #expect(!desk.server.lookForForeignChanges())
    _ = stream.text()

    try other.send(3, to: zone, Fact.note("a", "milk"))

    #expect(desk.server.lookForForeignChanges())
    #expect(events(stream).map(\.sequence) == [1])
    #expect(!desk.server.lookForForeignChanges())
  }

  @Test func `a server that stops ends all streams and opens none`() throws {
    let stream = try desk.ask(.events).stream

    desk.server.closeStreams()

    #expect(stream.standing == .ending)
    #expect(desk.ask(.events).status == 503)
  }
}
