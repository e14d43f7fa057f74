package import StrandlineAuthority
import StrandlineModels
import StrandlineStorage
package import StrandlineTransport

// Zones apart from their contents, and what environments know.
extension SQLiteServerStorage {
  private static let columns = """
    id, account, environment, name, incarnation, head, fence, fence_bound, purge_origin,
    purge_device_name, purged_at
    """

  package func zone(_ id: ZoneID) throws(TransportError) -> Zone? {
    try access { connection in
      try connection.first(
        "SELECT \(Self.columns) FROM zone WHERE id = ?", [.text(id.rawValue)]
      ) { try zone(in: $0, connection) }
    }
  }

  package func zone(
    named name: String, account: String, environment: ZoneEnvironment
  ) throws(TransportError) -> Zone? {
    try access { connection in
      try connection.first(
        """
        SELECT \(Self.columns) FROM zone WHERE account = ? AND environment = ? AND name = ?
        ORDER BY number DESC LIMIT 1
        """, [.text(account), .text(environment.rawValue), .text(name)]
      ) { try zone(in: $0, connection) }
    }
  }

  package func zones() throws(TransportError) -> [Zone] {
    try access { connection in
      try connection.map("SELECT \(Self.columns) FROM zone ORDER BY number") {
        try zone(in: $0, connection)
      }
    }
  }

  private func zone(in row: Row, _ connection: Connection) throws -> Zone {
    guard let environment = ZoneEnvironment(rawValue: row.text(2)) else {
      throw TransportError.damagedServer("a zone's environment is '\(row.text(2))'")
    }
    var zone = Zone(
      id: ZoneID(rawValue: row.text(0)), account: row.text(1), environment: environment,
      name: row.text(3))
    zone.incarnation = row.integer(4)
    zone.head = row.integer(5)
    zone.fence = row.integer(6)
    zone.fenceBound = row.optionalInteger(7)
    if let origin = row.optionalInteger(8) {
      zone.purge = PurgeNote(
        device: DeviceInfo(id: try device(of: origin, connection), name: row.text(9)),
        at: row.integer(10))
    }
    return zone
  }

  package func save(_ zone: Zone) throws(TransportError) {
    try access { connection in
      let purger = try zone.purge.map { try origin(of: $0.device.id, connection) }
      let state: [Value] = [
        .integer(zone.incarnation), .integer(zone.head), .integer(zone.fence),
        Value(zone.fenceBound), Value(purger), Value(zone.purge?.device.name),
        Value(zone.purge?.at),
      ]
      if let number = try number(of: zone.id, connection) {
        try connection.run(
          """
          UPDATE zone SET incarnation = ?, head = ?, fence = ?, fence_bound = ?,
            purge_origin = ?, purge_device_name = ?, purged_at = ? WHERE number = ?
          """, state + [.integer(number)])
      } else {
        try connection.run(
          """
          INSERT INTO zone(id, account, environment, name, incarnation, head, fence,
            fence_bound, purge_origin, purge_device_name, purged_at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
          [
            .text(zone.id.rawValue), .text(zone.account), .text(zone.environment.rawValue),
            .text(zone.name),
          ] + state)
      }
    }
  }

  package func removeContents(of zone: ZoneID) throws(TransportError) {
    try access { connection in
      guard let number = try number(of: zone, connection) else { return }
      remember { $0.current = nil }
      let range = ZoneRange(number)
      for table in ["feed", "nonce"] {
        try connection.run(
          "DELETE FROM \(table) WHERE place >= ? AND place < ?",
          [.integer(range.first), .integer(range.end)])
      }
      for table in ["device", "memo", "memo_facts", "staged", "staged_page"] {
        try connection.run("DELETE FROM \(table) WHERE zone = ?", [.integer(number)])
      }
    }
  }

  package func schema(
    of environment: ZoneEnvironment
  ) throws(TransportError) -> [String: Set<String>] {
    try access { connection in
      if isInTransaction, let known = memory.schemas[environment] { return known }
      var schema: [String: Set<String>] = [:]
      try connection.forEach(
        "SELECT entity, property FROM schema WHERE environment = ?",
        [.text(environment.rawValue)]
      ) { row in
        let property = row.text(1)
        schema[row.text(0), default: []].formUnion(property.isEmpty ? [] : [property])
      }
      if isInTransaction { remember { $0.schemas[environment] = schema } }
      return schema
    }
  }

  package func extend(
    _ environment: ZoneEnvironment, by schema: [String: Set<String>]
  ) throws(TransportError) {
    try access { connection in
      remember { $0.schemas[environment] = nil }
      for (entity, properties) in schema {
        for property in [""] + properties {
          try connection.run(
            "INSERT INTO schema VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [.text(environment.rawValue), .text(entity), .text(property)])
        }
      }
    }
  }
}
