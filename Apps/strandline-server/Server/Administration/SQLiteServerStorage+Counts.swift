package import StrandlineModels
import StrandlineStorage
package import StrandlineTransport

// What people ask of a file and devices do not.
extension SQLiteServerStorage {
  /// The number of records in a zone of which more is known than that they died.
  package func recordCount(in zone: ZoneID) throws(TransportError) -> Int {
    try access { connection in
      guard let number = try number(of: zone, connection) else { return 0 }
      let range = ZoneRange(number)
      return Int(
        try connection.integer(
          """
          SELECT count(*) FROM (
            SELECT DISTINCT entity, id FROM feed
            WHERE place > ? AND place < ? AND dead = 0 AND entity > 0)
          """, [.integer(range.first), .integer(range.end)]))
    }
  }

  /// The keys of the records in a zone, in the order of their oldest fact, of all or one entity.
  package func keys(
    in zone: ZoneID, entity: String? = nil
  ) throws(TransportError) -> [RecordKey] {
    try access { connection in
      guard let number = try number(of: zone, connection) else { return [] }
      let range = ZoneRange(number)
      var wanted: Int64?
      if let entity {
        guard let known = try knownNumber(of: entity, connection) else { return [] }
        wanted = known
      }
      return try connection.map(
        """
        SELECT entity, id, min(place) FROM feed
        WHERE place > ?1 AND place < ?2 AND dead = 0 AND entity > 0
          AND (?3 IS NULL OR entity = ?3)
        GROUP BY entity, id ORDER BY 3
        """, [.integer(range.first), .integer(range.end), Value(wanted)]
      ) { row in
        guard let id = RecordID(row.value(1)) else {
          throw TransportError.damagedServer("a record has no id")
        }
        return RecordKey(entity: try name(of: row.integer(0), connection), id: id)
      }
    }
  }
}
