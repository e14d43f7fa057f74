import StrandlineHTTPTransport
import StrandlineModels
import StrandlineTransport
import Synchronization

/// A client that answers from a list, and notes what it was asked.
final class FakeClient: HTTPClient {
  private struct State {
    var answers: [Result<HTTPResponse, HTTPClientError>]
    var requests: [HTTPRequest] = []
  }

  private let state: Mutex<State>

  /// Answers in this order; the last answer is given again and again.
  init(_ answers: HTTPResponse...) {
    state = Mutex(State(answers: answers.map { .success($0) }))
  }

  /// Fails always.
  init(failing error: HTTPClientError) {
    state = Mutex(State(answers: [.failure(error)]))
  }

  /// All requests so far.
  var requests: [HTTPRequest] { state.withLock { $0.requests } }

  func perform(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse {
    let answer = state.withLock { state in
      state.requests.append(request)
      return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
    }
    return try answer.get()
  }

  func stream(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPStream {
    let response = try await perform(request)
    return HTTPStream(
      head: response,
      chunks: AsyncStream { continuation in
        continuation.yield(response.body)
        continuation.finish()
      })
  }
}

extension HTTPResponse {
  /// An answer as a Strandline server gives it.
  static func server(
    _ status: Int, _ type: String = "application/json", _ body: [UInt8] = [],
    _ more: [HTTPRequest.Header] = []
  ) -> HTTPResponse {
    HTTPResponse(
      status: status,
      headers: [
        .init("Strandline-Server", "5eed"), .init("Strandline-Incarnation", "1"),
        .init("Content-Type", type),
      ] + more, body: body)
  }

  /// An answer in JSON as a Strandline server gives it.
  static func json(
    _ status: Int, _ text: String, _ more: [HTTPRequest.Header] = []
  ) -> HTTPResponse {
    server(status, "application/json; charset=utf-8", Array(text.utf8), more)
  }
}

/// What most tests of the transport begin with.
enum Sample {
  static let device = DeviceInfo(id: DeviceID(device: 1, epoch: 2), name: "phone")
  static let zone = ZoneID(rawValue: "0a1b2c")
  static let fetch = FetchRequest(
    device: device, zone: zone, proof: nil, cursor: nil, limit: 100)
  static let open = OpenRequest(
    device: device, zoneName: "default", environment: .development, expected: nil,
    schema: ["Note": ["text"]], proof: nil)
  static let proof = Proof(incarnation: 1, sequence: 7, nonce: 9)
  static let page = FetchPage(
    changes: [], cursor: Cursor(bytes: [1, 2]), headReached: true, proof: proof)
  static let description = ZoneDescription(
    account: "ann", zone: zone, wasCreated: true, proof: proof, lastAccepted: nil,
    limits: TransportLimits())

  /// A transport over a client, with a token that is `secret`.
  static func transport(
    _ client: any HTTPClient, _ address: String = "http://sync.example:8080",
    token: Secret? = Secret("secret"), tokenFile: String? = nil, now: Int64 = 0
  ) throws(TransportError) -> HTTPTransport {
    try HTTPTransport(
      TransportConfiguration(
        specification: TransportSpecification(address), tokenFile: tokenFile, token: token,
        clock: WallClock { now }), client: client)
  }

  /// A transport whose token is in a file, and whose waits are watched.
  static func hinting(
    _ client: any HTTPClient, _ tokenFile: String, _ pace: HintPace
  ) throws(TransportError) -> HTTPTransport {
    try HTTPTransport(
      TransportConfiguration(
        specification: TransportSpecification("http://a"), tokenFile: tokenFile),
      client: client, pace: pace)
  }
}
