import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import StrandlineTransport
import Testing

/// Clients that hold on to connections without using them, with deadlines made short.
@Suite(.serialized) struct SlowClientTests {
  /// Long enough for a quick client on a busy machine to be none of these.
  private static func hurry(_ options: inout ServeOptions) {
    options.front.timing.head = 400
    options.front.timing.idle = 400
    options.front.timing.body = 2000
    options.front.timing.bodyGrace = 300
    options.front.timing.leastRate = 100_000
  }

  /// Sends one byte after the other until the other side has closed the connection.
  private func drip(_ socket: RawSocket, _ text: String) async throws -> Bool {
    let bytes = Array(text.utf8)
    return try await eventually {
      for byte in bytes where !(try await socket.send([byte])) { return true }
      return false
    }
  }

  @Test func `a connection on which nothing comes is closed`() async throws {
    let live = try await LiveDesk.start { Self.hurry(&$0) }
    let socket = try await live.connect()

    #expect(try await socket.receiveAll() == "")

    try await live.stop()
  }

  @Test func `a head that comes byte by byte is cut off`() async throws {
    let live = try await LiveDesk.start { Self.hurry(&$0) }
    let socket = try await live.connect()
    try await socket.send("GET /v1/account HTTP/1.1\r\nHost: localhost\r\n")

    #expect(try await drip(socket, "X-More: a\r\n"))

    try await live.stop()
  }

  @Test func `a first line that never ends is cut off`() async throws {
    let live = try await LiveDesk.start { Self.hurry(&$0) }
    let socket = try await live.connect()

    #expect(try await drip(socket, "GET /"))

    try await live.stop()
  }

  @Test func `a body that comes byte by byte is cut off`() async throws {
    let live = try await LiveDesk.start { Self.hurry(&$0) }
    let socket = try await live.connect()
    try await socket.send(LiveDesk.head(.open, length: 1_000_000))

    #expect(try await drip(socket, "0123456789"))

    try await live.stop()
  }

  @Test func `a body in chunks that never ends is cut off`() async throws {
    let live = try await LiveDesk.start {
      Self.hurry(&$0)
      $0.front.timing.leastRate = 1
      $0.front.timing.body = 500
    }
    let socket = try await live.connect()
    try await socket.send(LiveDesk.head(.open, more: ["Transfer-Encoding: chunked"]))

    #expect(try await drip(socket, "1\r\nx\r\n"))

    try await live.stop()
  }

  @Test func `a connection that was used once and rests is closed`() async throws {
    let live = try await LiveDesk.start { Self.hurry(&$0) }
    let socket = try await live.connect()
    try await socket.send(LiveDesk.head(.health))
    #expect(try await socket.receiveAnswer().status == 200)

    #expect(try await socket.receive() == nil)

    try await live.stop()
  }

  @Test func `an answer that nobody reads is given up`() async throws {
    let live = try await LiveDesk.start {
      Self.hurry(&$0)
      $0.front.timing.answer = 300
      $0.front.timing.leastRate = 1 << 30
    }
    let zone = try live.desk.open().zone
    let text = String(repeating: "0123456789", count: 1_500_000)
    try live.desk.send(1, to: zone, Fact.note("a", text))
    let socket = try await live.connect(receiveBuffer: 4096)
    try await socket.send(LiveDesk.head(.changes(zone: zone.rawValue)))

    #expect(try await eventually { live.running.front.outgoingBytes > 0 })
    #expect(try await eventually { live.running.front.outgoingBytes == 0 })

    let received = try await socket.receiveAll()
    #expect(received.utf8.count < text.utf8.count)
    try await live.stop()
  }

  @Test func `an answer that finds no memory is refused, and all memory is free again later`()
    async throws
  {
    let live = try await LiveDesk.start { $0.front.limits.outgoingBytes = 1000 }
    let zone = try live.desk.open().zone
    let text = String(repeating: "0123456789", count: 1_500_000)
    try live.desk.send(1, to: zone, Fact.note("a", text))
    var reader: RawSocket? = try await live.connect(receiveBuffer: 4096)
    try await reader?.send(LiveDesk.head(.changes(zone: zone.rawValue)))
    #expect(try await eventually { live.running.front.outgoingBytes > text.utf8.count })

    #expect(try await live.ask(.limits).status == 503)

    reader = nil
    #expect(try await eventually { live.running.front.outgoingBytes == 0 })
    try await live.stop()
  }

  @Test func `while hundreds are slow others are answered`() async throws {
    let live = try await LiveDesk.start()
    var slow: [RawSocket] = []
    for number in 0..<300 {
      let socket = try await live.connect()
      if number.isMultiple(of: 2) { try await socket.send("GET /v1/account HTTP/1.1\r\nHost: l") }
      slow.append(socket)
    }

    #expect(try await live.ask(.health).status == 200)
    #expect(try await live.ask(.account).status == 200)

    try await live.stop()
    withExtendedLifetime(slow) {}
  }

  @Test func `beyond the cap the health is answered and others are told to come later`()
    async throws
  {
    let live = try await LiveDesk.start { $0.front.limits.connections = 4 }
    var kept: [RawSocket] = []
    for _ in 0..<4 { kept.append(try await live.connect()) }
    #expect(try await eventually { live.running.front.connectionCount == 4 })

    #expect(try await live.ask(.health).status == 200)
    let refused = try await live.ask(.account)
    #expect(refused.status == 503)
    #expect(refused.headers["retry-after"] == "10")

    try await live.stop()
    withExtendedLifetime(kept) {}
  }
}
