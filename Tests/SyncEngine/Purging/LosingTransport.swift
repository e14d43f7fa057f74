import StrandlineTransport

/// A transport whose answers to purges are lost on their way back.
struct LosingTransport: Transport {
  let inner: any Transport

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
    try await inner.fetch(request)
  }

  func exchangeReceipts(_ receipt: Receipt) async throws(TransportError) -> [DeviceReport] {
    try await inner.exchangeReceipts(receipt)
  }

  func purge(_ request: PurgeRequest) async throws(TransportError) {
    try await inner.purge(request)
    throw TransportError(
      .unreachable, "Could not purge the zone, nobody answered.",
      remedy: .retry(afterMilliseconds: nil))
  }

  func hints() -> AsyncStream<Hint> { inner.hints() }
}
