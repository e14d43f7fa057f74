import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import StrandlineTransport
import Testing

@Suite(.serialized) struct FrontEndTests {
  @Test func `a request is answered over a socket, and the connection is kept`() async throws {
    let live = try await LiveDesk.start()
    let socket = try await live.connect()
    for _ in 0..<3 {
      try await socket.send(LiveDesk.head(.account))
      let answer = try await socket.receiveAnswer()
      #expect(answer.status == 200)
      #expect(answer.headers["strandline-server"] == "0123abcd")
      #expect(String(decoding: answer.body, as: UTF8.self).contains("anna"))
    }
    try await live.stop()
  }

  @Test func `requests that follow each other at once are answered in their order`() async throws {
    let live = try await LiveDesk.start()
    let socket = try await live.connect()
    let heads: [Endpoint] = [.account, .health, .limits, .zones]

    try await socket.send(heads.map { LiveDesk.head($0) }.joined())
    try await socket.finishSending()
    let text = try await socket.receiveAll()

    let places = ["\"account\"", "\"status\"", "\"pageRecords\"", "\"zones\""].map {
      text.firstRange(of: $0)?.lowerBound
    }
    #expect(places.allSatisfy { $0 != nil })
    #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
    try await live.stop()
  }

  @Test func `a large page goes both ways`() async throws {
    let live = try await LiveDesk.start()
    let zone = try live.desk.open().zone
    let text = String(repeating: "0123456789", count: 300_000)
    let page = live.desk.page(1, to: zone, [Fact.note("a", text)])

    let sent = try await live.ask(.send(zone: zone.rawValue), page.encode())
    let fetch = FetchRequest(
      device: Desk.info(2), zone: zone, proof: nil, cursor: nil, limit: 10)
    let fetched = try await live.ask(.fetch(zone: zone.rawValue), fetch.encode())

    #expect(try SendAnswer(decoding: sent.body).acceptance != nil)
    #expect(try FetchPage(decoding: fetched.body).changes.first?.delta == Fact.note("a", text))
    try await live.stop()
  }

  @Test func `a body in chunks is read, and one that waits for leave is given it`() async throws {
    let live = try await LiveDesk.start()
    let zone = try live.desk.open().zone
    let body = live.desk.page(1, to: zone, [Fact.note("a", "milk")]).encode()
    let socket = try await live.connect()

    try await socket.send(
      LiveDesk.head(
        .send(zone: zone.rawValue), more: ["Transfer-Encoding: chunked", "Expect: 100-continue"]))
    _ = try await socket.receive(until: "100 Continue\r\n\r\n")
    for byte in body { try await socket.send(Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8)) }
    try await socket.send("0\r\n\r\n")

    #expect(try await socket.receiveAnswer().status == 200)
    #expect(try live.desk.fetch(from: zone).changes.count == 1)
    try await live.stop()
  }

  @Test func `what the head alone forbids is refused before the body is sent`() async throws {
    let live = try await LiveDesk.start()
    let heads: [(String, Int)] = [
      (LiveDesk.head(.open, length: 1000, secret: nil), 401),
      (LiveDesk.head(.open, length: 100_000_000), 413),
      (LiveDesk.head(.open, length: 10, more: ["Content-Encoding: gzip"]), 415),
      (LiveDesk.head(.account, length: 10), 413),
      (LiveDesk.head(.open, length: 1000, secret: "x", more: ["Expect: 100-continue"]), 401),
      (LiveDesk.head(.open, length: 10, more: ["Expect: something"]), 417),
    ]
    for (head, status) in heads {
      let socket = try await live.connect()
      try await socket.send(head)
      #expect(try await socket.receiveAnswer().status == status, "\(head)")
    }
    try await live.stop()
  }

  @Test func `a stream carries a hint as soon as a group is accepted`() async throws {
    let live = try await LiveDesk.start()
    let zone = try live.desk.open().zone
    let socket = try await live.connect()
    try await socket.send(LiveDesk.head(.events))
    let head = try await socket.receive(until: ": connected")
    #expect(head.contains("Content-Type: text/event-stream"))
    let body = live.desk.page(1, to: zone, [Fact.note("a", "milk")]).encode()

    #expect(try await live.ask(.send(zone: zone.rawValue), body).status == 200)

    let event = try await socket.receive(until: "\"sequence\":1")
    #expect(event.contains(zone.rawValue))
    try await live.stop()
  }

  @Test func `a stream that its reader leaves makes room`() async throws {
    let live = try await LiveDesk.start()
    var socket: RawSocket? = try await live.connect()
    try await socket?.send(LiveDesk.head(.events))
    _ = try await socket?.receive(until: ": connected")
    #expect(live.running.server.streamCount == 1)

    socket = nil

    #expect(try await eventually { live.running.server.streamCount == 0 })
    try await live.stop()
  }

  @Test func `a server can be stopped while clients come`() async throws {
    for _ in 0..<50 {
      let live = try await LiveDesk.start()
      let clients = Task {
        // Until the server is gone, which no connection can be made to any more.
        while let socket = try? await live.connect() {
          _ = try? await socket.send(LiveDesk.head(.health))
        }
      }
      _ = try await live.ask(.health)
      try await live.stop()
      await clients.value
    }
  }

  @Test func `a server that stops finishes what runs and ends streams and idle connections`()
    async throws
  {
    let live = try await LiveDesk.start()
    let zone = try live.desk.open().zone
    let (stream, idle) = (try await live.connect(), try await live.connect())
    try await stream.send(LiveDesk.head(.events))
    _ = try await stream.receive(until: ": connected")
    try await idle.send(LiveDesk.head(.health))
    _ = try await idle.receiveAnswer()
    let body = live.desk.page(1, to: zone, [Fact.note("a", "milk")]).encode()
    let sender = try await live.connect()
    try await sender.send(LiveDesk.head(.send(zone: zone.rawValue), length: body.count))
    try await sender.send(body)
    #expect(try await sender.receiveAnswer().status == 200)

    try await live.stop()

    #expect(try await stream.receiveAll().hasSuffix("0\r\n\r\n"))
    #expect(try await idle.receive() == nil)
    await #expect(throws: (any Error).self) { try await live.connect() }
    #expect(try live.desk.fetch(from: zone).changes.count == 1)
  }

  @Test func `a port that is taken is said in a sentence`() async throws {
    let live = try await LiveDesk.start()
    let port = live.port

    await #expect(throws: ServeError.self) {
      try await LiveDesk.start { $0.front.address.port = port }
    }
    try await live.stop()
  }
}
