import StrandlineTesting
import Testing

@Suite struct TransportContractTests {
  @Test(arguments: TransportContract.rules)
  func `the memory transport keeps the contract`(_ rule: ContractRule) async throws {
    try await rule.check(MemorySubject())
  }

  @Test(arguments: TransportContract.rules)
  func `the folder transport keeps the contract`(_ rule: ContractRule) async throws {
    try await rule.check(DirectorySubject())
  }

  @Test(arguments: TransportContract.rules)
  func `the faulty transport without faults keeps the contract, over memory`(
    _ rule: ContractRule
  ) async throws {
    try await rule.check(FaultySubject(inner: MemorySubject()))
  }

  @Test(arguments: TransportContract.rules)
  func `the faulty transport without faults keeps the contract, over a folder`(
    _ rule: ContractRule
  ) async throws {
    try await rule.check(FaultySubject(inner: DirectorySubject()))
  }
}
