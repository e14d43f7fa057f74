import StrandlineTransport
import Synchronization

/// Lets the answer to a fetch hang until it is let go on, and tells when one does.
final class CallHold: Sendable {
  private struct State {
    var answersBefore: Int?
    var gate: AsyncStream<Void>?
    var opening: AsyncStream<Void>.Continuation?
    var reached: AsyncStream<Void>.Continuation?
  }

  private let state = Mutex(State())

  /// Lets the answer after so many others hang, or the last one where there are no more.
  ///
  /// - Returns: A stream that yields when an answer hangs, and ends with ``release()``.
  func arm(after answers: Int) -> AsyncStream<Void> {
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let (reaching, reached) = AsyncStream.makeStream(of: Void.self)
    state.withLock {
      $0 = State(answersBefore: answers, gate: gate, opening: opening, reached: reached)
    }
    return reaching
  }

  /// Waits where this answer is the one that is to hang; a cancelled task does not wait.
  func pass(isLast: Bool) async {
    let gate = state.withLock { state -> AsyncStream<Void>? in
      guard let left = state.answersBefore else { return nil }
      let hangs = left == 0 || isLast
      state.answersBefore = hangs ? nil : left - 1
      guard hangs else { return nil }
      state.reached?.yield()
      return state.gate
    }
    guard let gate else { return }
    for await _ in gate {}
  }

  /// Lets everything go on; nothing hangs from now on.
  func release() {
    let ended = state.withLock { state in
      defer { state = State() }
      return state
    }
    ended.opening?.finish()
    ended.reached?.finish()
  }
}

/// A transport whose fetches may hang with their answer, and may be given small pages.
struct HeldTransport: Transport {
  let inner: any Transport
  let hold: CallHold
  let pageRecords: Int?

  var specification: String { inner.specification }
  var traits: TransportTraits { inner.traits }

  func account() async throws(TransportError) -> AccountState { try await inner.account() }

  func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    try await inner.open(request)
  }

  func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    try await inner.send(page)
  }

  func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    var request = request
    if let pageRecords { request.limit = min(request.limit, pageRecords) }
    let page = try await inner.fetch(request)
    await hold.pass(isLast: page.headReached)
    return page
  }

  func exchangeReceipts(_ receipt: Receipt) async throws(TransportError) -> [DeviceReport] {
    try await inner.exchangeReceipts(receipt)
  }

  func purge(_ request: PurgeRequest) async throws(TransportError) {
    try await inner.purge(request)
  }

  func hints() -> AsyncStream<Hint> { inner.hints() }
}
