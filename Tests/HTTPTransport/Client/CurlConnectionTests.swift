import StrandlineHTTPTransport
import Testing

/// How connections are made, used again and ended.
struct CurlConnectionTests {
  let client = CurlClient(options: CurlClientOptions(proxy: .none))

  @Test func `One connection serves many requests`() async throws {
    let server = try ScriptedServer { _, connection in connection.answer() }
    for _ in 0..<20 {
      _ = try await client.perform(HTTPRequest(method: "GET", url: server.url))
    }
    #expect(server.requests.count == 20)
    #expect(server.connectionCount == 1)
  }

  @Test func `A kept connection that the server has closed is replaced`() async throws {
    let server = try ScriptedServer { _, connection in
      connection.answer()
      connection.close()
    }
    for _ in 0..<5 {
      let response = try await client.perform(
        HTTPRequest(method: "POST", url: server.url, body: [1, 2, 3]))
      #expect(response.status == 200)
    }
    #expect(server.connectionCount == 5)
    #expect(server.requests.allSatisfy { $0.body == [1, 2, 3] })
  }

  @Test func `A hundred requests at once get their own answers`() async throws {
    let server = try ScriptedServer { request, connection in
      connection.answer(200, [:], Array(request.path.utf8))
    }
    let url = server.url
    let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        group.addTask {
          let response = try await client.perform(
            HTTPRequest(method: "GET", url: "\(url)/\(number)"))
          return response.body != Array("/\(number)".utf8)
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(wrong == 0)
    #expect(server.requests.count == 100)
  }

  @Test func `Nobody listening is said with the host and the port`() async throws {
    let server = try ScriptedServer { _, _ in }
    let port = server.port
    server.stop()
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.perform(HTTPRequest(method: "GET", url: "http://127.0.0.1:\(port)/"))
    }
    #expect(error?.reason == .unreachable)
    #expect(error?.text == "127.0.0.1:\(port) refused the connection")
    #expect(error?.advice == "Check that the server runs and listens at this port.")
  }

  @Test func `A host that nobody knows is named`() async throws {
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.perform(HTTPRequest(method: "GET", url: "http://nowhere.invalid:8080/"))
    }
    #expect(error?.reason == .unreachable)
    #expect(error?.text == "no address is known for nowhere.invalid:8080")
  }

  @Test func `Cancelling the task ends the transfer at once`() async throws {
    let (asked, closed) = (Signal(), Signal())
    let server = try ScriptedServer { _, connection in
      asked.fire()
      connection.waitForClose()
      closed.fire()
    }
    let url = server.url
    let task = Task { try await client.perform(HTTPRequest(method: "GET", url: url)) }
    await asked.wait()
    task.cancel()
    let error = await #expect(throws: HTTPClientError.self) { try await task.value }
    #expect(error?.reason == .cancelled)
    await closed.wait()
  }

  @Test func `A task that was cancelled before asks for nothing`() async throws {
    let server = try ScriptedServer { _, connection in connection.answer() }
    let url = server.url
    let (task, go) = (Signal(), Signal())
    let asking = Task {
      task.fire()
      await go.wait()
      return try await client.perform(HTTPRequest(method: "GET", url: url))
    }
    await task.wait()
    asking.cancel()
    go.fire()
    let error = await #expect(throws: HTTPClientError.self) { try await asking.value }
    #expect(error?.reason == .cancelled)
    #expect(server.requests.isEmpty)
  }

  @Test func `Shutting down fails what is pending and what comes later`() async throws {
    let asked = Signal()
    let server = try ScriptedServer { _, connection in
      asked.fire()
      connection.waitForClose()
    }
    let url = server.url
    let client = CurlClient(options: CurlClientOptions(proxy: .none))
    let task = Task { try await client.perform(HTTPRequest(method: "GET", url: url)) }
    await asked.wait()
    await client.shutdown()
    let error = await #expect(throws: HTTPClientError.self) { try await task.value }
    #expect(error?.text == "the client was shut down")
    await #expect(throws: HTTPClientError.self) {
      try await client.perform(HTTPRequest(method: "GET", url: url))
    }
    await client.shutdown()
  }

  @Test func `A client that is let go closes its connections`() async throws {
    let closed = Signal()
    let server = try ScriptedServer { _, connection in
      connection.answer()
      connection.waitForClose()
      closed.fire()
    }
    var client: CurlClient? = CurlClient(options: CurlClientOptions(proxy: .none))
    _ = try await client?.perform(HTTPRequest(method: "GET", url: server.url))
    client = nil
    await closed.wait()
  }

  @Test func `A client that was never used ends too`() async throws {
    await CurlClient().shutdown()
  }

  @Test func `A server that says nothing is given up`() async throws {
    let server = try ScriptedServer { _, connection in connection.waitForClose() }
    let client = CurlClient(
      options: CurlClientOptions(proxy: .none, requestLimit: .milliseconds(300)))
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.perform(HTTPRequest(method: "GET", url: server.url))
    }
    #expect(error?.reason == .timedOut)
    #expect(error?.text == "127.0.0.1:\(server.port) did not answer in time")
  }

  @Test(arguments: [true, false])
  func `A server that drips is given up`(isSlowBound: Bool) async throws {
    let server = try ScriptedServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
      let pause = DripPause()
      while connection.send([97]) { pause.wait() }
    }
    let options =
      isSlowBound
      ? CurlClientOptions(proxy: .none, slowLimit: .seconds(1))
      : CurlClientOptions(proxy: .none, requestLimit: .milliseconds(500))
    let client = CurlClient(options: options)
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.perform(HTTPRequest(method: "GET", url: server.url))
    }
    #expect(error?.reason == .timedOut)
  }
}
