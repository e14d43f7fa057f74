import StrandlineModels
import StrandlineTransport
import Synchronization

/// A transport that counts what goes through it, and can hold calls or cut a fetch short.
final class CountingTransport: Transport {
  struct Counts: Equatable {
    var opens = 0
    var pages = 0
    var records = 0
    var conflicts = 0
    var changes = 0
  }

  private struct State {
    var counts = Counts()
    /// How many changes a page may have.
    var pageSize = Int.max
    /// How many more fetches succeed.
    var fetchesLeft = Int.max
    /// Whether a page with changes never says that it was the last.
    var hidesHead = false
    var isUploading = false
    var waitingFor: [String] = []
    var afterFetch: (@Sendable () async throws -> Void)?
  }

  private let inner: any Transport
  private let name: String?
  private let state = Mutex(State())

  init(_ inner: any Transport, name: String? = nil) {
    self.inner = inner
    self.name = name
  }

  var counts: Counts { state.withLock { $0.counts } }

  /// Begins to count anew.
  func reset() { state.withLock { $0.counts = Counts() } }

  /// Lets pages be small, and the link go down after so many fetches.
  func limit(pageSize: Int = .max, fetches: Int = .max, hidesHead: Bool = false) {
    state.withLock {
      $0.pageSize = pageSize
      $0.fetchesLeft = fetches
      $0.hidesHead = hidesHead
    }
  }

  /// Lets the zone say that another device is in the middle of a long upload.
  func setUploading(_ isUploading: Bool) { state.withLock { $0.isUploading = isUploading } }

  /// Lets the zone say that it lacks something.
  func setWaitingFor(_ sentences: [String]) { state.withLock { $0.waitingFor = sentences } }

  /// Acts after each fetch, before the engine has its answer.
  func afterFetch(_ body: (@Sendable () async throws -> Void)?) {
    state.withLock { $0.afterFetch = body }
  }

  var specification: String { name ?? inner.specification }
  var traits: TransportTraits { inner.traits }

  func account() async throws(TransportError) -> AccountState { try await inner.account() }

  func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    state.withLock { $0.counts.opens += 1 }
    return try await inner.open(request)
  }

  func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    state.withLock {
      $0.counts.pages += 1
      $0.counts.records += page.deltas.count
      $0.counts.conflicts += page.conflicts.count
    }
    return try await inner.send(page)
  }

  func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    let (isUp, pageSize) = state.withLock { state in
      state.fetchesLeft -= 1
      return (state.fetchesLeft >= 0, state.pageSize)
    }
    guard isUp else {
      throw TransportError(
        .unreachable, "Could not reach the zone.", remedy: .retry(afterMilliseconds: nil))
    }
    var request = request
    request.limit = min(request.limit, pageSize)
    var page = try await inner.fetch(request)
    do {
      try await state.withLock(\.afterFetch)?()
    } catch {
      throw TransportError(
        .invalidRequest, "Could not act after a fetch: \(error).", remedy: .stop, cause: error)
    }
    state.withLock { state in
      state.counts.changes += page.changes.count
      if state.hidesHead, !page.changes.isEmpty { page.headReached = false }
      if state.isUploading { page.uploading.append("another device") }
      page.waitingFor += state.waitingFor
    }
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
