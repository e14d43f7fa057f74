import StrandlineHTTPProtocol
import StrandlineHTTPTransport
import StrandlineTransport

/// What a scripted server of hints says.
enum EventServer {
  /// The head of a stream as a Strandline server gives it.
  static let head = head(server: "5eed")

  /// The head of a stream of a certain server.
  static func head(server: String) -> String {
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nStrandline-Server: \(server)\r\n"
      + "Strandline-Incarnation: 1\r\n\r\n"
  }

  /// An event of another device, or of a certain one.
  static func event(
    _ number: Int64, zone: ZoneID = Sample.zone, device: String? = "other"
  ) -> String {
    HintEvent(number: number, zone: zone, incarnation: 1, sequence: number, device: device).text
  }

  /// A server whose streams are fed by a test, each stream by its own feed.
  static func fed(_ feeds: [Feed]) throws -> ScriptedServer {
    let counter = Counter()
    return try ScriptedServer { request, connection in
      if request.path == "/v1/open" {
        return connection.answer(
          200,
          ["Strandline-Server": "5eed", "Content-Type": "application/cbor"],
          Sample.description.encode())
      }
      let index = counter.next()
      guard index < feeds.count else { return connection.close() }
      connection.send(head)
      while let bytes = feeds[index].next() { connection.send(bytes) }
      connection.close()
    }
  }

  /// A transport to a scripted server.
  static func transport(
    _ server: ScriptedServer, _ pace: HintPace, tokenFile: String? = nil
  ) throws -> HTTPTransport {
    try HTTPTransport(
      TransportConfiguration(
        specification: TransportSpecification(server.url), tokenFile: tokenFile,
        token: Secret("secret")),
      client: CurlClient(options: CurlClientOptions(proxy: .none)), pace: pace)
  }
}
