package import StrandlineTransport

// Operations that leave no trace: for people who look, and for devices while nothing can be
// written. No fence waits for who reads in this way.
extension Authority {
  /// Shows what was numbered after a cursor, as a fetch does, and remembers nobody.
  ///
  /// The device of the request is only left out of those that upload.
  ///
  /// - Throws: `cursorExpired` for a cursor behind the fence, `zoneRestored` for one that the zone
  ///   never gave.
  package mutating func browse(
    _ request: FetchRequest, account: String
  ) throws(TransportError) -> FetchPage {
    try transact(.relaxed) { (authority) throws(TransportError) in
      let zone = try authority.zone(request.zone, of: account)
      try authority.check(request.proof, of: zone)
      guard request.limit > 0 else {
        throw .invalid("Could not show changes, the limit is not above zero.")
      }
      let place = try authority.place(after: request.cursor, in: zone)
      return try authority.page(
        after: place, limit: request.limit, for: request.device.id, in: zone)
    }
  }

  /// Describes a zone that is there already to a device that brings nothing new.
  ///
  /// - Returns: The description, or nil where something would have to be written.
  /// - Throws: What opening the zone would throw.
  package mutating func describe(
    _ request: OpenRequest, account: String
  ) throws(TransportError) -> ZoneDescription? {
    try transact(.relaxed) { (authority) throws(TransportError) in
      guard let zone = try authority.knownZone(for: request, account: account) else { return nil }
      try authority.check(request.proof, of: zone)
      let known = try authority.storage.schema(of: request.environment)
      let isKnown = request.schema.allSatisfy { entity, properties in
        known[entity].map { properties.isSubset(of: $0) } ?? false
      }
      guard isKnown || request.environment == .production else { return nil }
      try authority.admit(request.schema, to: request.environment)
      return ZoneDescription(
        account: account, zone: zone.id, wasCreated: false, proof: try authority.proof(of: zone),
        lastAccepted: try authority.storage.device(request.device.id, in: zone.id)?.lastAccepted,
        limits: authority.limits.transport)
    }
  }
}
