import StrandlineHTTPProtocol
import StrandlineHTTPTransport
import StrandlineTransport
import Testing

/// What is sent to which endpoint, and what comes back.
struct MessageTests {
  @Test func `Each call goes to its endpoint with its message`() async throws {
    let client = FakeClient(
      .server(200, "application/cbor", Sample.description.encode()),
      .server(200, "application/cbor", SendAnswer().encode()),
      .server(200, "application/cbor", Sample.page.encode()),
      .server(200, "application/cbor", DeviceReports([]).encode()),
      .server(204))
    let transport = try Sample.transport(client)
    let send = SendPage(
      device: Sample.device, zone: Sample.zone, proof: Sample.proof, cursor: nil,
      group: GroupHeader(token: 1, base: 0, sequence: 1, transactionToken: 2, recordCount: 0),
      page: 0, isLast: true, deltas: [])
    let receipt = Receipt(
      device: Sample.device, zone: Sample.zone, proof: nil, cursor: Cursor(bytes: [3]))
    let purge = PurgeRequest(device: Sample.device, zone: Sample.zone)
    #expect(try await transport.open(Sample.open) == Sample.description)
    #expect(try await transport.send(send) == SendAnswer())
    #expect(try await transport.fetch(Sample.fetch) == Sample.page)
    #expect(try await transport.exchangeReceipts(receipt) == [])
    try await transport.purge(purge)

    let requests = client.requests
    #expect(requests.allSatisfy { $0.method == "POST" })
    #expect(
      requests.map { $0.url.replacing("http://sync.example:8080/v1/", with: "") } == [
        "open", "zones/0a1b2c/send", "zones/0a1b2c/fetch", "zones/0a1b2c/receipts",
        "zones/0a1b2c/purge",
      ])
    #expect(
      requests.map(\.body) == [
        Sample.open.encode(), send.encode(), Sample.fetch.encode(), receipt.encode(),
        purge.encode(),
      ])
    for request in requests {
      let types = request.headers.filter { $0.name == "Content-Type" }.map(\.value)
      #expect(types == ["application/cbor"])
    }
  }

  @Test func `The transport says what its acceptance proves`() throws {
    let transport = try Sample.transport(FakeClient(.server(200)))
    #expect(transport.traits == TransportTraits(acknowledgement: .stored))
  }

  @Test(arguments: ["http://localhost:8080", "https://example.com", "http:https://example.com"])
  func `The registry makes it without asking anybody`(text: String) async throws {
    let registry = Registry([.http])
    #expect(registry.addressForms == ["none", "http[s]://HOST[:PORT]"])
    let made = try await registry.make(
      TransportConfiguration(specification: TransportSpecification(text)))
    #expect(made is HTTPTransport)
    await #expect(throws: TransportError.self) {
      try await registry.make(
        TransportConfiguration(specification: TransportSpecification("http://")))
    }
  }
}
