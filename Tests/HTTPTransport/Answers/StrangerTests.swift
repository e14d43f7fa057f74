import StrandlineHTTPProtocol
import StrandlineHTTPTransport
import StrandlineTransport
import Testing

/// Answers of others than the server, which never count for success.
struct StrangerTests {
  static let html = HTTPResponse(
    status: 200, headers: [.init("Content-Type", "text/html")], body: Array("<html>".utf8))

  @Test(arguments: [
    html,
    HTTPResponse(status: 200),
    HTTPResponse(status: 204),
    HTTPResponse(
      status: 200, headers: [.init("Content-Type", "application/cbor")],
      body: Sample.page.encode()),
    HTTPResponse(status: 302, headers: [.init("Location", "http://portal.example")]),
    HTTPResponse(status: 401, headers: [.init("WWW-Authenticate", "Basic")]),
    HTTPResponse(status: 404), HTTPResponse(status: 407), HTTPResponse(status: 502),
    HTTPResponse(status: 504), HTTPResponse(status: 511),
    .server(200, "text/html", Array("<html>".utf8)),
    .server(206, "application/cbor", Sample.page.encode()),
    .server(200, "application/json", Array("{}".utf8)),
    .server(302), .server(304),
    HTTPResponse(
      status: 200,
      headers: [.init("Strandline-Server", ""), .init("Content-Type", "application/cbor")],
      body: Sample.page.encode()),
  ])
  func `Only a Strandline server's own answer is success`(response: HTTPResponse) async throws {
    let transport = try Sample.transport(FakeClient(response))
    let error = await #expect(throws: TransportError.self) {
      try await transport.fetch(Sample.fetch)
    }
    #expect(error?.code == .unreachable)
    #expect(error?.remedy == .retry(afterMilliseconds: nil))
    #expect(error?.message.hasPrefix("Could not fetch changes, ") == true)
    #expect(error?.advice.isEmpty == false)
  }

  @Test func `Every call refuses a captive portal, also those without an answer to read`()
    async throws
  {
    let transport = try Sample.transport(FakeClient(Self.html))
    let receipt = Receipt(
      device: Sample.device, zone: Sample.zone, proof: nil, cursor: Cursor(bytes: []))
    let send = SendPage(
      device: Sample.device, zone: Sample.zone, proof: nil, cursor: nil,
      group: GroupHeader(
        token: 1, base: 0, sequence: 1, transactionToken: 2, recordCount: 0),
      page: 0, isLast: true, deltas: [])
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await transport.account() },
      { _ = try await transport.open(Sample.open) },
      { _ = try await transport.send(send) },
      { _ = try await transport.fetch(Sample.fetch) },
      { _ = try await transport.exchangeReceipts(receipt) },
      { try await transport.purge(PurgeRequest(device: Sample.device, zone: Sample.zone)) },
    ]
    for call in calls {
      let error = await #expect(throws: TransportError.self) { try await call() }
      #expect(error?.code == .unreachable)
      #expect(
        error?.message.hasSuffix(
          ", something other than a Strandline server answered at http://sync.example:8080 "
            + "(status 200, text/html).") == true)
    }
  }

  @Test(arguments: [
    (302, "leads to"), (407, "http_proxy"), (502, "proxy"), (504, "proxy"), (404, "path"),
    (200, "sign in"), (511, "sign in"),
  ])
  func `A person is told what to look at`(status: Int, words: String) async throws {
    let transport = try Sample.transport(FakeClient(HTTPResponse(status: status)))
    let error = await #expect(throws: TransportError.self) {
      try await transport.fetch(Sample.fetch)
    }
    #expect(error?.advice.contains(words) == true)
    #expect(error?.context["status"] == String(status))
  }

  @Test func `The server that answered before is told where another one answers now`()
    async throws
  {
    let client = FakeClient(
      .server(200, "application/cbor", Sample.page.encode()), HTTPResponse(status: 502))
    let transport = try Sample.transport(client)
    _ = try await transport.fetch(Sample.fetch)
    let error = await #expect(throws: TransportError.self) {
      try await transport.fetch(Sample.fetch)
    }
    #expect(error?.context["lastServer"] == "5eed, incarnation 1")
  }

  @Test func `A proxy that says when to come again is heeded`() async throws {
    let transport = try Sample.transport(
      FakeClient(HTTPResponse(status: 503, headers: [.init("Retry-After", "30")])))
    let error = await #expect(throws: TransportError.self) {
      try await transport.fetch(Sample.fetch)
    }
    #expect(error?.remedy == .retry(afterMilliseconds: 30_000))
  }

  @Test func `What kept an answer from coming is said in the sentence`() async throws {
    let transport = try Sample.transport(
      FakeClient(
        failing: HTTPClientError(.unreachable, "a:1 refused the connection", advice: "Go.")))
    let error = await #expect(throws: TransportError.self) {
      try await transport.open(Sample.open)
    }
    #expect(
      error?.message == "Could not open the zone 'default', a:1 refused the connection.")
    #expect(error?.advice == "Go.")
    #expect(error?.code == .unreachable)
    #expect(error?.remedy == .retry(afterMilliseconds: nil))
  }

  @Test(arguments: 0..<40)
  func `A page that is cut or changed is damaged and asked for again`(seed: UInt8) async throws {
    var bytes = Sample.page.encode()
    if seed % 2 == 0 {
      bytes.removeLast(min(bytes.count, 1 + Int(seed) / 2))
    } else {
      bytes += [seed]
    }
    let transport = try Sample.transport(FakeClient(.server(200, "application/cbor", bytes)))
    let error = await #expect(throws: TransportError.self) {
      try await transport.fetch(Sample.fetch)
    }
    #expect(error?.code == .damaged)
    #expect(error?.remedy == .retry(afterMilliseconds: nil))
  }
}
