import StrandlineHTTPTransport
import Testing

/// What a client makes of answers, good ones and others.
struct CurlAnswerTests {
  let client = CurlClient(options: CurlClientOptions(proxy: .none))

  @Test func `An answer comes whole, with its status and headers`() async throws {
    let server = try ScriptedServer { _, connection in
      connection.answer(418, ["X-Kind": "tea pot", "X-Empty": ""], Array("short".utf8))
    }
    let response = try await client.perform(HTTPRequest(method: "GET", url: server.url + "/a"))
    #expect(response.status == 418)
    #expect(response[header: "x-kind"] == "tea pot")
    #expect(response[header: "x-empty"] == "")
    #expect(response.body == Array("short".utf8))
    #expect(server.requests.map(\.path) == ["/a"])
  }

  @Test(arguments: [0, 1, 3 << 20])
  func `A body arrives whole, whatever its size`(count: Int) async throws {
    let server = try ScriptedServer { request, connection in
      connection.answer(200, [:], Array(String(request.body.count).utf8))
    }
    let body = [UInt8](repeating: 7, count: count)
    let response = try await client.perform(
      HTTPRequest(
        method: "POST", url: server.url, headers: [.init("Content-Type", "application/cbor")],
        body: body))
    #expect(response.body == Array(String(count).utf8))
    let request = try #require(server.requests.first)
    #expect(request.method == "POST")
    #expect(request.body == body)
    #expect(request.headers["content-type"] == "application/cbor")
    #expect(request.headers["expect"] == nil)
  }

  @Test func `A redirect is an answer and is not followed`() async throws {
    let server = try ScriptedServer { _, connection in
      connection.answer(302, ["Location": "/elsewhere"])
    }
    let response = try await client.perform(HTTPRequest(method: "GET", url: server.url + "/here"))
    #expect(response.status == 302)
    #expect(server.requests.map(\.path) == ["/here"])
  }

  @Test func `A notice before the answer is not taken for it`() async throws {
    let server = try ScriptedServer { _, connection in
      connection.send("HTTP/1.1 103 Early Hints\r\nX-Kind: notice\r\n\r\n")
      connection.answer(200, ["X-Kind": "answer"])
    }
    let response = try await client.perform(HTTPRequest(method: "GET", url: server.url))
    #expect(response.status == 200)
    #expect(response.headers.filter { $0.name == "X-Kind" }.map(\.value) == ["answer"])
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nonly thi",
    "HTTP/1.1 200 OK\r\nContent-Le", "",
  ])
  func `An answer that breaks off is none`(text: String) async throws {
    let server = try ScriptedServer { _, connection in
      connection.send(text)
      connection.close()
    }
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.perform(HTTPRequest(method: "GET", url: server.url))
    }
    #expect(error?.reason == .unreachable)
    #expect(
      error?.text
        == "the connection to 127.0.0.1:\(server.port) broke before the answer was whole")
  }

  @Test func `A connection that is reset in mid-answer is no answer`() async throws {
    let server = try ScriptedServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
      connection.reset()
    }
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.perform(HTTPRequest(method: "GET", url: server.url))
    }
    #expect(error?.reason == .unreachable)
  }

  @Test func `Bytes beyond the declared length belong to no answer`() async throws {
    let server = try ScriptedServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 Forged\r\n\r\n")
      connection.close()
    }
    for _ in 0..<3 {
      let response = try await client.perform(HTTPRequest(method: "GET", url: server.url))
      #expect(response.status == 200)
      #expect(response.body == Array("ok".utf8))
    }
  }

  @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{1}\u{2}\u{3}", "<html>hello</html>\n"])
  func `What is no HTTP is no answer`(text: String) async throws {
    let server = try ScriptedServer { _, connection in
      connection.send(text)
      connection.close()
    }
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.perform(HTTPRequest(method: "GET", url: server.url))
    }
    #expect(error?.reason == .unusable)
  }

  @Test(arguments: [
    "Content-Length: 1000000\r\n\r\n", "\r\n", "Transfer-Encoding: chunked\r\n\r\n400\r\n",
  ])
  func `A body beyond the limit is not kept`(head: String) async throws {
    let server = try ScriptedServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\n" + head)
      while connection.send([UInt8](repeating: 97, count: 1024)) {
        if head.contains("chunked") { connection.send("\r\n400\r\n") }
      }
    }
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.perform(HTTPRequest(method: "GET", url: server.url, bodyLimit: 5000))
    }
    #expect(error?.reason == .unusable)
    #expect(error?.text == "the answer of 127.0.0.1:\(server.port) is larger than 5000 bytes")
  }

  @Test func `A body of just the limit is kept`() async throws {
    let server = try ScriptedServer { _, connection in
      connection.answer(200, [:], [UInt8](repeating: 97, count: 5000))
    }
    let response = try await client.perform(
      HTTPRequest(method: "GET", url: server.url, bodyLimit: 5000))
    #expect(response.body.count == 5000)
  }

  @Test func `A head without an end is given up`() async throws {
    let server = try ScriptedServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send("X-Filler: \(String(repeating: "x", count: 500))\r\n") {}
    }
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.perform(HTTPRequest(method: "GET", url: server.url))
    }
    #expect(error?.reason == .unusable)
    #expect(error?.text == "the head of the answer of 127.0.0.1:\(server.port) is too large")
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "127.0.0.1:80/", "gopher://a", ""])
  func `Nothing but HTTP is spoken`(url: String) async throws {
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.perform(HTTPRequest(method: "GET", url: url))
    }
    #expect(
      error == HTTPClientError(.unusable, "the address or a header of the request is not valid"))
  }

  @Test(arguments: ["a\r\nX-Forged: 1", "a\nb", "\u{0}", "a\u{7f}"])
  func `A header with a line break is not sent`(value: String) async throws {
    let server = try ScriptedServer { _, connection in connection.answer() }
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.perform(
        HTTPRequest(method: "GET", url: server.url, headers: [.init("X-Kind", value)]))
    }
    #expect(error?.reason == .unusable)
    #expect(server.connectionCount == 0)
  }
}
