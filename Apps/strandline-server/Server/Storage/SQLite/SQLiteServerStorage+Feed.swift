import CSodium
package import StrandlineAuthority
import StrandlineModels
import StrandlineStorage
package import StrandlineTransport
import StrandlineWireFormat

// The feed, values that lost, and the random numbers of commits.
extension SQLiteServerStorage {
  package func readFeed(
    after sequence: Int64, deathsAfter deathsRead: Int64, in zone: ZoneID,
    visit: (FeedEntry) -> Bool
  ) throws(TransportError) {
    try access { connection in
      guard let number = try number(of: zone, connection) else { return }
      let range = ZoneRange(number)
      let coding = coding(connection)
      try connection.scan(
        """
        SELECT place, entity, id, origin, facts FROM feed
        WHERE place > ? AND place < ? AND (dead = 0 OR place > ?) ORDER BY place
        """,
        [
          .integer(range.place(of: sequence)), .integer(range.end),
          .integer(range.place(of: deathsRead)),
        ]
      ) { row in
        let sequence = range.sequence(at: row.integer(0))
        let device = try device(of: row.integer(3), connection)
        var reader = CBORReader(row.blob(4), subject: "record")
        let entity = row.integer(1)
        guard entity > 0 else {
          let conflict = try coding.readConflict(by: device, from: &reader)
          return visit(FeedEntry(sequence: sequence, content: .conflict(conflict)))
        }
        guard let id = RecordID(row.value(2)) else {
          throw TransportError.damagedServer("a record has no id")
        }
        let key = RecordKey(entity: try name(of: entity, connection), id: id)
        var delta = try coding.read(key, from: &reader)
        if sequence <= deathsRead { delta.death = nil }
        if delta.isEmpty { return true }
        return visit(FeedEntry(sequence: sequence, content: .change(delta, device)))
      }
    }
  }

  package func holds(
    _ conflict: ConflictEntry, in zone: ZoneID
  ) throws(TransportError) -> Bool {
    try access { connection in
      guard let number = try number(of: zone, connection) else { return false }
      let range = ZoneRange(number)
      let (_, hash) = try stored(conflict, connection)
      return try connection.first(
        "SELECT 1 FROM feed INDEXED BY feed_record WHERE entity = 0 AND id = ? AND place > ? "
          + "AND place < ? LIMIT 1",
        [.blob(hash), .integer(range.first), .integer(range.end)]
      ) { _ in true } ?? false
    }
  }

  package func add(
    _ conflict: ConflictEntry, at sequence: Int64, in zone: ZoneID
  ) throws(TransportError) {
    try access { connection in
      let range = ZoneRange(try requiredNumber(of: zone, connection))
      let (facts, hash) = try stored(conflict, connection)
      try connection.run(
        "INSERT INTO feed VALUES (?, 0, ?, ?, 0, ?)",
        [
          .integer(range.place(of: sequence)), .blob(hash),
          .integer(try origin(of: conflict.device, connection)), .blob(facts),
        ])
    }
  }

  package func forgetConflicts(
    through sequence: Int64, in zone: ZoneID
  ) throws(TransportError) {
    try access { connection in
      guard let number = try number(of: zone, connection) else { return }
      let range = ZoneRange(number)
      try connection.run(
        "DELETE FROM feed INDEXED BY feed_conflict WHERE entity = 0 AND place > ? AND place <= ?",
        [.integer(range.first), .integer(range.place(of: sequence))])
    }
  }

  /// A conflict's facts, and a hash of them with the device.
  private func stored(
    _ conflict: ConflictEntry, _ connection: Connection
  ) throws -> (facts: [UInt8], hash: [UInt8]) {
    var writer = CBORWriter()
    try coding(connection).write(conflict, to: &writer)
    let facts = writer.bytes
    writer.integer(try origin(of: conflict.device, connection))
    return (facts, Digest.blake2b(writer.bytes))
  }
}

extension SQLiteServerStorage {
  package func nonce(of sequence: Int64, in zone: ZoneID) throws(TransportError) -> UInt64? {
    try access { connection in
      guard sequence >= 0, let number = try number(of: zone, connection) else { return nil }
      return try connection.first(
        "SELECT nonce FROM nonce WHERE place = ?",
        [.integer(ZoneRange(number).place(of: sequence))]
      ) { UInt64(bitPattern: $0.integer(0)) }
    }
  }

  package func addNonce(
    _ nonce: UInt64, of sequence: Int64, in zone: ZoneID
  ) throws(TransportError) {
    try access { connection in
      let range = ZoneRange(try requiredNumber(of: zone, connection))
      try connection.run(
        """
        INSERT INTO nonce VALUES (?, ?) ON CONFLICT(place) DO UPDATE SET nonce = excluded.nonce
        """, [.integer(range.place(of: sequence)), .integer(Int64(bitPattern: nonce))])
    }
  }

  package func forgetNonces(
    before sequence: Int64, in zone: ZoneID
  ) throws(TransportError) {
    try access { connection in
      guard let number = try number(of: zone, connection) else { return }
      let range = ZoneRange(number)
      try connection.run(
        """
        DELETE FROM nonce WHERE place >= ?1 AND place < (
          SELECT max(place) FROM nonce WHERE place >= ?1 AND place <= ?2)
        """, [.integer(range.first), .integer(range.place(of: sequence))])
    }
  }

  package func forgetAllNonces(in zone: ZoneID) throws(TransportError) {
    try access { connection in
      guard let number = try number(of: zone, connection) else { return }
      let range = ZoneRange(number)
      try connection.run(
        "DELETE FROM nonce WHERE place >= ? AND place < ?",
        [.integer(range.first), .integer(range.end)])
    }
  }
}
