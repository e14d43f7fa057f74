package import StrandlineAuthority
package import StrandlineModels
import StrandlineStorage
package import StrandlineTransport

// What is remembered of devices.
extension SQLiteServerStorage {
  private static let columns = """
    name, last_heard, receipt, reported_at, hold, superseded, uploading, incomplete,
    accepted_sequence, accepted_token, origin
    """

  package func device(_ id: DeviceID, in zone: ZoneID) throws(TransportError) -> ZoneDevice? {
    try access { connection in
      guard let number = try number(of: zone, connection),
        let origin = try knownOrigin(of: id, connection)
      else { return nil }
      return try connection.first(
        "SELECT \(Self.columns) FROM device WHERE zone = ? AND origin = ?",
        [.integer(number), .integer(origin)]
      ) { device(id, in: $0) }
    }
  }

  package func devices(in zone: ZoneID) throws(TransportError) -> [ZoneDevice] {
    try access { connection in
      guard let number = try number(of: zone, connection) else { return [] }
      let devices = try connection.map(
        "SELECT \(Self.columns) FROM device WHERE zone = ?", [.integer(number)]
      ) { device(try self.device(of: $0.integer(10), connection), in: $0) }
      return devices.sorted { $0.id < $1.id }
    }
  }

  private func device(_ id: DeviceID, in row: Row) -> ZoneDevice {
    var device = ZoneDevice(
      info: DeviceInfo(id: id, name: row.text(0)), lastHeard: row.integer(1))
    device.receipt = row.optionalInteger(2)
    device.reportedAt = row.integer(3)
    device.hold = row.optionalInteger(4)
    device.isSuperseded = row.integer(5) != 0
    device.isUploading = row.integer(6) != 0
    device.incomplete = Int(row.integer(7))
    if let sequence = row.optionalInteger(8) {
      device.lastAccepted = AcceptedGroup(
        sequence: sequence, transactionToken: UInt64(bitPattern: row.integer(9)))
    }
    return device
  }

  package func save(_ device: ZoneDevice, in zone: ZoneID) throws(TransportError) {
    try access { connection in
      let number = try requiredNumber(of: zone, connection)
      let origin = try origin(of: device.id, connection)
      let accepted = device.lastAccepted
      try connection.run(
        """
        INSERT INTO device(zone, origin, name, last_heard, receipt, reported_at, hold,
          superseded, uploading, incomplete, accepted_sequence, accepted_token)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT(zone, origin) DO UPDATE SET name = excluded.name,
          last_heard = excluded.last_heard, receipt = excluded.receipt,
          reported_at = excluded.reported_at, hold = excluded.hold,
          superseded = excluded.superseded, uploading = excluded.uploading,
          incomplete = excluded.incomplete, accepted_sequence = excluded.accepted_sequence,
          accepted_token = excluded.accepted_token
        """,
        [
          .integer(number), .integer(origin), .text(device.info.name),
          .integer(device.lastHeard), Value(device.receipt), .integer(device.reportedAt),
          Value(device.hold), .integer(device.isSuperseded ? 1 : 0),
          .integer(device.isUploading ? 1 : 0), .integer(Int64(device.incomplete)),
          Value(accepted?.sequence),
          Value(accepted.map { Int64(bitPattern: $0.transactionToken) }),
        ])
    }
  }
}
