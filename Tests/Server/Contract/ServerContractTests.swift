import StrandlineTesting
import Testing

/// The rules of every transport, kept by the HTTP transport and a real server with its file.
@Suite struct ServerContractTests {
  @Test(arguments: TransportContract.rules)
  func `HTTP keeps the contract, in the process`(_ rule: ContractRule) async throws {
    try await rule.check(ServerSubject(route: .call))
  }

  @Test(arguments: TransportContract.rules)
  func `HTTP keeps the contract over a socket`(_ rule: ContractRule) async throws {
    try await rule.check(ServerSubject(route: .socket))
  }

  @Test(arguments: TransportContract.rules)
  func `HTTP keeps the contract over TLS`(_ rule: ContractRule) async throws {
    try await rule.check(ServerSubject(route: .tls))
  }
}
