import StrandlineHTTPTransport
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// How long is waited between two streams.
struct ReconnectTests {
  let log = PaceLog()

  private func waits(
    _ count: Int, random: Double = 1, tokenFile: String? = nil, _ client: any HTTPClient
  ) async throws -> [Duration] {
    let transport = try HTTPTransport(
      TransportConfiguration(
        specification: TransportSpecification("http://a"), tokenFile: tokenFile,
        token: Secret("secret")),
      client: client, pace: log.pace(random: random, passing: count - 1))
    let listening = Task { await transport.listen {} }
    await log.reach(count)
    listening.cancel()
    await listening.value
    return log.waits
  }

  @Test func `Waits grow up to a minute while nobody answers`() async throws {
    let client = FakeClient(failing: HTTPClientError(.unreachable, "a refused the connection"))
    let waits = try await waits(12, client)
    #expect(
      waits.map { $0 / .milliseconds(1) } == [
        400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000, 60_000, 60_000, 60_000,
      ])
  }

  @Test func `Waits are random from nothing on, so that not all come at once`() async throws {
    let client = FakeClient(failing: HTTPClientError(.unreachable, "a refused the connection"))
    let waits = try await waits(6, random: 0, client)
    #expect(waits.allSatisfy { $0 == .zero })
  }

  @Test func `A server that says when to come again is not asked before`() async throws {
    for response in [
      HTTPResponse.server(503, "text/plain", [], [.init("Retry-After", "20")]),
      .server(429, "text/plain", [], [.init("Retry-After", "20")]),
      HTTPResponse(status: 503, headers: [.init("Retry-After", "20")]),
    ] {
      let log = PaceLog()
      let transport = try HTTPTransport(
        TransportConfiguration(
          specification: TransportSpecification("http://a"), token: Secret("secret")),
        client: FakeClient(response), pace: log.pace(random: 0.5, passing: 1))
      let listening = Task { await transport.listen {} }
      await log.reach(2)
      listening.cancel()
      await listening.value
      #expect(log.waits == [.milliseconds(20_200), .milliseconds(20_400)])
    }
  }

  @Test func `A refused token is tried again seldom`() async throws {
    let waits = try await waits(4, random: 0, FakeClient(.json(401, "{}")))
    #expect(waits == Array(repeating: .seconds(30), count: 4))
  }

  @Test func `Without a token nobody is asked, until there is one`() async throws {
    let folder = try TemporaryFolder()
    let client = FakeClient(.server(200, "text/event-stream"))
    let pace = log.pace(passing: 1) { number in
      guard number == 1 else { return }
      #expect(client.requests.isEmpty)
      do { try folder.write("good", to: "token") } catch { Issue.record(error) }
    }
    let transport = try Sample.hinting(client, folder.path("token"), pace)
    let listening = Task { await transport.listen {} }
    await log.reach(2)
    listening.cancel()
    await listening.value
    #expect(log.waits.first == .seconds(60))
    #expect(client.requests.count == 1)
  }

  @Test func `A token that was replaced is used at once`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "token")
    let client = FakeClient(
      .server(200, "text/event-stream"), .json(401, "{}"), .server(200, "text/event-stream"))
    let file = folder.path("token")
    let transport = try Sample.hinting(client, file, log.pace(passing: 1))
    let first = Signal()
    let listening = Task {
      await transport.listen {
        if !first.hasFired {
          do { try folder.write("new", to: "token") } catch { Issue.record(error) }
          first.fire()
        }
      }
    }
    await log.reach(2)
    listening.cancel()
    await listening.value
    let bearers = client.requests.map { request in
      request.headers.first { $0.name == "Authorization" }?.value
    }
    #expect(bearers == ["Bearer old", "Bearer old", "Bearer new"])
  }

  @Test func `A stream that ends at once does not count for a success`() async throws {
    let waits = try await waits(3, FakeClient(.server(200, "text/event-stream")))
    #expect(waits == [.milliseconds(400), .milliseconds(800), .milliseconds(1600)])
  }

  @Test func `After a stream that lived the waits are short again`() async throws {
    let failing = FakeClient(.server(500), .server(500), .server(200, "text/event-stream"))
    let transport = try HTTPTransport(
      TransportConfiguration(
        specification: TransportSpecification("http://a"), token: Secret("secret")),
      client: failing, pace: log.pace(passing: 2))
    let listening = Task { [log] in
      await transport.listen { log.advance(by: .seconds(60)) }
    }
    await log.reach(3)
    listening.cancel()
    await listening.value
    #expect(log.waits == [.milliseconds(400), .milliseconds(800), .milliseconds(200)])
  }

  @Test(arguments: [
    HTTPResponse(status: 200, headers: [.init("Content-Type", "text/event-stream")]),
    .server(200, "text/html"), .json(200, "{}"), HTTPResponse(status: 502),
  ])
  func `What is no stream of a Strandline server is no hint`(response: HTTPResponse) async throws {
    let count = Counter()
    let transport = try HTTPTransport(
      TransportConfiguration(
        specification: TransportSpecification("http://a"), token: Secret("secret")),
      client: FakeClient(response), pace: log.pace(passing: 1))
    let listening = Task { await transport.listen { _ = count.next() } }
    await log.reach(2)
    listening.cancel()
    await listening.value
    #expect(count.value == 0)
  }
}
