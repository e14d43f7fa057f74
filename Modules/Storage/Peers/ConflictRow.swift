package import StrandlineModels

/// A value that lost to a concurrent change, as the store lists it.
///
/// In the column `unsent` bit 0 says that the peer was not told of it yet, and bit 1 that it is
/// settled on this device: somebody has set the value again.
package struct ConflictRow: Sendable, Hashable {
  package var id: Int64
  package var peer: Int64
  package var entity: Int64
  package var record: RecordID
  /// The property's permanent key.
  package var property: String
  package var loser: Version
  /// The identity of the device that wrote it.
  package var device: String
  package var time: Int64
}

extension ReadTransaction {
  /// Lists a value that lost, unless it is listed already or was settled.
  ///
  /// - Returns: Whether it was new.
  @discardableResult
  package func addConflict(
    peer: Int64, entity: Int64, record: RecordID, property: String, loser: Version,
    device: String, at time: Int64, isUnsent: Bool = false
  ) throws -> Bool {
    let added = try connection.run(
      """
      INSERT INTO strandline_conflict(peer, entity, record, property, life, stamp, value, device,
        time, unsent)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 WHERE NOT EXISTS (
        SELECT 1 FROM strandline_conflict WHERE record = ?3 AND entity = ?2 AND property = ?4
          AND life = ?5 AND stamp = ?6 AND value IS ?7)
      """,
      [
        .integer(peer), .integer(entity), record.value, .text(property),
        .integer(loser.life.rawValue), .integer(loser.stamp.rawValue), loser.value, .text(device),
        .integer(time), .integer(isUnsent ? 1 : 0),
      ])
    return added > 0
  }

  /// The values that lost and are not settled here, newest first.
  package func conflicts(limit: Int = 1000) throws -> [ConflictRow] {
    try connection.map(
      Self.conflictColumns + " WHERE unsent & 2 = 0 ORDER BY id DESC LIMIT ?",
      [.integer(Int64(limit))], Self.conflict)
  }

  /// The values of one record that lost and are not settled here, in the order of their writing.
  package func conflicts(of record: RecordID, in entity: Int64) throws -> [ConflictRow] {
    try connection.map(
      Self.conflictColumns
        + " WHERE record = ? AND entity = ? AND unsent & 2 = 0 ORDER BY life, stamp LIMIT 1000",
      [record.value, .integer(entity)], Self.conflict)
  }

  /// The entry of that number, settled or not.
  package func conflict(_ id: Int64) throws -> ConflictRow? {
    try connection.first(Self.conflictColumns + " WHERE id = ?", [.integer(id)], Self.conflict)
  }

  /// Takes an entry off this device's list; the peer is still told of it where it was not.
  package func settleConflict(_ id: Int64) throws {
    try connection.run(
      "UPDATE strandline_conflict SET unsent = unsent | 2 WHERE id = ?", [.integer(id)])
  }

  /// The values that lost and that a peer was not told of yet: those that this device found, and
  /// those that another peer told of.
  package func unsentConflicts(to peer: Int64) throws -> [ConflictRow] {
    try connection.map(
      Self.conflictColumns + " WHERE unsent & 1 AND peer = ?1 UNION ALL "
        + Self.conflictColumns + """
           WHERE peer <> ?1
            AND id > (SELECT conflicts_told FROM strandline_peer WHERE id = ?1)
          ORDER BY id LIMIT 2000
          """,
      [.integer(peer)],
      Self.conflict)
  }

  /// Records that a peer was told of values that lost.
  package func markConflictsSent(to peer: Int64, upTo id: Int64) throws {
    try connection.run(
      "UPDATE strandline_conflict SET unsent = unsent & ~1 WHERE unsent & 1 AND peer = ? AND id <= ?",
      [.integer(peer), .integer(id)])
    try connection.run(
      "UPDATE strandline_peer SET conflicts_told = max(conflicts_told, ?) WHERE id = ?",
      [.integer(id), .integer(peer)])
  }

  private static let conflictColumns = """
    SELECT id, peer, entity, record, property, life, stamp, value, device, time
    FROM strandline_conflict
    """

  private static func conflict(_ row: Row) -> ConflictRow {
    ConflictRow(
      id: row.integer(0), peer: row.integer(1), entity: row.integer(2),
      record: RecordID(row.value(3)) ?? RecordID(bytes: []), property: row.text(4),
      loser: Version(life: row.stamp(5), stamp: row.stamp(6), value: row.value(7)),
      device: row.text(8), time: row.integer(9))
  }

  /// Whether this store changed a property of a record by itself after a log sequence.
  ///
  /// Another device that had not read that change yet, and changed the property too, did so
  /// concurrently. An own version was written by a change of at least its stamp,
  /// after the birth of its life. Of two lives one may have begun with the very stamp of an edit of
  /// the other, on another device; then only a change in the life that is meant counts.
  package func hasOwnChange(
    _ entity: Int64, _ record: RecordID, of property: String?, after sequence: Int64,
    stamps: ClosedRange<Stamp>, life: Stamp = .unset, inLife only: Stamp? = nil, notFrom peer: Int64
  ) throws -> Bool {
    let layout = catalog.layout(number: entity)
    let column = property.flatMap { layout?.index(ofKey: $0) }.map { layout?.columns[$0] }
    return try connection.first(
      """
      SELECT 1 FROM strandline_log AS l
      JOIN strandline_transaction AS t
        ON t.last = (SELECT min(last) FROM strandline_transaction WHERE last >= l.sequence)
      WHERE l.record = ?1 AND l.entity = ?2 AND l.sequence > ?3 AND t.origin <> ?4
        AND l.stamp BETWEEN ?7 AND ?8
        AND l.sequence >= coalesce((SELECT max(sequence) FROM strandline_log
          WHERE record = ?1 AND entity = ?2 AND kind = \(LogKind.insert.rawValue) AND stamp = ?9), 0)
        AND (?10 IS NULL OR ?10 = coalesce((SELECT max(stamp) FROM strandline_log
          WHERE record = ?1 AND entity = ?2 AND kind = \(LogKind.insert.rawValue)
            AND sequence <= l.sequence), ?10))
        AND (l.kind <> \(LogKind.update.rawValue) OR ?5 IS NULL
          OR (l.bank = ?5 AND l.properties & ?6 <> 0)) LIMIT 1
      """,
      [
        record.value, .integer(entity), .integer(sequence), .integer(peer),
        .init((column ?? nil).map { Int64($0.bank) }), .init((column ?? nil)?.bit),
        .integer(stamps.lowerBound.rawValue), .integer(stamps.upperBound.rawValue),
        .integer(life.rawValue), .init(only?.rawValue),
      ]
    ) { _ in true } ?? false
  }
}
