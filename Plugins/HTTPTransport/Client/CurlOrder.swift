import Synchronization

/// A request on its way to the client's thread, and who waits for the answer.
final class CurlOrder: Sendable {
  /// Who waits.
  enum Reply: Sendable {
    /// Somebody who wants the whole answer.
    case whole(CheckedContinuation<Result<HTTPResponse, HTTPClientError>, Never>)
    /// Somebody who wants the head, and the body as it comes.
    case stream(CheckedContinuation<Result<HTTPStream, HTTPClientError>, Never>)
  }

  let request: HTTPRequest
  let isStream: Bool
  private let reply = Mutex<Reply?>(nil)
  private let wasCancelled = Atomic(false)

  init(_ request: HTTPRequest, isStream: Bool) {
    self.request = request
    self.isStream = isStream
  }

  /// Whether nobody wants the answer any more; it may be so before the order reaches the thread.
  var isCancelled: Bool { wasCancelled.load(ordering: .acquiring) }

  /// Notes that nobody wants the answer any more.
  func cancel() {
    wasCancelled.store(true, ordering: .releasing)
  }

  /// Says who waits; called once.
  func expect(_ waiting: Reply) {
    reply.withLock { $0 = waiting }
  }

  /// Answers a stream with its head; what ends the transfer later finds nobody waiting.
  func answer(_ stream: HTTPStream) {
    if case .stream(let continuation) = take() { continuation.resume(returning: .success(stream)) }
  }

  /// Answers with the whole answer.
  func answer(_ response: HTTPResponse) {
    if case .whole(let continuation) = take() { continuation.resume(returning: .success(response)) }
  }

  /// Answers with an error, unless an answer was given before.
  func fail(_ error: HTTPClientError) {
    switch take() {
    case .whole(let continuation): continuation.resume(returning: .failure(error))
    case .stream(let continuation): continuation.resume(returning: .failure(error))
    case nil: break
    }
  }

  private func take() -> Reply? {
    reply.withLock { reply in
      defer { reply = nil }
      return reply
    }
  }
}
