/// A request as the server's service sees it, wherever it came from.
package struct ServerRequest: Sendable {
  /// The method, in capitals.
  package var method: String
  /// The path without the query, as it came.
  package var path: String
  /// The parameters after the question mark.
  package var query: [String: String]
  /// The headers by name in lower case.
  package var headers: [String: String]
  /// The whole body.
  package var body: [UInt8]
  /// Who asks, for the log and for brakes.
  package var remoteAddress: String

  /// Makes a request.
  package init(
    method: String, path: String, query: [String: String] = [:], headers: [String: String] = [:],
    body: [UInt8] = [], remoteAddress: String = ""
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.remoteAddress = remoteAddress
  }
}

/// What the service answers.
package struct ServerAnswer: Sendable {
  /// What follows the head.
  package enum Body: Sendable {
    /// All of it.
    case bytes([UInt8])
    /// Hints as they come, until the stream is closed.
    case events(EventStream)
  }

  /// The status.
  package var status: Int
  /// The headers by name.
  package var headers: [String: String]
  /// What follows.
  package var body: Body

  /// Makes an answer.
  package init(status: Int, headers: [String: String] = [:], body: Body = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
