package import StrandlineModels

/// A delete from elsewhere that is not applied, since it came with too many others (C25).
package struct HeldDeleteRow: Sendable, Hashable {
  /// The peer that it came from.
  package var peer: Int64
  package var entity: Int64
  package var record: RecordID
  /// What ends when it is applied.
  package var death: Death
  /// When it was held, in milliseconds since 1970.
  package var time: Int64
  /// The identity of the device that deleted the record, where that is known.
  package var device: String?
  /// Whether it waits for the person; else it waits for the end of the catch-up that brought it.
  package var awaitsWord: Bool

  package init(
    peer: Int64, entity: Int64, record: RecordID, death: Death, time: Int64,
    device: String? = nil, awaitsWord: Bool = false
  ) {
    self.peer = peer
    self.entity = entity
    self.record = record
    self.death = death
    self.time = time
    self.device = device
    self.awaitsWord = awaitsWord
  }
}

extension ReadTransaction {
  /// The held deletes of a peer, or of all peers, in the order of their records.
  ///
  /// Those whose record has ended or begun another life since are gone with the next import.
  package func heldDeletes(of peer: Int64? = nil) throws -> [HeldDeleteRow] {
    let rows: [HeldDeleteRow?] = try connection.map(
      """
      SELECT peer, entity, record, life, stamp, time, device, awaits_word
      FROM strandline_held_delete WHERE ?1 IS NULL OR peer = ?1 ORDER BY entity, record
      """, [.init(peer)]
    ) { row in
      guard let record = RecordID(row.value(2)) else { return nil }
      return HeldDeleteRow(
        peer: row.integer(0), entity: row.integer(1), record: record,
        death: Death(life: row.stamp(3), stamp: row.stamp(4)), time: row.integer(5),
        device: row.optionalText(6), awaitsWord: row.integer(7) != 0)
    }
    return try rows.compactMap(\.self).filter(isStanding)
  }

  /// How many deletes wait for the person's word.
  package func heldDeleteCount(of peer: Int64? = nil) throws -> Int {
    try heldDeletes(of: peer).count { $0.awaitsWord }
  }

  /// Whether the record still lives the life that the delete would end.
  private func isStanding(_ row: HeldDeleteRow) throws -> Bool {
    guard let layout = catalog.layout(number: row.entity) else { return false }
    return try livingBirth(of: row.record, in: layout).map { $0 <= row.death.life } ?? false
  }

  /// The birth of a record that lives; nil for one that does not.
  package func livingBirth(of record: RecordID, in layout: EntityLayout) throws -> Stamp? {
    try connection.first(
      "SELECT born FROM \(layout.shadow) WHERE id = ? AND born > died", [record.value]
    ) { $0.stamp(0) }
  }

  /// How many records of synced entities there are.
  package func syncedRecordCount() throws -> Int {
    try catalog.layouts.filter { $0.entity.configuration == .synced }.reduce(0) {
      $0 + Int(try connection.integer("SELECT count(*) FROM \($1.table)"))
    }
  }

  /// Holds a delete; one of an earlier life of the same record gives way.
  package func hold(_ row: HeldDeleteRow) throws {
    try connection.run(
      """
      INSERT INTO strandline_held_delete(
        peer, entity, record, life, stamp, time, device, awaits_word)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET peer = excluded.peer,
        life = excluded.life, stamp = excluded.stamp, time = excluded.time,
        device = excluded.device, awaits_word = max(awaits_word, excluded.awaits_word)
      WHERE excluded.life > life
      """,
      [
        .integer(row.peer), .integer(row.entity), row.record.value,
        .integer(row.death.life.rawValue), .integer(row.death.stamp.rawValue),
        .integer(row.time), .init(row.device), .integer(row.awaitsWord ? 1 : 0),
      ])
  }

  /// Makes what a catch-up held wait for the person.
  package func askAboutHeldDeletes(of peer: Int64) throws {
    try connection.run(
      "UPDATE strandline_held_delete SET awaits_word = 1 WHERE peer = ?", [.integer(peer)])
  }

  /// Takes back that a delete was held.
  package func clearHeldDelete(of record: RecordID, in entity: Int64) throws {
    try connection.run(
      "DELETE FROM strandline_held_delete WHERE record = ? AND entity = ?",
      [record.value, .integer(entity)])
  }

  /// Drops held deletes that would no longer end anything.
  package func dropIdleHeldDeletes() throws {
    guard try connection.integer("SELECT EXISTS (SELECT 1 FROM strandline_held_delete)") == 1
    else { return }
    for layout in catalog.layouts {
      try connection.run(
        """
        DELETE FROM strandline_held_delete WHERE entity = ?1 AND NOT EXISTS (
          SELECT 1 FROM \(layout.shadow) AS s WHERE s.id = record AND s.born > s.died
            AND s.born <= life)
        """, [.integer(layout.number)])
    }
  }
}
