import StrandlineModels

/// Moves values between the columns of a model and the place where unknown ones are carried.
///
/// They keep their bytes, their kind and their stamps both ways. A value that its new column
/// would convert stays carried: it goes on to other devices as it came, counts in merges, and
/// shows once the model has a column that holds it.
struct CarriedValues {
  let connection: Connection

  // MARK: Out of the model

  /// Carries the values of a property that the model no longer has.
  func take(_ property: Property, of layout: EntityLayout, table: String) throws {
    let stamp = "s.\("stamp_\(property.key)".quoted)"
    try connection.run(
      """
      INSERT INTO strandline_unknown_value(entity, record, property, stamp, value)
        SELECT ?1, s.id, ?2, coalesce(\(stamp), s.born), e.\(property.name.quoted)
        FROM \(layout.shadow) AS s JOIN \(table.quoted) AS e ON e.id = s.id
        WHERE s.born > s.died AND coalesce(\(stamp), s.born) > 0
        ON CONFLICT DO UPDATE SET stamp = excluded.stamp, value = excluded.value
          WHERE excluded.stamp >= stamp
      """, [.integer(layout.number), .text(property.key)])
  }

  /// Carries those values of a property that the column of its new definition would convert.
  func takeUnfit(_ property: Property, of layout: EntityLayout, table: String) throws {
    guard let index = layout.index(ofKey: property.key) else { return }
    let column = layout.columns[index]
    guard property.attributeType?.columnType != column.property.attributeType?.columnType else {
      return
    }
    let stamp = "coalesce(s.\(column.stampColumn), s.born)"
    var unfit: [(id: Value, stamp: Value, value: Value)] = []
    try connection.forEach(
      """
      SELECT s.id, \(stamp), e.\(property.name.quoted)
      FROM \(layout.shadow) AS s JOIN \(table.quoted) AS e ON e.id = s.id
      WHERE s.born > s.died AND \(stamp) > 0
      """
    ) { row in
      if !Affinity.stores(row.value(2), in: column.property) {
        unfit.append((row.value(0), row.value(1), row.value(2)))
      }
    }
    for row in unfit {
      try connection.run(
        """
        INSERT INTO strandline_unknown_value(entity, record, property, stamp, value)
          VALUES (?, ?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET stamp = excluded.stamp, value = excluded.value
        """, [.integer(layout.number), row.id, .text(property.key), row.stamp, row.value])
      try connection.run(
        "UPDATE \(layout.shadow) SET \(column.stampColumn) = 0 WHERE id = ?", [row.id])
    }
  }

  /// Keeps the lives of an entity that the model no longer has.
  func takeRecords(of layout: EntityLayout) throws {
    try connection.run(
      """
      INSERT INTO strandline_unknown_record(entity, record, born, died, deleted)
        SELECT ?1, id, born, died, deleted FROM \(layout.shadow)
      """, [.integer(layout.number)])
  }

  // MARK: Into the model

  /// A name that no property has, for values that stay carried while the others move.
  private static let staying = " staying"

  /// Moves carried values into a column, but for those that it would convert.
  func give(_ column: EntityLayout.Column, of layout: EntityLayout) throws {
    let key: [Value] = [.integer(layout.number), .text(column.property.key)]
    try dropOutdated(column, of: layout)
    var staying: [Value] = []
    try connection.forEach(
      "SELECT record, value FROM strandline_unknown_value WHERE entity = ? AND property = ?", key
    ) { row in
      if !Affinity.stores(row.value(1), in: column.property) { staying.append(row.value(0)) }
    }
    for record in staying { try rename(record, key, to: Self.staying) }
    try move(column, of: layout, key)
    for record in staying {
      try rename(record, [key[0], .text(Self.staying)], to: column.property.key)
    }
  }

  private func rename(_ record: Value, _ key: [Value], to name: String) throws {
    try connection.run(
      """
      UPDATE strandline_unknown_value SET property = ?4
      WHERE record = ?1 AND entity = ?2 AND property = ?3
      """, [record] + key + [.text(name)])
  }

  /// A value that stayed carried is of the past once its column was written later.
  private func dropOutdated(_ column: EntityLayout.Column, of layout: EntityLayout) throws {
    try connection.run(
      """
      DELETE FROM strandline_unknown_value WHERE entity = ?1 AND property = ?2
        AND stamp <= (SELECT coalesce(s.\(column.stampColumn), s.born) FROM \(layout.shadow) AS s
          WHERE s.id = record)
      """, [.integer(layout.number), .text(column.property.key)])
  }

  private func move(
    _ column: EntityLayout.Column, of layout: EntityLayout, _ key: [Value]
  ) throws {
    let source = "FROM strandline_unknown_value AS u WHERE u.entity = ?1 AND u.property = ?2"
    try connection.run(
      """
      UPDATE \(layout.table) SET \(column.name) =
        (SELECT u.value \(source) AND u.record = \(layout.table).id)
      WHERE id IN (SELECT u.record \(source))
      """, key)
    try connection.run(
      """
      UPDATE \(layout.shadow) SET \(column.stampColumn) =
        (SELECT nullif(u.stamp, born) \(source) AND u.record = \(layout.shadow).id)
      WHERE id IN (SELECT u.record \(source))
      """, key)
    try connection.run(
      "DELETE FROM strandline_unknown_value WHERE entity = ?1 AND property = ?2", key)
  }

  /// Records that arrived before the model had their entity move into its table.
  func giveRecords(to layout: EntityLayout) throws {
    let records = try connection.map(
      "SELECT record FROM strandline_unknown_record WHERE entity = ?", [.integer(layout.number)]
    ) { RecordID($0.value(0)) }
    guard !records.isEmpty else { return }
    let reader = try StateReader(connection: connection)
    let writer = StateWriter(connection: connection)
    for case .some(let id) in records {
      let carried = try reader.loadUnknown(layout.number, id).state
      let fitting = carried.versions.filter { key, version in
        guard let index = layout.index(ofKey: key) else { return true }
        return Affinity.stores(version.value, in: layout.columns[index].property)
      }
      var state = RecordState()
      let outcome = state.merge(
        RecordDelta(
          key: RecordKey(entity: layout.entity.key, id: id), birth: carried.born,
          death: carried.death, versions: fitting))
      try writer.write(layout, id, from: .absent, to: state, outcome)
      for key in fitting.keys where layout.index(ofKey: key) != nil {
        try connection.run(
          """
          DELETE FROM strandline_unknown_value
          WHERE record = ? AND entity = ? AND property = ?
          """, [id.value, .integer(layout.number), .text(key)])
      }
    }
    try connection.run(
      "DELETE FROM strandline_unknown_record WHERE entity = ?", [.integer(layout.number)])
  }
}
