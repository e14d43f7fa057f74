import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import StrandlineTransport
import Testing

/// Requests that are no proper HTTP, or could be read in two ways.
@Suite(.serialized) struct MalformedRequestTests {
  private static let bearer = "Authorization: Bearer \(Desk.secret)\r\n"
  /// What an attacker would like to see answered as a request of its own.
  private static let hidden = "GET /v1/account HTTP/1.1\r\nHost: localhost\r\n\(bearer)\r\n"

  private static func post(_ headers: String, _ rest: String = "") -> String {
    "POST /v1/open HTTP/1.1\r\nHost: localhost\r\n\(bearer)Content-Type: application/cbor\r\n"
      + headers + "\r\n" + rest
  }

  private static func get(_ target: String, _ headers: String = "Host: localhost\r\n") -> String {
    "GET \(target) HTTP/1.1\r\n" + headers + bearer + "\r\n"
  }

  /// What is sent, and the statuses that are a right answer; none for a connection that is closed.
  private static let requests: [(name: String, text: String, statuses: Set<Int>)] = [
    (
      "both lengths",
      post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + hidden), [400]
    ),
    ("two lengths", post("Content-Length: 0\r\nContent-Length: 5\r\n", "12345" + hidden), [400]),
    ("the same length twice", post("Content-Length: 0\r\nContent-Length: 0\r\n", hidden), [400]),
    ("a list of lengths", post("Content-Length: 0, 0\r\n", hidden), [400]),
    ("a signed length", post("Content-Length: +5\r\n", "12345" + hidden), [400]),
    ("a negative length", post("Content-Length: -1\r\n", hidden), [400]),
    ("a hexadecimal length", post("Content-Length: 0x5\r\n", "12345" + hidden), [400]),
    ("an empty length", post("Content-Length: \r\n", hidden), [400]),
    (
      "a length beyond all numbers",
      post("Content-Length: 99999999999999999999999999\r\n", hidden), [400, 413]
    ),
    ("an unknown transfer", post("Transfer-Encoding: gzip\r\n", hidden), [400]),
    ("a list of transfers", post("Transfer-Encoding: gzip, chunked\r\n", hidden), [400]),
    (
      "two transfers",
      post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", hidden), [400]
    ),
    ("an odd transfer", post("Transfer-Encoding: xchunked\r\n", hidden), [400]),
    (
      "a name with a space before the colon",
      post("Content-Length : 5\r\nContent-Length: 0\r\n", "12345" + hidden), [400]
    ),
    ("an odd chunk", post("Transfer-Encoding: chunked\r\n", "zz\r\n\r\n" + hidden), [400]),
    (
      "a chunk beyond all numbers",
      post("Transfer-Encoding: chunked\r\n", "ffffffffffffffffff\r\n" + hidden), [400, 413]
    ),
    (
      "a transfer in HTTP/1.0",
      "POST /v1/open HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      [400]
    ),
    ("no host", get("/v1/account", ""), [400]),
    ("two hosts", get("/v1/account", "Host: localhost\r\nHost: localhost\r\n"), [400]),
    ("another host", get("/v1/account", "Host: evil.example\r\n"), [421]),
    ("a long target", get("/v1/account?x=" + String(repeating: "a", count: 3000)), [414]),
    ("a target beyond the memory", get("/" + String(repeating: "a", count: 100_000)), [414]),
    (
      "long headers",
      get("/v1/account", "Host: localhost\r\nX: \(String(repeating: "a", count: 6500))\r\n"), [431]
    ),
    (
      "headers beyond the memory",
      get("/v1/account", "Host: localhost\r\nX: \(String(repeating: "a", count: 100_000))\r\n"),
      [431]
    ),
    (
      "many headers",
      get(
        "/v1/account",
        "Host: localhost\r\n" + (0..<100).map { "X\($0): a\r\n" }.joined()), [431]
    ),
    ("dots", get("/v1/../v1/account"), [404]),
    ("dots to the root", get("/../../etc/passwd"), [404]),
    ("an escaped slash", get("/v1%2faccount"), [404]),
    ("escaped dots", get("/v1/%2e%2e/account"), [404]),
    ("an escaped zero", get("/v1/account%00"), [404]),
    ("a zero in the path", get("/v1/account\0"), [400, 404]),
    ("a zero in a header", get("/v1/account", "Host: localhost\r\nX: a\0b\r\n"), [400]),
    ("a backslash", get("/v1\\account"), [404]),
    ("a doubled slash", get("//v1/account"), [404]),
    ("an absolute target", get("http://evil.example/v1/account"), [400]),
    ("a star", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
    ("the method TRACE", "TRACE /v1/account HTTP/1.1\r\nHost: localhost\r\n\r\n", [405]),
    ("the method CONNECT", "CONNECT evil.example:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
    ("an unknown method", "BREW /v1/account HTTP/1.1\r\nHost: localhost\r\n\r\n", [405]),
    ("another version", "GET /v1/account HTTP/3.0\r\nHost: localhost\r\n\r\n", [400, 505]),
    ("HTTP/2 at once", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400, 505]),
    ("no HTTP", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\r\n\r\n", [400, 505]),
    ("only ends of lines", "\r\n\r\n\r\n\r\n", [400]),
  ]

  @Test(arguments: requests.indices)
  func `a request that is not proper is refused, and nothing behind it is answered`(
    index: Int
  ) async throws {
    let (name, text, statuses) = Self.requests[index]
    let live = try await LiveDesk.start {
      $0.front.timing.head = 2000
      $0.front.timing.idle = 2000
    }
    let socket = try await live.connect()

    try await socket.send(text)
    try await socket.finishSending()
    let answer = try await socket.receiveAll()

    let status = RawAnswer(Array(answer.utf8))?.status
    #expect(status.map(statuses.contains) ?? answer.isEmpty, "\(name): \(answer)")
    #expect(!answer.contains("\"account\""), "\(name): \(answer)")
    #expect(try await live.ask(.health).status == 200)
    try await live.stop()
  }

  @Test func `a body that grows beyond its limit is refused, however it is sent`() async throws {
    let live = try await LiveDesk.start { $0.limits.messageBytes = 1000 }
    let socket = try await live.connect()
    try await socket.send(LiveDesk.head(.open, more: ["Transfer-Encoding: chunked"]))

    for _ in 0..<20 {
      try await socket.send("64\r\n" + String(repeating: "x", count: 100) + "\r\n")
    }
    try await socket.send("0\r\n\r\n")

    let answer = try await socket.receiveAnswer()
    #expect(answer.status == 413)
    #expect(answer.headers["connection"]?.lowercased() == "close")
    #expect(live.running.front.incomingBytes == 0)
    try await live.stop()
  }

  @Test func `a page from another site cannot ask anything`() async throws {
    let live = try await LiveDesk.start()
    // A browser sends such a type without asking before, and asks before any other.
    let simple = Self.post("Content-Length: 2\r\nOrigin: http://evil.example\r\n", "{}")
      .replacing("application/cbor", with: "text/plain")
    let preflight =
      "OPTIONS /v1/open HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n"
      + "Access-Control-Request-Method: POST\r\n\r\n"

    for (text, status) in [(simple, 415), (preflight, 405)] {
      let socket = try await live.connect()
      try await socket.send(text)
      let answer = try await socket.receiveAnswer()
      #expect(answer.status == status)
      #expect(answer.headers.keys.allSatisfy { !$0.hasPrefix("access-control") })
    }
    try await live.stop()
  }
}
