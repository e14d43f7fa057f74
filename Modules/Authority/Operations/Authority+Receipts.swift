package import StrandlineTransport

extension Authority {
  /// Notes what a device holds durably, and tells what the others have said of themselves.
  ///
  /// A receipt counts within its incarnation and up to the head, so that a false one cannot harm
  /// anybody else (C18). The fence follows the receipts.
  package mutating func exchangeReceipts(
    _ receipt: Receipt, account: String
  ) throws(TransportError) -> [DeviceReport] {
    try transact(.relaxed) { (authority) throws(TransportError) in
      try authority.exchangeInTransaction(receipt, account: account)
    }
  }

  private mutating func exchangeInTransaction(
    _ receipt: Receipt, account: String
  ) throws(TransportError) -> [DeviceReport] {
    var zone = try zone(receipt.zone, of: account)
    try check(receipt.proof, of: zone)
    guard let place = ZonePlace(receipt.cursor), place.mark == zone.mark else {
      throw .damagedCursor(zone)
    }
    guard place.incarnation == zone.incarnation else { throw .restored(zone) }
    var heard = try hear(receipt.device, in: zone)
    if place.listingHead == nil {
      let held = min(place.sequence, zone.head)
      // One that was held up on its way does not take back what a later one has said.
      heard.device.receipt = max(held, heard.device.receipt ?? held)
      heard.device.hold = held
      if isWorthKeeping(heard) { heard.device.reportedAt = now }
    }
    try remember(heard, in: zone)
    try advanceFence(of: &zone)
    return try storage.devices(in: zone.id).compactMap { other in
      guard other.id != heard.device.id, !other.isSuperseded, let position = other.receipt else {
        return nil
      }
      return DeviceReport(
        device: other.info, position: position, reportedAt: other.reportedAt)
    }
  }

  /// Whether a device is waited for.
  func isLive(_ device: ZoneDevice) -> Bool {
    now - device.lastHeard <= limits.silenceMilliseconds
  }

  /// Moves the fence to the least that a live device holds; it never moves back (C6).
  ///
  /// A hold behind the fence is not waited for: that device must compare everything anyway.
  private mutating func advanceFence(of zone: inout Zone) throws(TransportError) {
    let devices = try storage.devices(in: zone.id)
    let holds = devices.filter(isLive).compactMap(\.hold).filter { $0 >= zone.fence }
    let bound = min(holds.min() ?? zone.fence, zone.fenceBound ?? .max)
    guard bound > zone.fence else { return }
    zone.fence = bound
    try storage.save(zone)
    try storage.forgetConflicts(through: bound, in: zone.id)
    try storage.forgetNonces(before: bound, in: zone.id)
    for device in devices where !isLive(device) {
      try storage.dropStagedGroup(of: device.id, in: zone.id)
    }
  }
}
