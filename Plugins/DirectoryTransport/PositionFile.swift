import StrandlineModels
import StrandlineTransport
import StrandlineWireFormat

/// What a device tells the others about how far it has read; written by it alone, replaced whole.
///
/// Losing it does no harm: the device writes it again, and its segments say the same.
struct PositionFile: Hashable, Sendable {
  static let byteLimit = 16 << 20

  /// The zone that the device follows.
  var zone: ZoneID
  /// The device.
  var device: DeviceInfo
  /// When it was written, in milliseconds since 1970, by the device's clock.
  var writtenAt: Int64
  /// How far the device has read the others.
  var vector: [DeviceID: Int64]

  /// The file's bytes.
  func encode() -> [UInt8] {
    var writer = CBORWriter()
    writer.map(5)
    writer.unsigned(0)
    writer.text(zone.rawValue)
    writer.unsigned(1)
    writer.blob(device.id.bytes)
    writer.unsigned(2)
    writer.text(device.name)
    writer.unsigned(3)
    writer.integer(max(0, writtenAt))
    writer.unsigned(4)
    writer.vector(vector)
    return SealedFile.seal(writer.bytes, as: .positions)
  }
}

extension PositionFile {
  /// Reads what ``encode()`` writes.
  init(decoding bytes: [UInt8]) throws {
    let content = try SealedFile.open(bytes, as: .positions)
    var reader = CBORReader(bytes, subject: "position file", range: content)
    var zone: ZoneID?
    var device: DeviceID?
    var name = ""
    var writtenAt: Int64 = 0
    var vector: [DeviceID: Int64] = [:]
    try reader.fields("parts of the file") { reader, key throws(WireError) in
      switch key {
      case 0: zone = ZoneID(rawValue: try reader.text("zone", limit: 256))
      case 1: device = try reader.device()
      case 2: name = try reader.text("name", limit: DeviceInfo.nameLimit)
      case 3: writtenAt = try reader.natural("time")
      case 4: vector = try reader.vector()
      default: return false
      }
      return true
    }
    try reader.finish()
    guard let zone, let device else {
      throw reader.error(.missing, "its zone or device is missing", at: content.lowerBound)
    }
    self.init(
      zone: zone, device: DeviceInfo(id: device, name: name), writtenAt: writtenAt,
      vector: vector)
  }
}
