import StrandlineTransport
import Synchronization

/// A transport whose fetch gives no answer until it is let go or its task is cancelled.
final class StuckTransport: Transport {
  private struct State {
    var isStuck = true
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var next = 0
  }

  private let inner: any Transport
  private let state = Mutex(State())
  private let arrivals = AsyncStream.makeStream(of: Void.self)

  init(_ inner: any Transport) { self.inner = inner }

  /// Yields whenever a fetch begins to wait.
  var stuckCalls: AsyncStream<Void> { arrivals.stream }

  /// Lets all go that wait, and all that come.
  func letGo() {
    let waiting = state.withLock { state in
      state.isStuck = false
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Lets calls wait again.
  func holdBack() { state.withLock { $0.isStuck = true } }

  private func wait() async {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if !state.isStuck || Task.isCancelled { return true }
          state.waiting[number] = continuation
          return false
        }
        if goesOn { continuation.resume() } else { arrivals.continuation.yield() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
  }

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
    await wait()
    if Task.isCancelled {
      throw TransportError(
        .unreachable, "Could not fetch, nobody answered.", remedy: .retry(afterMilliseconds: nil))
    }
    return try await inner.fetch(request)
  }

  func exchangeReceipts(
    _ receipt: Receipt
  ) async throws(TransportError) -> [DeviceReport] {
    try await inner.exchangeReceipts(receipt)
  }

  func purge(_ request: PurgeRequest) async throws(TransportError) {
    try await inner.purge(request)
  }

  func hints() -> AsyncStream<Hint> { inner.hints() }
}
