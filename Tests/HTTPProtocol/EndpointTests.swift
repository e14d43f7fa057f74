import StrandlineHTTPProtocol
import Testing

struct EndpointTests {
  static let all: [Endpoint] = [
    .health, .account, .limits, .zones, .open, .events, .changes(zone: "0a"), .send(zone: "0a"),
    .fetch(zone: "0a"), .receipts(zone: "0a"), .purge(zone: "0a"),
  ]

  @Test(arguments: all)
  func `an endpoint is found at its own path`(_ endpoint: Endpoint) {
    #expect(Endpoint(path: endpoint.path) == endpoint)
  }

  @Test(arguments: [
    "", "/", "/v1", "/v1/", "v1/health", "/v2/health", "/v1/health/", "//v1/health",
    "/v1/zones/../health", "/v1/zones/0a", "/v1/zones/0a/", "/v1/zones//send",
    "/v1/zones/%2e%2e/send", "/v1/zones/0A/send", "/v1/zones/0a\0/send", "/v1/zones/0a/send/x",
  ])
  func `no other path leads to an endpoint`(_ path: String) {
    #expect(Endpoint(path: path) == nil)
  }
}
