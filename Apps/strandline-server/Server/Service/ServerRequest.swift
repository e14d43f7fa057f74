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
  /// What the log is told beside the answer itself.
  package var note = AnswerNote()

  /// Makes an answer.
  package init(status: Int, headers: [String: String] = [:], body: Body = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Whether hints follow as they come.
  package var isStream: Bool {
    if case .events = body { true } else { false }
  }

  /// How many bytes the body has; a stream counts for none.
  package var byteCount: Int {
    if case .bytes(let bytes) = body { bytes.count } else { 0 }
  }
}

/// What the log of requests says of an answer and its asker; it names no contents.
package struct AnswerNote: Hashable, Sendable {
  /// The endpoint's name; nil where there is none.
  package var endpoint: String?
  /// The account whose token was shown.
  package var account: String?
  /// The device that asked, as its message says.
  package var device: String?
  /// The code of the error that was answered.
  package var error: String?

  /// Notes nothing yet.
  package init() {}
}

/// Answers requests; the part of a server that knows no sockets.
package protocol RequestAnswering: Sendable {
  /// Answers what needs no waiting, or returns nil; called where nothing may block.
  func answerAtOnce(_ request: ServerRequest) -> ServerAnswer?
  /// Refuses by the head alone what would be refused later, or returns nil; it may block.
  ///
  /// - Parameters:
  ///   - request: The request without its body.
  ///   - bodyBytes: The length that was announced; nil where none was.
  /// - Returns: The refusal, or nil where the body may be read.
  func refusal(ofHead request: ServerRequest, bodyBytes: Int?) -> ServerAnswer?
  /// The greatest size of the body at a path.
  func bodyLimit(at path: String) -> Int
  /// Answers a whole request; it may block.
  func answer(_ request: ServerRequest) -> ServerAnswer
  /// An answer to what is no proper request, or comes at a bad time.
  func refuse(_ status: Int, _ message: String, retryAfterSeconds: Int?) -> ServerAnswer
}
