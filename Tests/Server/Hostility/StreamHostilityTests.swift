import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import StrandlineTransport
import Testing

@Suite(.serialized) struct StreamHostilityTests {
  private func listen(
    _ live: LiveDesk, secret: String = Desk.secret, receiveBuffer: Int32? = nil
  ) async throws -> RawSocket {
    let socket = try await live.connect(receiveBuffer: receiveBuffer)
    try await socket.send(LiveDesk.head(.events, secret: secret))
    _ = try await socket.receive(until: ": connected")
    return socket
  }

  @Test func `a token that is revoked in mid-stream ends its streams and no others`() async throws {
    let live = try await LiveDesk.start()
    live.cabinet.addToken("token-lost", account: Desk.account)
    let zone = try live.desk.open().zone
    let (lost, kept) = (try await listen(live, secret: "token-lost"), try await listen(live))

    live.cabinet.revoke("token-lost")

    #expect(try await lost.receiveAll().hasSuffix("0\r\n\r\n"))
    try live.desk.send(1, to: zone, Fact.note("a", "milk"))
    _ = try await kept.receive(until: "\"sequence\":1")
    #expect(try await live.ask(.events, secret: "token-lost").status == 401)
    try await live.stop()
  }

  @Test func `a slow reader is dropped, others are not, and it catches up by what it asks`()
    async throws
  {
    let live = try await LiveDesk.start {
      $0.limits.streamBytes = 2000
      $0.front.limits.streamSocketBytes = 2048
    }
    let zone = try live.desk.open().zone
    let slow = try await listen(live, receiveBuffer: 2048)
    let quick = try await listen(live)
    #expect(live.running.server.streamCount == 2)

    // Much more than all buffers on the way together hold.
    var sent = 0
    while live.running.server.streamCount == 2, sent < 2000 {
      sent += 1
      let page = live.desk.page(1, to: zone, [Fact.note("n\(sent)", "x", at: Int64(sent))])
      let answer = live.running.server.answer(
        Desk.request(.send(zone: zone.rawValue), page.encode()))
      #expect(answer.status == 200)
      _ = try await quick.receive(until: "\"sequence\":\(sent),")
    }
    #expect(live.running.server.streamCount == 1)

    var reader = ServerEventReader()
    var last: ServerEvent?
    while let bytes = try? await slow.receive() { last = reader.read(bytes).last ?? last }
    let seen = try #require(last.flatMap { HintEvent($0) })
    #expect(seen.sequence < sent)
    let again = try await live.connect()
    try await again.send(LiveDesk.head(.events, more: ["Last-Event-ID: \(seen.number)"]))
    _ = try await again.receive(until: "\"sequence\":\(sent)")
    #expect(try live.desk.fetch(from: zone).changes.count == sent)
    try await live.stop()
  }

  @Test func `a storm of readers after a restart is taken in, and too many are put off`()
    async throws
  {
    let cabinet = Cabinet()
    let live = try await LiveDesk.start(cabinet) { $0.limits.streams = 100 }
    let zone = try live.desk.open().zone
    let before = try await withThrowingTaskGroup(of: RawSocket.self) { group in
      for _ in 0..<50 { group.addTask { try await listen(live) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try await live.stop()
    for socket in before { while try await socket.receive() != nil {} }

    let next = try await LiveDesk.start(cabinet) { $0.limits.streams = 100 }
    let statuses = try await withThrowingTaskGroup(of: (RawSocket, String).self) { group in
      for _ in 0..<150 {
        group.addTask {
          let socket = try await next.connect()
          try await socket.send(LiveDesk.head(.events))
          return (socket, try await socket.receive(until: "\r\n\r\n"))
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(statuses.count { $0.1.hasPrefix("HTTP/1.1 200") } == 100)
    let refused = statuses.filter { $0.1.hasPrefix("HTTP/1.1 503") }
    #expect(refused.count == 50)
    #expect(refused.allSatisfy { $0.1.contains("Retry-After: 15") })
    try next.desk.send(1, to: zone, Fact.note("a", "milk"))
    for (socket, head) in statuses where head.hasPrefix("HTTP/1.1 200") {
      _ = try await socket.receive(until: "\"sequence\":1")
    }
    try await next.stop()
  }

  @Test func `a reader that only ever opens and leaves costs nothing that stays`() async throws {
    let live = try await LiveDesk.start()
    for _ in 0..<100 {
      let socket = try await live.connect()
      try await socket.send(LiveDesk.head(.events))
    }

    var last: RawSocket? = try await listen(live)
    #expect(last != nil)
    last = nil

    #expect(
      try await eventually {
        live.running.front.connectionCount == 0 && live.running.server.streamCount == 0
      })
    try await live.stop()
  }
}
