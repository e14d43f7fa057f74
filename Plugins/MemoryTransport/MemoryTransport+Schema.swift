import StrandlineAuthority
package import StrandlineTransport

// What the environments of a cloud in memory know.
extension MemoryTransport: SchemaKeeper {
  /// The permanent keys that an environment knows.
  package func schema(
    of environment: ZoneEnvironment
  ) async throws(TransportError) -> [String: Set<String>] {
    try cloud.withAuthority { (authority) throws(TransportError) in
      authority.storage.schema(of: environment)
    }
  }

  /// Makes entities and properties known to an environment.
  package func learn(
    _ schema: [String: Set<String>], in environment: ZoneEnvironment
  ) async throws(TransportError) {
    try cloud.withAuthority { (authority) throws(TransportError) in
      try authority.learn(schema, in: environment)
    }
  }
}
