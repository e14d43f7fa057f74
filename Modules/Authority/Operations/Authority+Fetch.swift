import StrandlineModels
package import StrandlineTransport

extension Authority {
  /// Shows what was numbered after a cursor, in the order of the numbers.
  ///
  /// Nothing is left out because the asker sent it: the same record may hold what another device
  /// wrote (C5). Without a cursor the zone is read from its beginning: live records, and nothing
  /// that died before the reading began. The fence waits where it began (C14).
  ///
  /// - Throws: `cursorExpired` for a cursor behind the fence, `zoneRestored` for one that the zone
  ///   never gave.
  package mutating func fetch(
    _ request: FetchRequest, account: String
  ) throws(TransportError) -> FetchPage {
    try transact(.relaxed) { (authority) throws(TransportError) in
      try authority.fetchInTransaction(request, account: account)
    }
  }

  private mutating func fetchInTransaction(
    _ request: FetchRequest, account: String
  ) throws(TransportError) -> FetchPage {
    let zone = try zone(request.zone, of: account)
    try check(request.proof, of: zone)
    guard request.limit > 0 else {
      throw .invalid("Could not fetch changes, the limit is not above zero.")
    }
    let place = try place(after: request.cursor, in: zone)
    var heard = try hear(request.device, in: zone)
    heard.device.hold = hold(
      of: heard.device, readingFrom: place, begins: request.cursor == nil, in: zone)
    try remember(heard, in: zone)
    return try page(after: place, limit: request.limit, for: heard.device.id, in: zone)
  }

  /// Where the fence waits for a device that reads on from a place.
  private func hold(
    of device: ZoneDevice, readingFrom place: ZonePlace, begins: Bool, in zone: Zone
  ) -> Int64 {
    guard let hold = device.hold, hold >= zone.fence, !begins else { return place.deathsRead }
    return min(hold, place.deathsRead)
  }

  /// Where a reading goes on, or begins.
  func place(after cursor: Cursor?, in zone: Zone) throws(TransportError) -> ZonePlace {
    if let cursor { return try place(cursor, in: zone) }
    return ZonePlace(
      mark: zone.mark, incarnation: zone.incarnation, sequence: 0,
      listingHead: zone.head > 0 ? zone.head : nil)
  }

  /// What stands in the feed after a place.
  func page(
    after place: ZonePlace, limit: Int, for device: DeviceID?, in zone: Zone
  ) throws(TransportError) -> FetchPage {
    let wanted = min(limit, limits.transport.pageRecords)
    let check = RecordCheck(limits: limits)
    var (changes, conflicts): ([FetchedChange], [ConflictEntry]) = ([], [])
    var (last, bytes, headReached) = (place.sequence, 0, true)
    try storage.readFeed(
      after: place.sequence, deathsAfter: place.deathsRead, in: zone.id
    ) { entry in
      guard changes.count + conflicts.count < wanted, bytes < limits.pageBytes else {
        headReached = false
        return false
      }
      switch entry.content {
      case .change(let delta, let device):
        changes.append(FetchedChange(delta: delta, device: device))
        bytes += check.byteCount(of: delta)
      case .conflict(let conflict):
        conflicts.append(conflict)
        bytes += check.byteCount(of: conflict)
      }
      last = entry.sequence
      return true
    }
    if headReached { last = zone.head }
    let listingHead = place.listingHead.flatMap { $0 > last ? $0 : nil }
    let next = ZonePlace(
      mark: zone.mark, incarnation: zone.incarnation, sequence: last, listingHead: listingHead)
    let uploading = try uploading(besides: device, in: zone)
    return FetchPage(
      changes: changes, conflicts: conflicts, cursor: next.cursor, headReached: headReached,
      proof: try proof(of: zone),
      uploading: uploading.filter(isLive).map(\.info.name),
      notices: uploading.filter { !isLive($0) }.map {
        "\($0.info.name) stopped in the middle of a long upload; its records may not fit together "
          + "until it goes on."
      })
  }

  /// The devices that have sent a part of a long upload and not its end.
  ///
  /// Nobody waits for one that was silent for long (C4), but what is shown of it is told.
  private func uploading(
    besides asker: DeviceID?, in zone: Zone
  ) throws(TransportError) -> [ZoneDevice] {
    try storage.devices(in: zone.id).filter { $0.id != asker && $0.isUploading }
  }
}
