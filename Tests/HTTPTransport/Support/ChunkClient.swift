import StrandlineHTTPTransport
import StrandlineTransport

/// A client whose stream is given pieces, and then ends.
struct ChunkClient: HTTPClient {
  let chunks: [[UInt8]]

  init(_ chunks: [[UInt8]]) {
    self.chunks = chunks
  }

  func perform(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse {
    throw HTTPClientError(.unreachable, "nobody is there")
  }

  func stream(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPStream {
    HTTPStream(
      head: .server(200, "text/event-stream"),
      chunks: AsyncStream { continuation in
        for chunk in chunks { continuation.yield(chunk) }
        continuation.finish()
      })
  }

  /// How many hints one stream gives, the one for connecting included.
  func hintCount() async throws -> Int {
    let log = PaceLog()
    let transport = try HTTPTransport(
      TransportConfiguration(
        specification: TransportSpecification("http://a"), token: Secret("secret")),
      client: self, pace: log.pace(passing: 0))
    let count = Counter()
    let listening = Task { await transport.listen { _ = count.next() } }
    await log.reach(1)
    listening.cancel()
    await listening.value
    return count.value
  }
}
