package import StrandlineAuthority
package import StrandlineModels
import StrandlineStorage
package import StrandlineTransport
import StrandlineWireFormat

// Records in rows of the feed.
extension SQLiteServerStorage {
  package func record(
    _ key: RecordKey, in zone: ZoneID
  ) throws(TransportError) -> ZoneRecord? {
    try access { connection in
      guard let number = try number(of: zone, connection) else { return nil }
      let stored = try stored(key, number, connection)
      return stored.rows.isEmpty ? nil : stored.record
    }
  }

  package func save(_ record: ZoneRecord, in zone: ZoneID) throws(TransportError) {
    try access { connection in
      let number = try requiredNumber(of: zone, connection)
      let before = try stored(record.key, number, connection)
      let rows = try write(record, over: before, number, connection)
      remember { $0.current = StoredRecord(zone: number, record: record, rows: rows) }
    }
  }

  /// The record as it is in the file; the one that was read last is not read again.
  private func stored(
    _ key: RecordKey, _ zone: Int64, _ connection: Connection
  ) throws -> StoredRecord {
    if isInTransaction, let current = memory.current, current.zone == zone,
      current.record.key.hasSameBytes(as: key)
    {
      return current
    }
    let stored = try read(key, zone, connection)
    if isInTransaction { remember { $0.current = stored } }
    return stored
  }

  private func read(
    _ key: RecordKey, _ zone: Int64, _ connection: Connection
  ) throws -> StoredRecord {
    guard let entity = try knownNumber(of: key.entity, connection) else {
      return StoredRecord(zone: zone, record: ZoneRecord(key: key), rows: [:])
    }
    let range = ZoneRange(zone)
    let coding = coding(connection)
    var rows: [Int64: [UInt8]] = [:]
    var parts: [(sequence: Int64, device: DeviceID, delta: RecordDelta)] = []
    try connection.forEach(
      """
      SELECT place, origin, facts FROM feed
      WHERE entity = ? AND id = ? AND place > ? AND place < ?
      """, [.integer(entity), key.id.value, .integer(range.first), .integer(range.end)]
    ) { row in
      let (place, facts) = (row.integer(0), row.blob(2))
      var reader = CBORReader(facts, subject: "record")
      rows[place] = facts
      parts.append(
        (
          range.sequence(at: place), try device(of: row.integer(1), connection),
          try coding.read(key, from: &reader)
        ))
    }
    return StoredRecord(zone: zone, record: ZoneRecord(key: key, parts), rows: rows)
  }

  /// Writes the rows that differ and returns all.
  private func write(
    _ record: ZoneRecord, over before: StoredRecord, _ zone: Int64, _ connection: Connection
  ) throws -> [Int64: [UInt8]] {
    let range = ZoneRange(zone)
    let coding = coding(connection)
    var rows: [Int64: [UInt8]] = [:]
    for sequence in record.sequences {
      guard let (delta, device) = record.change(at: sequence) else { continue }
      var writer = CBORWriter()
      try coding.write(delta, to: &writer)
      let place = range.place(of: sequence)
      let facts = writer.bytes
      rows[place] = facts
      guard before.rows[place] != facts else { continue }
      let isDead = delta.birth == nil && delta.versions.isEmpty
      if before.rows[place] == nil {
        let entity = try coding.number(record.key.entity)
        try connection.run(
          "INSERT INTO feed VALUES (?, ?, ?, ?, ?, ?)",
          [
            .integer(place), .integer(entity), record.key.id.value,
            .integer(try origin(of: device, connection)), .integer(isDead ? 1 : 0), .blob(facts),
          ])
      } else {
        try connection.run(
          "UPDATE feed SET dead = ?, facts = ? WHERE place = ?",
          [.integer(isDead ? 1 : 0), .blob(facts), .integer(place)])
      }
    }
    for place in before.rows.keys where rows[place] == nil {
      try connection.run("DELETE FROM feed WHERE place = ?", [.integer(place)])
    }
    return rows
  }
}

extension RecordKey {
  /// Whether two keys are the same to SQLite, which compares names by their bytes.
  func hasSameBytes(as other: RecordKey) -> Bool {
    id == other.id && entity.utf8.elementsEqual(other.entity.utf8)
  }
}
