import Strandline
import StrandlineHTTPTransport
import Testing

/// The code of the guide about servers.
@Suite struct ServerGuideTests {
  @Test func `an app names a server by its address and a token by its file`() async throws {
    let registry = Registry([.http])
    let server = TransportConfiguration(
      specification: .init("https://sync.example.org"), tokenFile: "token")
    let transport = try await registry.make(server)
    #expect(transport?.specification == "https://sync.example.org")
  }
}
