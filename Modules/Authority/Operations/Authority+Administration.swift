package import StrandlineTransport

extension Authority {
  /// Removes everything in a zone and leaves word of who asked and when (C7).
  ///
  /// The zone is never used again; a new one may be made under its name. Asking again is harmless.
  package mutating func purge(
    _ request: PurgeRequest, account: String
  ) throws(TransportError) {
    try transact(.durable) { (authority) throws(TransportError) in
      guard var zone = try authority.storage.zone(request.zone), zone.account == account else {
        throw .noSuchZone(request.zone)
      }
      guard zone.purge == nil else { return }
      zone.purge = PurgeNote(device: request.device, at: authority.now)
      try authority.storage.save(zone)
      try authority.storage.removeContents(of: zone.id)
    }
  }

  /// Announces that all zones were put back to an earlier state: every device must compare.
  package mutating func announceRestore() throws(TransportError) {
    try transact(.durable) { (authority) throws(TransportError) in
      for var zone in try authority.storage.zones() where zone.purge == nil {
        zone.incarnation += 1
        try authority.storage.save(zone)
        try authority.storage.forgetAllNonces(in: zone.id)
        try authority.storage.addNonce(authority.draw(), of: zone.head, in: zone.id)
        for var device in try authority.storage.devices(in: zone.id) {
          device.receipt = nil
          device.hold = nil
          try authority.storage.save(device, in: zone.id)
        }
      }
    }
  }

  /// Notes that backups hold every zone as it is now, so that the fences may come this far (C11).
  ///
  /// Where it is never called the fences wait for no backup.
  package mutating func noteBackup() throws(TransportError) {
    try transact(.durable) { (authority) throws(TransportError) in
      for var zone in try authority.storage.zones() {
        zone.fenceBound = zone.head
        try authority.storage.save(zone)
      }
    }
  }

  /// Begins a backup: fences that waited for none wait from now on, and the answer tells where.
  ///
  /// The copy is made after it, so it holds every zone at least as far as the fences may come.
  package mutating func beginBackup() throws(TransportError) -> [ZoneID: Int64] {
    try transact(.durable) { (authority) throws(TransportError) in
      var begun: [ZoneID: Int64] = [:]
      for var zone in try authority.storage.zones() where zone.fenceBound == nil {
        zone.fenceBound = zone.head
        try authority.storage.save(zone)
        begun[zone.id] = zone.head
      }
      return begun
    }
  }

  /// Notes that a finished backup holds zones up to these sequences.
  package mutating func noteBackup(
    holding heads: [ZoneID: Int64]
  ) throws(TransportError) {
    try transact(.durable) { (authority) throws(TransportError) in
      for var zone in try authority.storage.zones() {
        guard let head = heads[zone.id], head > zone.fenceBound ?? -1 else { continue }
        zone.fenceBound = head
        try authority.storage.save(zone)
      }
    }
  }

  /// Undoes what the beginning of a backup did that came to nothing.
  package mutating func giveUpBackup(_ begun: [ZoneID: Int64]) throws(TransportError) {
    try transact(.durable) { (authority) throws(TransportError) in
      for var zone in try authority.storage.zones()
      where zone.fenceBound != nil && zone.fenceBound == begun[zone.id] {
        zone.fenceBound = nil
        try authority.storage.save(zone)
      }
    }
  }

  /// Makes entities and properties known to an environment; nothing is ever taken away.
  package mutating func learn(
    _ schema: [String: Set<String>], in environment: ZoneEnvironment
  ) throws(TransportError) {
    try transact(.durable) { (authority) throws(TransportError) in
      if environment == .development {
        try authority.admit(schema, to: environment)
      } else {
        try authority.storage.extend(environment, by: schema)
      }
    }
  }

  /// Makes known to production what development has learned.
  package mutating func deploySchema() throws(TransportError) {
    try transact(.durable) { (authority) throws(TransportError) in
      try authority.storage.extend(
        .production, by: try authority.storage.schema(of: .development))
    }
  }
}
