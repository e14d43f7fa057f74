import StrandlineTransport
import Synchronization

/// A transport that lets a test act after a send has arrived and before its answer is back.
final class GatedTransport: Transport {
  private let inner: any Transport
  private let action = Mutex<(@Sendable () async throws -> Void)?>(nil)

  init(_ inner: any Transport) { self.inner = inner }

  /// Acts once, during the next send.
  func whenSending(_ body: @escaping @Sendable () async throws -> Void) {
    action.withLock { $0 = body }
  }

  var specification: String { inner.specification }
  var traits: TransportTraits { inner.traits }

  func account() async throws(TransportError) -> AccountState { try await inner.account() }

  func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    try await inner.open(request)
  }

  func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    let answer = try await inner.send(page)
    let body = action.withLock { action in
      defer { action = nil }
      return action
    }
    do {
      try await body?()
    } catch {
      throw TransportError(
        .invalidRequest, "Could not act during the send: \(error).", remedy: .stop, cause: error)
    }
    return answer
  }

  func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    try await inner.fetch(request)
  }

  func exchangeReceipts(_ receipt: Receipt) async throws(TransportError) -> [DeviceReport] {
    try await inner.exchangeReceipts(receipt)
  }

  func purge(_ request: PurgeRequest) async throws(TransportError) {
    try await inner.purge(request)
  }

  func hints() -> AsyncStream<Hint> { inner.hints() }
}
