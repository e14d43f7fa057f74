import StrandlineTransport

/// A transport that takes pages of two records, so that every group has several.
struct SmallPages: Transport {
  let inner: any Transport

  var specification: String { inner.specification }
  var traits: TransportTraits { inner.traits }

  func account() async throws(TransportError) -> AccountState { try await inner.account() }

  func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    var zone = try await inner.open(request)
    zone.limits.pageRecords = 2
    return zone
  }

  func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    try await inner.send(page)
  }

  func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    var request = request
    request.limit = 2
    return try await inner.fetch(request)
  }

  func exchangeReceipts(_ receipt: Receipt) async throws(TransportError) -> [DeviceReport] {
    try await inner.exchangeReceipts(receipt)
  }

  func purge(_ request: PurgeRequest) async throws(TransportError) {
    try await inner.purge(request)
  }

  func hints() -> AsyncStream<Hint> { inner.hints() }
}
