import StrandlineFaults
import StrandlineTesting
import StrandlineTransport

/// A transport some of whose calls do something else, for transports that are broken on purpose.
struct AlteredTransport: Transport {
  let inner: any Transport
  var specification: String
  var onAccount: (@Sendable () async throws(TransportError) -> AccountState)?
  var onOpen: (@Sendable (OpenRequest) async throws(TransportError) -> ZoneDescription)?
  var onSend: (@Sendable (SendPage) async throws(TransportError) -> SendAnswer)?
  var onFetch: (@Sendable (FetchRequest) async throws(TransportError) -> FetchPage)?
  var onReceipt: (@Sendable (Receipt) async throws(TransportError) -> [DeviceReport])?
  var onPurge: (@Sendable (PurgeRequest) async throws(TransportError) -> Void)?
  var onHints: (@Sendable () -> AsyncStream<Hint>)?

  init(_ inner: any Transport) {
    self.inner = inner
    specification = inner.specification
  }

  var traits: TransportTraits { inner.traits }

  func account() async throws(TransportError) -> AccountState {
    if let onAccount { return try await onAccount() }
    return try await inner.account()
  }

  func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    if let onOpen { return try await onOpen(request) }
    return try await inner.open(request)
  }

  func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    if let onSend { return try await onSend(page) }
    return try await inner.send(page)
  }

  func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    if let onFetch { return try await onFetch(request) }
    return try await inner.fetch(request)
  }

  func exchangeReceipts(
    _ receipt: Receipt
  ) async throws(TransportError) -> [DeviceReport] {
    if let onReceipt { return try await onReceipt(receipt) }
    return try await inner.exchangeReceipts(receipt)
  }

  func purge(_ request: PurgeRequest) async throws(TransportError) {
    if let onPurge { return try await onPurge(request) }
    try await inner.purge(request)
  }

  func hints() -> AsyncStream<Hint> {
    if let onHints { return onHints() }
    return inner.hints()
  }
}

/// A cloud in memory, always reachable or not as asked, behind transports that are altered.
struct AlteredSubject: TransportSubject {
  let alter: @Sendable (inout AlteredTransport) -> Void

  func makePlace(_ request: PlaceRequest) async throws -> any TransportPlace {
    let inner = try await FaultySubject(inner: MemorySubject()).makePlace(request)
    return AlteredPlace(inner: inner, alter: alter)
  }
}

struct AlteredPlace: TransportPlace {
  let inner: any TransportPlace
  let alter: @Sendable (inout AlteredTransport) -> Void

  var abilities: PlaceAbilities { inner.abilities }

  func connect(_ device: Int) async throws -> any Transport {
    var transport = AlteredTransport(try await inner.connect(device))
    alter(&transport)
    return transport
  }

  func close() async { await inner.close() }
}
