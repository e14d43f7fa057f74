/// Sends requests and receives answers; the only part of the transport that knows a network.
///
/// An answer of any status is an answer; an error means that none came.
public protocol HTTPClient: Sendable {
  /// Sends a request and waits for the whole answer.
  ///
  /// - Parameter request: What is sent; its ``HTTPRequest/bodyLimit`` bounds the answer.
  /// - Returns: The answer, whatever its status.
  /// - Throws: Why no whole answer came.
  func perform(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse

  /// Sends a request and returns when the answer's head has come, while its body goes on coming.
  ///
  /// - Parameter request: What is sent.
  /// - Returns: The head, and the body's bytes as they come.
  /// - Throws: Why no head came.
  func stream(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPStream
}

/// A request.
public struct HTTPRequest: Hashable, Sendable {
  /// One header of a request or an answer.
  public struct Header: Hashable, Sendable {
    /// The name; upper and lower case do not differ.
    public var name: String
    /// The value.
    public var value: String

    /// Makes a header.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The method, in capitals.
  public var method: String
  /// The whole address.
  public var url: String
  /// The headers.
  public var headers: [Header]
  /// The body; empty for none.
  public var body: [UInt8]
  /// The greatest size of the answer's body in bytes.
  public var bodyLimit: Int

  /// Makes a request.
  public init(
    method: String, url: String, headers: [Header] = [], body: [UInt8] = [],
    bodyLimit: Int = 64 << 20
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.bodyLimit = bodyLimit
  }
}

/// An answer.
public struct HTTPResponse: Hashable, Sendable {
  /// The status.
  public var status: Int
  /// The headers.
  public var headers: [HTTPRequest.Header]
  /// The body; empty while it is streamed.
  public var body: [UInt8]

  /// Makes an answer.
  public init(status: Int, headers: [HTTPRequest.Header] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The value of a header, whatever the case of its name.
  public subscript(header name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// An answer whose body goes on coming.
public struct HTTPStream: Sendable {
  /// The answer without its body.
  public var head: HTTPResponse
  /// The body's bytes as they come; it ends with the connection, for whatever reason.
  public var chunks: AsyncStream<[UInt8]>

  /// Makes a stream.
  public init(head: HTTPResponse, chunks: AsyncStream<[UInt8]>) {
    self.head = head
    self.chunks = chunks
  }
}

/// Why no answer came.
public struct HTTPClientError: Error, Hashable, Sendable {
  /// What kept it from coming.
  public enum Reason: Hashable, Sendable {
    /// Nobody could be connected to, or the connection broke.
    case unreachable
    /// It took too long.
    case timedOut
    /// The other side could not prove who it is.
    case untrusted
    /// The answer was larger than wanted, or it was no HTTP.
    case unusable
    /// The task was cancelled.
    case cancelled
  }

  /// What kept it from coming.
  public var reason: Reason
  /// The reason in words, as the end of a sentence.
  public var text: String
  /// What a person can do, as a sentence; empty where there is nothing to say.
  public var advice: String

  /// Describes an error.
  public init(_ reason: Reason, _ text: String, advice: String = "") {
    self.reason = reason
    self.text = text
    self.advice = advice
  }
}
