import StrandlineHTTPTransport
import Testing

/// Answers whose bodies go on coming.
struct CurlStreamTests {
  static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

  @Test func `The head comes before the body, and the body as it comes`() async throws {
    let feed = Feed()
    let server = try ScriptedServer { _, connection in
      connection.send(Self.head)
      while let bytes = feed.next() { connection.send(bytes) }
      connection.close()
    }
    let client = CurlClient(options: CurlClientOptions(proxy: .none))
    let stream = try await client.stream(HTTPRequest(method: "GET", url: server.url))
    #expect(stream.head.status == 200)
    #expect(stream.head[header: "Content-Type"] == "text/event-stream")
    var chunks = stream.chunks.makeAsyncIterator()
    for text in ["one", "two"] {
      feed.add(text)
      #expect(await chunks.next(isolation: nil) == Array(text.utf8))
    }
    feed.end()
    #expect(await chunks.next(isolation: nil) == nil)
  }

  @Test func `A refusal of a stream is an answer too`() async throws {
    let server = try ScriptedServer { _, connection in
      connection.answer(503, ["Retry-After": "7"], Array("busy".utf8))
    }
    let client = CurlClient(options: CurlClientOptions(proxy: .none))
    let stream = try await client.stream(HTTPRequest(method: "GET", url: server.url))
    #expect(stream.head.status == 503)
    #expect(stream.head[header: "Retry-After"] == "7")
    var body: [UInt8] = []
    for await bytes in stream.chunks { body += bytes }
    #expect(body == Array("busy".utf8))
  }

  @Test(arguments: [true, false])
  func `A stream that falls silent is ended`(hasHead: Bool) async throws {
    let server = try ScriptedServer { _, connection in
      if hasHead { connection.send(Self.head + ": hello\n\n") }
      connection.waitForClose()
    }
    let client = CurlClient(
      options: CurlClientOptions(proxy: .none, silenceLimit: .milliseconds(300)))
    do throws(HTTPClientError) {
      let stream = try await client.stream(HTTPRequest(method: "GET", url: server.url))
      #expect(hasHead)
      for await _ in stream.chunks {}
    } catch {
      #expect(!hasHead)
      #expect(error.text == "127.0.0.1:\(server.port) was silent for too long")
    }
  }

  @Test func `A request's bound does not end a stream that lives`() async throws {
    let server = try ScriptedServer { _, connection in
      connection.send(Self.head)
      let pause = DripPause()
      for _ in 0..<10 {
        connection.send(":\n")
        pause.wait()
      }
      connection.send("end")
      connection.close()
    }
    let client = CurlClient(
      options: CurlClientOptions(
        proxy: .none, requestLimit: .milliseconds(200), slowLimit: .milliseconds(1)))
    let stream = try await client.stream(HTTPRequest(method: "GET", url: server.url))
    var body: [UInt8] = []
    for await bytes in stream.chunks { body += bytes }
    #expect(String(decoding: body, as: UTF8.self).hasSuffix("end"))
  }

  @Test func `A reader that is too slow loses the stream and not the memory`() async throws {
    let closed = Signal()
    let server = try ScriptedServer { _, connection in
      connection.send(Self.head)
      while connection.send([UInt8](repeating: 97, count: 16 << 10)) {}
      closed.fire()
    }
    let client = CurlClient(options: CurlClientOptions(proxy: .none, waitingChunks: 4))
    let stream = try await client.stream(HTTPRequest(method: "GET", url: server.url))
    await closed.wait()
    var count = 0
    for await _ in stream.chunks { count += 1 }
    #expect(count <= 4)
  }

  @Test func `A stream that nobody reads any more is closed`() async throws {
    let closed = Signal()
    let server = try ScriptedServer { _, connection in
      connection.send(Self.head)
      connection.waitForClose()
      closed.fire()
    }
    let client = CurlClient(options: CurlClientOptions(proxy: .none))
    var stream: HTTPStream? = try await client.stream(HTTPRequest(method: "GET", url: server.url))
    #expect(stream?.head.status == 200)
    stream = nil
    await closed.wait()
  }

  @Test func `Cancelling the reader closes the stream`() async throws {
    let (opened, closed) = (Signal(), Signal())
    let server = try ScriptedServer { _, connection in
      connection.send(Self.head + "first")
      connection.waitForClose()
      closed.fire()
    }
    let client = CurlClient(options: CurlClientOptions(proxy: .none))
    let url = server.url
    let reader = Task {
      let stream = try await client.stream(HTTPRequest(method: "GET", url: url))
      for await _ in stream.chunks { opened.fire() }
    }
    await opened.wait()
    reader.cancel()
    await closed.wait()
    try await reader.value
  }

  @Test func `Shutting down ends streams`() async throws {
    let server = try ScriptedServer { _, connection in
      connection.send(Self.head)
      connection.waitForClose()
    }
    let client = CurlClient(options: CurlClientOptions(proxy: .none))
    let stream = try await client.stream(HTTPRequest(method: "GET", url: server.url))
    await client.shutdown()
    for await _ in stream.chunks {}
  }
}
