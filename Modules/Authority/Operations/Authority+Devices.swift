import StrandlineModels
import StrandlineTransport

/// A device as it shows itself with a request, and as it was remembered before.
struct HeardDevice {
  /// How it is now.
  var device: ZoneDevice
  /// How it was remembered; nil for one that is new.
  let before: ZoneDevice?
}

// What is remembered of the devices that ask.
extension Authority {
  /// When a device was heard last is written no more often than this, in milliseconds.
  private static var hearingInterval: Int64 { 60_000 }

  /// Refuses a device whose name would be too much to keep.
  func checkName(of info: DeviceInfo) throws(TransportError) {
    guard info.name.utf8.count <= limits.nameBytes else {
      throw .invalid("Could not take the device's name, it is too long.")
    }
  }

  /// What is known of a device that asks, and what its asking adds to it; nothing is written.
  func hear(_ info: DeviceInfo, in zone: Zone) throws(TransportError) -> HeardDevice {
    try checkName(of: info)
    guard let before = try storage.device(info.id, in: zone.id) else {
      return HeardDevice(device: ZoneDevice(info: info, lastHeard: now), before: nil)
    }
    var device = before
    device.info = info
    device.lastHeard = now
    device.isSuperseded = false
    return HeardDevice(device: device, before: before)
  }

  /// Whether a device has changed in more than the time at which it was heard, or has not been
  /// heard for a while.
  func isWorthKeeping(_ heard: HeardDevice) -> Bool {
    guard let before = heard.before else { return true }
    if abs(heard.device.lastHeard - before.lastHeard) >= Self.hearingInterval { return true }
    var unheard = heard.device
    unheard.lastHeard = before.lastHeard
    return unheard != before
  }

  /// Writes a device where that is worth a write; one that comes under a new epoch supersedes
  /// its older ones.
  mutating func remember(_ heard: HeardDevice, in zone: Zone) throws(TransportError) {
    guard isWorthKeeping(heard) else { return }
    let id = heard.device.id
    if heard.before == nil {
      for var older in try storage.devices(in: zone.id)
      where older.id.device == id.device && older.id != id {
        older.isSuperseded = true
        older.isUploading = false
        older.hold = nil
        try storage.save(older, in: zone.id)
      }
    }
    try storage.save(heard.device, in: zone.id)
  }
}
