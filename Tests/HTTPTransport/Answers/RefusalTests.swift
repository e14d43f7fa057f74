import StrandlineHTTPProtocol
import StrandlineHTTPTransport
import StrandlineModels
import StrandlineTransport
import Testing

/// What the server says is wrong, in its own words or by a status alone.
struct RefusalTests {
  private func error(_ response: HTTPResponse, now: Int64 = 0) async throws -> TransportError {
    let transport = try Sample.transport(FakeClient(response), now: now)
    let error = await #expect(throws: TransportError.self) {
      try await transport.fetch(Sample.fetch)
    }
    return try #require(error)
  }

  static let remedies: [TransportError.Remedy] = [
    .retry(afterMilliseconds: nil), .retry(afterMilliseconds: 1500), .waitForAccount, .compareAll,
    .split, .fixClock, .ask, .stop,
  ]

  @Test(arguments: remedies)
  func `The server's error comes through with its remedy`(
    remedy: TransportError.Remedy
  ) async throws {
    let said = TransportError(
      .cursorExpired, "Could not fetch, the place is gone.", advice: "Compare.", remedy: remedy,
      context: ["zone": "a"])
    let body = ErrorBody(said)
    let error = try await error(.json(body.status, body.json.text))
    #expect(error.code == .cursorExpired)
    #expect(error.message == said.message)
    #expect(error.advice == "Compare.")
    #expect(error.remedy == remedy)
    #expect(error.context["zone"] == "a")
  }

  @Test(arguments: [
    (401, "notAuthorized", TransportError.Remedy.waitForAccount),
    (403, "accountUnavailable", .waitForAccount),
    (404, "incompatibleVersion", .ask), (405, "incompatibleVersion", .ask),
    (501, "incompatibleVersion", .ask),
    (408, "unreachable", .retry(afterMilliseconds: nil)),
    (413, "tooLarge", .split), (431, "tooLarge", .split),
    (429, "throttled", .retry(afterMilliseconds: nil)),
    (400, "invalidRequest", .stop), (418, "invalidRequest", .stop),
    (500, "unreachable", .retry(afterMilliseconds: nil)),
    (503, "unreachable", .retry(afterMilliseconds: nil)),
    (507, "quota", .retry(afterMilliseconds: nil)),
    (599, "unreachable", .retry(afterMilliseconds: nil)),
  ])
  func `A status without words means something too`(
    status: Int, code: String, remedy: TransportError.Remedy
  ) async throws {
    for response in [
      HTTPResponse.server(status, "text/plain"), .json(status, "{]"), .json(status, "[]"),
      .json(status, #"{"code":1,"message":[],"remedy":null}"#),
      .json(status, #"{"code":"x"}"# + String(repeating: " ", count: 70_000)),
    ] {
      let error = try await error(response)
      #expect(error.codeName == code)
      #expect(error.remedy == remedy)
      #expect(error.message.hasPrefix("Could not fetch changes, "))
      #expect(error.message.hasSuffix("(http://sync.example:8080, status \(status))."))
    }
  }

  @Test func `An error of a newer server is shown and acted on as far as it can be`()
    async throws
  {
    let body =
      #"{"code":"moonPhase","message":"Could not sync, the moon is full.","remedy":"wolf"}"#
    let asking = try await error(.json(409, body))
    #expect(asking.codeName == "moonPhase")
    #expect(asking.message == "Could not sync, the moon is full.")
    #expect(asking.remedy == .ask)
    #expect(asking.advice == "Update this app.")
    let busy = try await error(.json(503, body, [.init("Retry-After", "9")]))
    #expect(busy.remedy == .retry(afterMilliseconds: 9000))
  }

  @Test func `The server's words are bounded and cannot steer a terminal`() async throws {
    let long = String(repeating: "x", count: 50_000)
    let text = JSONValue.object([
      "code": .string("a\u{1b}[2J"), "message": .string("gone\u{7}\r\n\(long)"),
      "advice": .string("\u{202e}\u{9b}31m"), "remedy": .string("retry"),
      "context": .object(["key\u{1b}": .string("\u{0}")]),
    ]).text
    let error = try await error(.json(400, text))
    #expect(error.message.hasPrefix("Could not fetch changes, http://sync.example:8080 answered: "))
    let all = [error.codeName, error.message, error.advice] + error.context.flatMap { [$0, $1] }
    for part in all {
      #expect(part.unicodeScalars.count < 3000)
      #expect(!part.unicodeScalars.contains { $0.properties.generalCategory == .control })
      #expect(!part.unicodeScalars.contains { $0.properties.generalCategory == .format })
    }
  }

  @Test(
    arguments: [
      ("0", 0), ("7", 7000), ("3600", 3_600_000), ("999999", 3_600_000),
      ("99999999999999999999999", 3_600_000),
      ("Sun, 06 Nov 1994 08:49:47 GMT", 10_000),
      ("Sun, 06 Nov 1994 08:40:00 GMT", 0),
      ("Mon, 07 Nov 1994 08:49:37 GMT", 3_600_000),
      ("soon", nil), ("-5", nil), ("", nil), ("1.5", nil), ("Sun, 99 Foo 1994 08:49:37 GMT", nil),
      ("Sun, 06 Nov 99999999 08:49:37 GMT", nil),
    ] as [(String, Int64?)])
  func `The time to come again is heeded in both forms`(
    text: String, milliseconds: Int64?
  ) async throws {
    let now: Int64 = 784_111_777_000
    for status in [429, 503] {
      let headers = [HTTPRequest.Header("Retry-After", text)]
      let plain = try await error(.server(status, "text/plain", [], headers), now: now)
      #expect(plain.remedy == .retry(afterMilliseconds: milliseconds))
      let body = ErrorBody(
        TransportError(
          .throttled, "Could not, too much.", remedy: .retry(afterMilliseconds: nil)))
      let worded = try await error(.json(status, body.json.text, headers), now: now)
      #expect(worded.remedy == .retry(afterMilliseconds: milliseconds))
    }
  }

  @Test func `A date to come again counts from the server's own clock`() async throws {
    let error = try await error(
      .server(
        503, "text/plain", [],
        [
          .init("Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT"),
          .init("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ]), now: 4_000_000_000_000)
    #expect(error.remedy == .retry(afterMilliseconds: 60_000))
  }
}
