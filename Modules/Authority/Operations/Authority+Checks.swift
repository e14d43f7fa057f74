import StrandlineModels
import StrandlineTransport

// What every operation asks before it does anything: the right zone, a true proof, a usable
// cursor, a device that may be remembered.
extension Authority {
  /// Finds an account's zone that was not purged.
  func zone(_ id: ZoneID, of account: String) throws(TransportError) -> Zone {
    guard let zone = try storage.zone(id), zone.account == account else {
      throw .noSuchZone(id)
    }
    if let purge = zone.purge { throw .purged(zone, purge) }
    return zone
  }

  /// What the zone shows now.
  func proof(of zone: Zone) throws(TransportError) -> Proof {
    guard let nonce = try storage.nonce(of: zone.head, in: zone.id) else {
      throw .damagedZone(zone, advice)
    }
    return Proof(incarnation: zone.incarnation, sequence: zone.head, nonce: nonce)
  }

  /// Refuses a device that was shown what this zone does not know: the zone was put back (C11).
  ///
  /// Behind the fence there are no numbers left to compare with. A device whose proof is there
  /// has its cursor there too, which is refused for itself.
  func check(_ proof: Proof?, of zone: Zone) throws(TransportError) {
    guard let proof else { return }
    guard proof.incarnation == zone.incarnation, proof.sequence <= zone.head else {
      throw .restored(zone)
    }
    let nonce = try storage.nonce(of: proof.sequence, in: zone.id)
    if nonce == proof.nonce { return }
    if nonce == nil, proof.sequence < zone.fence { return }
    throw .restored(zone)
  }

  /// Reads a cursor and refuses one of another zone or one that this cannot go on from.
  func place(_ cursor: Cursor, in zone: Zone) throws(TransportError) -> ZonePlace {
    guard let place = ZonePlace(cursor), place.mark == zone.mark else {
      throw .damagedCursor(zone)
    }
    guard place.incarnation == zone.incarnation, place.deathsRead <= zone.head else {
      throw .restored(zone)
    }
    guard place.deathsRead >= zone.fence else { throw .expired(zone) }
    return place
  }

  /// Refuses, or in development learns, what the environment does not know.
  mutating func admit(
    _ schema: [String: Set<String>], to environment: ZoneEnvironment
  ) throws(TransportError) {
    let known = try storage.schema(of: environment)
    var unknown: [String: Set<String>] = [:]
    for (entity, properties) in schema {
      let missing = properties.subtracting(known[entity] ?? [])
      if known[entity] == nil || !missing.isEmpty { unknown[entity] = missing }
    }
    guard let entity = unknown.keys.min() else { return }
    guard environment == .development else {
      throw .unknown(
        entity: entity, property: unknown[entity]?.min(), isNewEntity: known[entity] == nil,
        advice)
    }
    let names = unknown.flatMap { [$0.key] + $0.value }
    guard names.allSatisfy({ !$0.isEmpty && $0.utf8.count <= limits.nameBytes }) else {
      throw .invalid("Could not learn the schema, a name in it is empty or too long.")
    }
    let count = known.values.reduce(known.count) { $0 + $1.count }
    guard count + names.count <= limits.schemaNames else {
      throw .invalid("Could not learn the schema, it has too many names.")
    }
    try storage.extend(environment, by: unknown)
  }
}
