import StrandlineHTTPProtocol
import StrandlineHTTPTransport
import StrandlineTransport
import Testing

/// Addresses as people write them.
struct AddressTests {
  @Test(arguments: [
    ("http://localhost:8080", "http://localhost:8080"),
    ("https://Example.COM", "https://example.com"),
    ("https://example.com:443/", "https://example.com"),
    ("http://example.com:80/", "http://example.com"),
    ("http://example.com:443", "http://example.com:443"),
    ("https://example.com/notes/", "https://example.com/notes"),
    ("https://example.com/a/b", "https://example.com/a/b"),
    ("http://[::1]:8080", "http://[::1]:8080"),
    ("http:https://example.com", "https://example.com"),
    ("http://127.0.0.1:1", "http://127.0.0.1:1"),
  ])
  func `One address has one spelling`(text: String, expected: String) throws {
    let transport = try Sample.transport(FakeClient(.server(200)), text)
    #expect(transport.specification == expected)
    #expect(try Sample.transport(FakeClient(.server(200)), expected).specification == expected)
  }

  @Test(arguments: [
    "http", "http:", "http:localhost", "http:/localhost", "http://", "https://:8080",
    "http://a:0", "http://a:65536", "http://a:99999999999999999999", "http://a:b", "http://a:",
    "http://a b", "http://a?x=1", "http://a#b", "http://a/../b", "http://a/./b", "http://a//b",
    "http://a/%zz", "http://a\r\nHost: b", "http://\u{1b}[2J",

  ])
  func `What is no address is refused before anything is sent`(text: String) throws {
    let error = #expect(throws: TransportError.self) {
      try Sample.transport(FakeClient(.server(200)), text)
    }
    #expect(error?.code == .unknownTransport)
    #expect(error?.remedy == .stop)
    #expect(error?.message.hasPrefix("Could not use the address of a server, ") == true)
    #expect(error?.message.contains("\u{1b}") == false)
    #expect(error?.advice.isEmpty == false)
  }

  @Test func `An address without an end is not repeated`() throws {
    let error = #expect(throws: TransportError.self) {
      try Sample.transport(
        FakeClient(.server(200)), "http://" + String(repeating: "a", count: 3000))
    }
    #expect(error?.message == "Could not use the address of a server, it is too long.")
  }

  @Test(arguments: [
    "https://ann:hunter2@example.com", "https://hunter2@example.com",
    "http:https://ann:hunter2@example.com/", "https://ann:hunter2@exa mple",
  ])
  func `A password in an address is refused and not repeated`(text: String) throws {
    let error = #expect(throws: TransportError.self) {
      try Sample.transport(FakeClient(.server(200)), text)
    }
    #expect(error?.code == .unknownTransport)
    #expect(String(describing: error).contains("hunter2") == false)
    #expect(error?.message.contains("password") == true)
  }

  @Test func `The endpoints stand below the path of the address`() async throws {
    let client = FakeClient(.server(200, "application/cbor", Sample.page.encode()))
    let transport = try Sample.transport(client, "https://example.com/notes/")
    _ = try await transport.fetch(Sample.fetch)
    #expect(client.requests.map(\.url) == ["https://example.com/notes/v1/zones/0a1b2c/fetch"])
  }

  @Test(arguments: ["../account", "0A", "a/b", "", "ü", "0a?x", String(repeating: "a", count: 65)])
  func `A zone's name that would change the path is not sent`(zone: String) async throws {
    let client = FakeClient(.server(200))
    let transport = try Sample.transport(client)
    var request = Sample.fetch
    request.zone = ZoneID(rawValue: zone)
    let error = await #expect(throws: TransportError.self) { try await transport.fetch(request) }
    #expect(error?.code == .zoneNotFound)
    #expect(error?.remedy == .ask)
    #expect(client.requests.isEmpty)
  }
}
