package import StrandlineAuthority
package import StrandlineModels
import StrandlineStorage
package import StrandlineTransport
import StrandlineWireFormat

// What is kept of groups: memos of accepted ones, and those whose pages have begun to come.
extension SQLiteServerStorage {
  /// The number of records of which a memo keeps the facts in one piece.
  private static let pieceRecords = 10_000

  private func groups(_ connection: Connection) -> GroupCoding {
    GroupCoding(
      facts: coding(connection),
      origin: { try self.origin(of: $0, connection) },
      device: { try self.device(of: $0, connection) })
  }

  /// The zone's and the device's number; nil where nothing can be kept of them.
  private func place(
    _ device: DeviceID, _ zone: ZoneID, _ connection: Connection
  ) throws -> [Value]? {
    guard let number = try number(of: zone, connection),
      let origin = try knownOrigin(of: device, connection)
    else { return nil }
    return [.integer(number), .integer(origin)]
  }

  package func memo(
    of device: DeviceID, in zone: ZoneID
  ) throws(TransportError) -> AcceptedMemo? {
    try access { connection in
      guard let place = try place(device, zone, connection) else { return nil }
      return try connection.first(
        "SELECT header, position, dead FROM memo WHERE zone = ? AND origin = ?", place
      ) {
        AcceptedMemo(
          header: try GroupCoding.readHeader($0.blob(0)), position: $0.integer(1),
          deadKeys: try groups(connection).readKeys($0.blob(2)))
      }
    }
  }

  package func writtenFacts(
    of device: DeviceID, in zone: ZoneID
  ) throws(TransportError) -> Set<WrittenFact> {
    try access { connection in
      guard let place = try place(device, zone, connection) else { return [] }
      let coding = coding(connection)
      var facts: Set<WrittenFact> = []
      try connection.forEach(
        "SELECT facts FROM memo_facts WHERE zone = ? AND origin = ?", place
      ) { row in
        var reader = CBORReader(row.blob(0), subject: "memo")
        for _ in 0..<(try reader.array("records", limit: .max)) {
          let key = try coding.readKey(from: &reader)
          let delta = try coding.read(key, from: &reader)
          for (property, version) in delta.versions {
            facts.insert(WrittenFact(key: key, property: property, version: version))
          }
        }
      }
      return facts
    }
  }

  package func save(
    _ memo: AcceptedMemo, deltas: [RecordDelta], of device: DeviceID, in zone: ZoneID
  ) throws(TransportError) {
    try access { connection in
      let groups = groups(connection)
      let place: [Value] = [
        .integer(try requiredNumber(of: zone, connection)),
        .integer(try origin(of: device, connection)),
      ]
      for table in ["memo", "memo_facts"] {
        try connection.run("DELETE FROM \(table) WHERE zone = ? AND origin = ?", place)
      }
      try connection.run(
        "INSERT INTO memo VALUES (?, ?, ?, ?, ?)",
        place + [
          .blob(GroupCoding.write(memo.header)), .integer(memo.position),
          .blob(try groups.write(memo.deadKeys)),
        ])
      for first in stride(from: 0, to: deltas.count, by: Self.pieceRecords) {
        let part = deltas[first..<min(first + Self.pieceRecords, deltas.count)]
        try connection.run(
          "INSERT INTO memo_facts VALUES (?, ?, ?, ?)",
          place + [
            .integer(Int64(first / Self.pieceRecords)),
            .blob(try groups.write(part.map(\.withoutValues))),
          ])
      }
    }
  }

  package func stagedGroup(
    of device: DeviceID, in zone: ZoneID
  ) throws(TransportError) -> StagedGroup? {
    try access { connection in
      guard let place = try place(device, zone, connection),
        let header = try connection.first(
          "SELECT header FROM staged WHERE zone = ? AND origin = ?", place,
          { $0.blob(0) })
      else { return nil }
      let groups = groups(connection)
      var group = StagedGroup(header: try GroupCoding.readHeader(header))
      try connection.forEach(
        """
        SELECT page, records, bytes, summary FROM staged_page WHERE zone = ? AND origin = ?
        """, place
      ) { row in
        group.pages[Int(row.integer(0))] = try groups.readPage(
          row.blob(3), recordCount: Int(row.integer(1)), byteCount: Int(row.integer(2)))
      }
      return group
    }
  }

  package func stagedDeltas(
    of device: DeviceID, in zone: ZoneID
  ) throws(TransportError) -> [RecordDelta] {
    try access { connection in
      guard let place = try place(device, zone, connection) else { return [] }
      let groups = groups(connection)
      var deltas: [RecordDelta] = []
      try connection.forEach(
        "SELECT deltas FROM staged_page WHERE zone = ? AND origin = ? ORDER BY page", place
      ) { deltas += try groups.readDeltas($0.blob(0)) }
      return deltas
    }
  }

  package func stage(
    _ group: StagedGroup, page: Int, deltas: [RecordDelta], of device: DeviceID, in zone: ZoneID
  ) throws(TransportError) {
    try access { connection in
      guard let summary = group.pages[page] else { return }
      let groups = groups(connection)
      let place: [Value] = [
        .integer(try requiredNumber(of: zone, connection)),
        .integer(try origin(of: device, connection)),
      ]
      try connection.run(
        "INSERT INTO staged VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET header = excluded.header",
        place + [.blob(GroupCoding.write(group.header))])
      try connection.run(
        """
        INSERT INTO staged_page VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET records = excluded.records, bytes = excluded.bytes,
          summary = excluded.summary, deltas = excluded.deltas
        """,
        place + [
          .integer(Int64(page)), .integer(Int64(summary.recordCount)),
          .integer(Int64(summary.byteCount)), .blob(try groups.write(summary)),
          .blob(try groups.write(deltas)),
        ])
    }
  }

  package func dropStagedGroup(
    of device: DeviceID, in zone: ZoneID
  ) throws(TransportError) {
    try access { connection in
      guard let place = try place(device, zone, connection) else { return }
      for table in ["staged", "staged_page"] {
        try connection.run("DELETE FROM \(table) WHERE zone = ? AND origin = ?", place)
      }
    }
  }
}

extension RecordDelta {
  /// The versions' places and times alone.
  fileprivate var withoutValues: RecordDelta {
    RecordDelta(
      key: key,
      birth: birth,
      versions: versions.mapValues {
        Version(life: $0.life, stamp: $0.stamp, value: .null)
      })
  }
}
