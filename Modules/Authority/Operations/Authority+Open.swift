package import StrandlineTransport

extension Authority {
  /// Opens an account's zone by the name that people chose, and makes it where none was known.
  ///
  /// A device that knew a zone is never given another one in its place (C7).
  ///
  /// - Throws: `zoneReplaced`, `zonePurged` and `zoneNotFound` where the known zone is not here,
  ///   `zoneRestored` for a proof that the zone never gave, `schemaRefused` in production.
  package mutating func open(
    _ request: OpenRequest, account: String
  ) throws(TransportError) -> ZoneDescription {
    try transact(.durable) { (authority) throws(TransportError) in
      try authority.openInTransaction(request, account: account)
    }
  }

  private mutating func openInTransaction(
    _ request: OpenRequest, account: String
  ) throws(TransportError) -> ZoneDescription {
    guard (1...limits.nameBytes).contains(request.zoneName.utf8.count) else {
      throw .invalid("Could not open the zone, its name is empty or too long.")
    }
    try checkName(of: request.device)
    let found = try knownZone(for: request, account: account)
    if let found { try check(request.proof, of: found) }
    try admit(request.schema, to: request.environment)
    let zone: Zone
    if let found { zone = found } else { zone = try makeZone(for: request, account: account) }
    let heard = try hear(request.device, in: zone)
    try remember(heard, in: zone)
    return ZoneDescription(
      account: account, zone: zone.id, wasCreated: found == nil, proof: try proof(of: zone),
      lastAccepted: heard.device.lastAccepted, limits: limits.transport)
  }

  /// The zone that the request means; nil where it may be made.
  func knownZone(
    for request: OpenRequest, account: String
  ) throws(TransportError) -> Zone? {
    let found = try storage.zone(
      named: request.zoneName, account: account, environment: request.environment)
    guard let expected = request.expected else {
      return found?.purge == nil ? found : nil
    }
    if let known = try storage.zone(expected), known.account == account, let purge = known.purge {
      throw .purged(known, purge)
    }
    guard let found, found.purge == nil else { throw .noSuchZone(expected) }
    guard found.id == expected else { throw .replaced(found) }
    return found
  }

  private mutating func makeZone(
    for request: OpenRequest, account: String
  ) throws(TransportError) -> Zone {
    let digits = [draw(), draw()].map { number in
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
    let zone = Zone(
      id: ZoneID(rawValue: digits.joined()), account: account,
      environment: request.environment, name: request.zoneName)
    try storage.save(zone)
    try storage.addNonce(draw(), of: zone.head, in: zone.id)
    return zone
  }
}
