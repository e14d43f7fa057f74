import CMicroHTTPD
import Synchronization

/// One request on its way: what the event loop and a worker hand to each other.
///
///     head ──waiting──▶ admitted ──▶ body ──waiting──▶ answered ──▶ replied
///       ├──────────────────(refused)─────────────────────▲
///       └──▶ whole ──────────waiting─────────────────────┘
///
/// The event loop calls at every arrow. While a worker is at it the connection is suspended; the
/// worker puts its result here and resumes the connection, which makes the event loop call again.
final class HTTPExchange: Sendable {
  /// What is next.
  enum Step {
    /// Nothing is known but the head.
    case head
    /// The whole request is there, since it has no body.
    case whole
    /// A worker is at it.
    case waiting
    /// The body may come; the library is told so once.
    case admitted
    /// The body comes.
    case body
    /// There is an answer.
    case answered(ServerAnswer)
    /// The answer was handed to the library.
    case replied

    /// The stream in an answer that was not handed on yet.
    var stream: EventStream? {
      if case .answered(let answer) = self, case .events(let stream) = answer.body {
        stream
      } else {
        nil
      }
    }
  }

  private struct State {
    var step = Step.head
    var request: ServerRequest?
    var body: [UInt8] = []
    var receivedBytes = 0
    var isBodyTooLarge = false
    var outgoing = 0
    var stream: EventStream?
    /// The library's connection as a number, for as long as the request lasts: it is forgotten
    /// under the lock before the library frees it.
    var handle: Int?
  }

  let connection: HTTPConnection
  /// When the request came, in milliseconds.
  let began: ContinuousClock.Instant
  private let state: Mutex<State>

  init(connection: HTTPConnection, handle: OpaquePointer, began: ContinuousClock.Instant) {
    self.connection = connection
    self.began = began
    state = Mutex(State(handle: Int(bitPattern: handle)))
  }

  /// What is next.
  var step: Step {
    get { state.withLock { $0.step } }
    set { state.withLock { $0.step = newValue } }
  }

  /// The request without its body.
  var request: ServerRequest? {
    get { state.withLock { $0.request } }
    set { state.withLock { $0.request = newValue } }
  }

  /// The size of the body so far.
  var bodyBytes: Int { state.withLock { $0.body.count } }

  /// The size of the body that has come, also where it was handed on.
  var receivedBytes: Int { state.withLock { $0.receivedBytes } }

  /// Whether the body was dropped since it grew too large.
  var isBodyTooLarge: Bool { state.withLock { $0.isBodyTooLarge } }

  /// Adds some bytes of the body.
  func append(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { state in
      state.body.append(contentsOf: bytes)
      state.receivedBytes += bytes.count
    }
  }

  /// Drops the body and what still comes of it; returns the size of what was dropped.
  func dropBody() -> Int {
    state.withLock { state in
      defer { (state.body, state.isBodyTooLarge) = ([], true) }
      return state.body.count
    }
  }

  /// Takes the whole request with its body out.
  func takeRequest() -> ServerRequest? {
    state.withLock { state in
      guard var request = state.request else { return nil }
      request.body = state.body
      state.body = []
      return request
    }
  }

  /// Notes how the answer is sent, and keeps nothing else.
  func replies(outgoing: Int, stream: EventStream?) {
    state.withLock { state in
      state.step = .replied
      (state.request, state.body) = (nil, [])
      (state.outgoing, state.stream) = (outgoing, stream)
    }
  }

  /// Takes the worker's result, unless somebody was quicker, and lets the event loop go on.
  func proceed(to step: Step) {
    let isTaken = state.withLock { state in
      guard case .waiting = state.step,
        let handle = state.handle.flatMap(OpaquePointer.init(bitPattern:))
      else { return false }
      state.step = step
      MHD_resume_connection(handle)
      return true
    }
    // A stream that nobody will read must not count for ever.
    if !isTaken { step.stream?.leave() }
  }

  /// Lets the event loop go on with a stream.
  func resume() {
    state.withLock { state in
      if let handle = state.handle.flatMap(OpaquePointer.init(bitPattern:)) {
        MHD_resume_connection(handle)
      }
    }
  }

  /// Makes the event loop leave the connection alone until it is resumed; called on its thread.
  func suspend() {
    state.withLock { state in
      if let handle = state.handle.flatMap(OpaquePointer.init(bitPattern:)) {
        MHD_suspend_connection(handle)
      }
    }
  }

  /// What an ended request leaves behind.
  struct Remains {
    /// Bytes of a body that nobody took.
    let incoming: Int
    /// Bytes of the answer.
    let outgoing: Int
    /// The stream that was sent.
    let stream: EventStream?
  }

  /// Forgets the library's connection, which may be freed after this.
  func end() -> Remains {
    state.withLock { state in
      defer { (state.handle, state.body, state.stream) = (nil, [], nil) }
      return Remains(
        incoming: state.body.count, outgoing: state.outgoing,
        stream: state.stream ?? state.step.stream)
    }
  }
}
