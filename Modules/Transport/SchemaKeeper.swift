/// A transport whose zones are kept where this program may also say what they know.
///
/// The keeper of a server does that on the server; a folder knows no schema.
package protocol SchemaKeeper: Transport {
  /// The permanent keys of the properties that an environment knows, by that of the entity.
  func schema(
    of environment: ZoneEnvironment
  ) async throws(TransportError) -> [String: Set<String>]

  /// Makes entities and properties known to an environment; nothing is ever taken away.
  func learn(
    _ schema: [String: Set<String>], in environment: ZoneEnvironment
  ) async throws(TransportError)
}
