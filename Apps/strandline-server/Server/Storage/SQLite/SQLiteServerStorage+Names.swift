import StrandlineModels
import StrandlineStorage
import StrandlineTransport
import StrandlineWireFormat

// Numbers in place of names, identities and zones; all of it is called within `access`.
extension SQLiteServerStorage {
  /// Facts with this file's numbers; writing gives numbers to new names.
  func coding(_ connection: Connection) -> FactCoding {
    FactCoding(
      number: { try self.number(of: $0, connection) },
      name: { try self.name(of: $0, connection) })
  }

  func name(of number: Int64, _ connection: Connection) throws -> String {
    if let known = memory.names[number] { return known }
    guard
      let text = try connection.first(
        "SELECT text FROM name WHERE number = ?", [.integer(number)], { $0.text(0) })
    else { throw TransportError.damagedServer("name \(number) is missing") }
    remember { $0.names[number] = text }
    return text
  }

  /// The number of a name; nil for one that never came.
  func knownNumber(of name: String, _ connection: Connection) throws -> Int64? {
    let exact = ExactName(text: name)
    if let known = memory.nameNumbers[exact] { return known }
    guard
      let number = try connection.first(
        "SELECT number FROM name WHERE text = ?", [.text(name)], { $0.integer(0) })
    else { return nil }
    remember { $0.nameNumbers[exact] = number }
    return number
  }

  private func number(of name: String, _ connection: Connection) throws -> Int64 {
    if let known = try knownNumber(of: name, connection) { return known }
    try connection.run("INSERT INTO name(text) VALUES (?)", [.text(name)])
    let number = connection.lastInsertedRow
    remember { $0.nameNumbers[ExactName(text: name)] = number }
    return number
  }

  func device(of origin: Int64, _ connection: Connection) throws -> DeviceID {
    if let known = memory.origins[origin] { return known }
    guard
      let device = try connection.first(
        "SELECT device, epoch FROM origin WHERE number = ?", [.integer(origin)],
        {
          DeviceID(
            device: UInt64(bitPattern: $0.integer(0)),
            epoch: UInt32(truncatingIfNeeded: $0.integer(1)))
        })
    else { throw TransportError.damagedServer("device \(origin) is missing") }
    remember { $0.origins[origin] = device }
    return device
  }

  /// The number of a device's identity; nil for one that never came.
  func knownOrigin(of device: DeviceID, _ connection: Connection) throws -> Int64? {
    if let known = memory.originNumbers[device] { return known }
    let origin = try connection.first(
      "SELECT number FROM origin WHERE device = ? AND epoch = ?", values(device)
    ) { $0.integer(0) }
    if let origin { remember { $0.originNumbers[device] = origin } }
    return origin
  }

  func origin(of device: DeviceID, _ connection: Connection) throws -> Int64 {
    if let known = try knownOrigin(of: device, connection) { return known }
    try connection.run("INSERT INTO origin(device, epoch) VALUES (?, ?)", values(device))
    let origin = connection.lastInsertedRow
    remember { $0.originNumbers[device] = origin }
    return origin
  }

  private func values(_ device: DeviceID) -> [Value] {
    [.integer(Int64(bitPattern: device.device)), .integer(Int64(device.epoch))]
  }

  /// The number of a zone; nil for one that is not here.
  func number(of zone: ZoneID, _ connection: Connection) throws -> Int64? {
    if let known = memory.zoneNumbers[zone] { return known }
    let number = try connection.first(
      "SELECT number FROM zone WHERE id = ?", [.text(zone.rawValue)]
    ) { $0.integer(0) }
    if let number { remember { $0.zoneNumbers[zone] = number } }
    return number
  }

  /// The number of a zone that something is written to.
  func requiredNumber(of zone: ZoneID, _ connection: Connection) throws -> Int64 {
    guard let number = try number(of: zone, connection) else {
      throw TransportError.damagedServer("zone \(zone.rawValue) is missing")
    }
    return number
  }
}

/// A zone's part of the feed's table.
struct ZoneRange {
  let first: Int64
  let end: Int64

  init(_ zone: Int64) {
    first = zone << ServerTables.sequenceBits
    end = (zone + 1) << ServerTables.sequenceBits
  }

  func place(of sequence: Int64) -> Int64 {
    min(first + max(sequence, 0), end - 1)
  }

  func sequence(at place: Int64) -> Int64 { place - first }
}
