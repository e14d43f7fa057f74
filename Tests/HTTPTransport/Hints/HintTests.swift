import StrandlineHTTPProtocol
import StrandlineHTTPTransport
import StrandlineModels
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Hints as a server pushes them.
struct HintTests {
  let log = PaceLog()

  @Test func `Connecting is a hint, and each change of another device is one`() async throws {
    let feed = Feed()
    let server = try EventServer.fed([feed])
    let transport = try EventServer.transport(server, log.pace(passing: 0))
    var hints = transport.hints().makeAsyncIterator()
    #expect(await hints.next(isolation: nil) != nil)
    for number in 1...5 {
      feed.add(EventServer.event(Int64(number)))
      #expect(await hints.next(isolation: nil) != nil)
    }
    let request = try #require(server.requests.first)
    #expect(request.method == "GET")
    #expect(request.path == "/v1/events")
    #expect(request.headers["authorization"] == "Bearer secret")
    #expect(request.headers["accept"] == "text/event-stream")
    #expect(request.headers["last-event-id"] == nil)
    feed.end()
  }

  @Test func `Own changes, other zones and what is no change are not passed on`() async throws {
    let feed = Feed()
    let server = try EventServer.fed([feed])
    let transport = try EventServer.transport(server, log.pace(passing: 0))
    _ = try await transport.open(Sample.open)
    let count = Counter()
    let hearing = Task { await transport.listen { _ = count.next() } }
    feed.add(EventServer.event(1, device: Sample.device.id.description))
    feed.add(EventServer.event(2, zone: ZoneID(rawValue: "ffff")))
    feed.add(": keep-alive\n\n")
    feed.add("event: weather\ndata: {}\n\n")
    feed.add("data: no name\n\n")
    feed.end()
    await log.reach(1)
    hearing.cancel()
    await hearing.value
    #expect(count.value == 1)
  }

  @Test func `Events that are cut anywhere are read all the same`() async throws {
    let bytes = Array(("\u{FEFF}: größer\r\n\r\n" + EventServer.event(1)).utf8)
    for cut in 1..<bytes.count {
      let client = ChunkClient([Array(bytes[..<cut]), Array(bytes[cut...])])
      let count = try await client.hintCount()
      #expect(count == 2, "cut at \(cut)")
    }
  }

  @Test(arguments: [
    "event: change\ndata: {\n\n", "event: change\ndata: 7\n\n",
    "event: change\nid: x\ndata: {\"zone\":1}\n\n", "event: change\ndata: \u{0}\n\n",
  ])
  func `A change that cannot be read is a reason to look`(text: String) async throws {
    #expect(try await ChunkClient([Array(text.utf8)]).hintCount() == 2)
  }

  static let garbage: [String: [UInt8]] = [
    "no UTF-8": [0xFF, 0xFE, 0x0A, 0x0A],
    "line breaks": Array("\r\r\r\n\n\r:::\n\n".utf8),
    "a line without an end": [UInt8](repeating: 0x61, count: 300_000),
    "an event without data": Array("event: change\n\n".utf8),
    "fields without values": Array("data\ndata\nevent\nid\n\n".utf8),
    "an event without an end": Array(String(repeating: "data: xxxxxxxxxx\n", count: 20_000).utf8),
  ]

  @Test(arguments: garbage.keys.sorted())
  func `Garbage on a stream is no hint and does no harm`(name: String) async throws {
    let bytes = try #require(Self.garbage[name])
    let good = Array("\n\n\(EventServer.event(3))".utf8)
    #expect(try await ChunkClient([bytes]).hintCount() == 1)
    #expect(try await ChunkClient([bytes, good]).hintCount() == 2)
  }

  @Test func `After a break the last event is named, and a hint covers what was missed`()
    async throws
  {
    let feeds = [Feed(), Feed()]
    let server = try EventServer.fed(feeds)
    let transport = try EventServer.transport(server, log.pace(passing: 1))
    var hints = transport.hints().makeAsyncIterator()
    #expect(await hints.next(isolation: nil) != nil)
    feeds[0].add(EventServer.event(41))
    #expect(await hints.next(isolation: nil) != nil)
    feeds[0].end()
    #expect(await hints.next(isolation: nil) != nil)
    #expect(server.requests.map { $0.headers["last-event-id"] } == [nil, "41"])
    feeds[1].end()
  }

  @Test func `An event's number means nothing to another server`() async throws {
    let counter = Counter()
    let server = try ScriptedServer { _, connection in
      let number = counter.next()
      guard number < 3 else { return connection.waitForClose() }
      connection.send(EventServer.head(server: number == 0 ? "first" : "second"))
      if number == 0 { connection.send(EventServer.event(41)) }
      connection.close()
    }
    let transport = try EventServer.transport(server, log.pace(passing: 2))
    let listening = Task { for await _ in transport.hints() {} }
    await log.reach(3)
    listening.cancel()
    await listening.value
    // The second one learns only by its answer that it is another server.
    #expect(server.requests.map { $0.headers["last-event-id"] } == [nil, "41", nil])
  }

  @Test func `The stream is closed when nobody listens any more`() async throws {
    let closed = Signal()
    let server = try ScriptedServer { _, connection in
      connection.send(EventServer.head)
      connection.waitForClose()
      closed.fire()
    }
    let transport = try EventServer.transport(server, log.pace(passing: 0))
    let heard = Signal()
    let listening = Task { for await _ in transport.hints() { heard.fire() } }
    await heard.wait()
    listening.cancel()
    await listening.value
    await closed.wait()
    // It can be listened to again.
    var hints = transport.hints().makeAsyncIterator()
    #expect(await hints.next(isolation: nil) != nil)
  }
}
