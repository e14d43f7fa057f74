import StrandlineMemoryTransport
import StrandlineModels
import StrandlineTransport

/// A cloud in memory that does not show its readers everything.
struct DishonestTransport: Transport {
  /// What it does not show.
  enum Defect: String, CaseIterable, Sendable {
    case anything
    case deletes
    case edits
    case someOfMany
    /// It claims that nobody is signed in.
    case account

    /// The first gate that has to fail for it.
    var gate: String {
      switch self {
      case .anything: "importOnB"
      case .deletes: "bothWays"
      case .edits: "rapidToggles"
      case .someOfMany: "killedFirstImport"
      case .account: "peer"
      }
    }
  }

  let inner: MemoryTransport
  let defect: Defect

  var specification: String { "dishonest" }
  var traits: TransportTraits { inner.traits }

  func account() async throws(TransportError) -> AccountState {
    defect == .account ? .signedOut : try await inner.account()
  }

  func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    try await inner.open(request)
  }

  func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    try await inner.send(page)
  }

  func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    var page = try await inner.fetch(request)
    page.changes = page.changes.compactMap(shown)
    return page
  }

  private func shown(_ change: FetchedChange) -> FetchedChange? {
    var change = change
    switch defect {
    case .anything: return nil
    case .deletes: if change.delta.death != nil { return nil }
    case .edits: change.delta.versions["done"] = nil
    case .someOfMany:
      if change.delta.versions["name"]?.value == .text("one of many, 7") { return nil }
    case .account: break
    }
    return change
  }

  func exchangeReceipts(_ receipt: Receipt) async throws(TransportError) -> [DeviceReport] {
    try await inner.exchangeReceipts(receipt)
  }

  func purge(_ request: PurgeRequest) async throws(TransportError) {
    try await inner.purge(request)
  }

  func hints() -> AsyncStream<Hint> { inner.hints() }

  static func kind(_ defect: Defect) -> TransportKind {
    let cloud = MemoryCloud()
    return TransportKind(name: "dishonest", addressForm: "dishonest") { _ in
      DishonestTransport(inner: MemoryTransport(cloud: cloud), defect: defect)
    }
  }
}
