import StrandlineModels

/// Brings the tables from one model to another, inside the transaction that opens the store.
///
/// Properties and entities are matched by their permanent keys, so that a renamed one keeps its
/// values, its stamps and its place on the wire. What the new model does not have is carried
/// like anything else that a model does not know, and what it has again takes its values back.
struct Migration {
  let connection: Connection
  let previous: Schema?
  let catalog: Catalog

  func run() throws {
    // Triggers name tables and columns that may be renamed; they are made anew at the end.
    try dropTriggers()
    for old in previous?.entities ?? [] where catalog.layout(key: old.key) == nil {
      try retire(old)
    }
    for layout in catalog.layouts {
      if let old = previous?.entity(key: layout.entity.key) {
        try alter(layout, from: old)
      } else {
        try create(layout)
      }
    }
    for layout in catalog.layouts {
      for sql in TableSQL.indexes(layout) + TriggerSQL.all(layout) { try connection.execute(sql) }
    }
    try OrphanIndex(connection: connection, catalog: catalog).refill()
  }

  private func dropTriggers() throws {
    let names = try connection.map(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'strandline\\_%' "
        + "ESCAPE '\\'"
    ) { $0.text(0) }
    for name in names { try connection.execute("DROP TRIGGER \(name.quoted)") }
    let indexes = try connection.map(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE "
        + "'strandline\\_index\\_%' ESCAPE '\\'"
    ) { $0.text(0) }
    for name in indexes { try connection.execute("DROP INDEX \(name.quoted)") }
  }

  // MARK: Entities

  private func create(_ layout: EntityLayout) throws {
    try connection.execute(TableSQL.table(layout) + TableSQL.shadow(layout))
    try adoptCarriedRecords(layout)
  }

  private func alter(_ layout: EntityLayout, from old: Entity) throws {
    if old.name != layout.entity.name {
      try connection.execute("ALTER TABLE \(old.name.quoted) RENAME TO \(layout.table)")
    }
    for column in layout.columns {
      let key = column.property.key
      if let before = old.properties.first(where: { $0.key == key }) {
        if before.name != column.property.name {
          try connection.execute(
            "ALTER TABLE \(layout.table) RENAME COLUMN \(before.name.quoted) TO \(column.name)")
        }
      } else {
        try addColumn(column, to: layout)
      }
    }
    for property in old.properties where layout.index(ofKey: property.key) == nil {
      try carry(property, of: layout)
    }
    if old.properties.contains(where: { isDefinedAnew($0, in: layout) }) { try rebuild(layout) }
    if old.configuration == .local && layout.entity.configuration == .synced {
      try offerAll(layout)
    }
  }

  /// Whether a property has another type, default or delete rule than before.
  private func isDefinedAnew(_ old: Property, in layout: EntityLayout) -> Bool {
    guard let index = layout.index(ofKey: old.key) else { return false }
    var before = old
    before.name = layout.columns[index].property.name
    if case .reference(let destination, let rule) = old.kind {
      let key = previous?[destination]?.key ?? destination
      let present = catalog.layout(key: key)?.entity.name ?? destination
      before.kind = .reference(to: present, onDelete: rule)
    }
    return TableSQL.definition(of: before)
      != TableSQL.definition(of: layout.columns[index].property)
  }

  /// Makes the table anew, since SQLite cannot change a column's definition.
  ///
  /// Values are copied as they are, but for what the new columns convert; indexes and triggers
  /// that somebody else made are kept.
  private func rebuild(_ layout: EntityLayout) throws {
    let others = try connection.map(
      """
      SELECT sql FROM sqlite_schema
      WHERE tbl_name = ? AND type IN ('index', 'trigger') AND sql IS NOT NULL
      """, [.text(layout.entity.name)]
    ) { $0.text(0) }
    let columns = (["id"] + layout.columns.map(\.name)).joined(separator: ", ")
    let new = "strandline_new"
    try connection.execute(
      """
      \(TableSQL.table(layout, named: new))
      INSERT INTO \(new)(\(columns)) SELECT \(columns) FROM \(layout.table);
      DROP TABLE \(layout.table);
      PRAGMA legacy_alter_table = ON;
      ALTER TABLE \(new) RENAME TO \(layout.table);
      PRAGMA legacy_alter_table = OFF;
      """)
    for sql in others { try connection.execute(sql) }
  }

  /// Records that were kept on this device become pending when their entity is synced.
  private func offerAll(_ layout: EntityLayout) throws {
    try connection.run(
      """
      INSERT INTO strandline_log(entity, record, kind, stamp)
        SELECT ?, id, ?, born FROM \(layout.shadow) WHERE born > died
      """, [.integer(layout.number), .integer(LogKind.insert.rawValue)])
  }

  /// An added default is no edit: its stamp is 0, unset.
  private func addColumn(_ column: EntityLayout.Column, to layout: EntityLayout) throws {
    try connection.execute(
      """
      ALTER TABLE \(layout.table) ADD COLUMN \(TableSQL.definition(of: column.property));
      ALTER TABLE \(layout.shadow) ADD COLUMN \(column.stampColumn) INTEGER DEFAULT 0;
      """)
    let arguments: [Value] = [.integer(layout.number), .text(column.property.key)]
    let source = """
      FROM strandline_unknown_value AS u WHERE u.entity = ?1 AND u.property = ?2
      """
    try connection.run(
      """
      UPDATE \(layout.table) SET \(column.name) = (SELECT u.value \(source)
        AND u.record = \(layout.table).id)
      WHERE id IN (SELECT u.record \(source))
      """, arguments)
    try connection.run(
      """
      UPDATE \(layout.shadow) SET \(column.stampColumn) = (SELECT nullif(u.stamp, born) \(source)
        AND u.record = \(layout.shadow).id)
      WHERE id IN (SELECT u.record \(source))
      """, arguments)
    try connection.run(
      "DELETE FROM strandline_unknown_value WHERE entity = ?1 AND property = ?2", arguments)
  }

  /// A property that the model no longer has keeps its values where unknown ones stand.
  private func carry(_ property: Property, of layout: EntityLayout) throws {
    let stamp = "s.\("stamp_\(property.key)".quoted)"
    try connection.run(
      """
      INSERT INTO strandline_unknown_value(entity, record, property, stamp, value)
        SELECT ?1, s.id, ?2, coalesce(\(stamp), s.born), e.\(property.name.quoted)
        FROM \(layout.shadow) AS s JOIN \(layout.table) AS e ON e.id = s.id
        WHERE s.born > s.died AND coalesce(\(stamp), s.born) > 0
      """, [.integer(layout.number), .text(property.key)])
    try connection.execute(
      """
      ALTER TABLE \(layout.table) DROP COLUMN \(property.name.quoted);
      ALTER TABLE \(layout.shadow) DROP COLUMN \("stamp_\(property.key)".quoted);
      """)
  }

  /// An entity that the model no longer has is kept as records of an unknown entity.
  private func retire(_ old: Entity) throws {
    let layout = try Catalog.make(
      for: Schema(entities: [old]), on: connection
    ).layout(named: old.name)
    for property in old.properties {
      let stamp = "s.\("stamp_\(property.key)".quoted)"
      try connection.run(
        """
        INSERT INTO strandline_unknown_value(entity, record, property, stamp, value)
          SELECT ?1, s.id, ?2, coalesce(\(stamp), s.born), e.\(property.name.quoted)
          FROM \(layout.shadow) AS s JOIN \(layout.table) AS e ON e.id = s.id
          WHERE s.born > s.died AND coalesce(\(stamp), s.born) > 0
        """, [.integer(layout.number), .text(property.key)])
    }
    try connection.run(
      """
      INSERT INTO strandline_unknown_record(entity, record, born, died, deleted)
        SELECT ?1, id, born, died, deleted FROM \(layout.shadow)
      """, [.integer(layout.number)])
    try connection.execute("DROP TABLE \(layout.table); DROP TABLE \(layout.shadow);")
  }

  /// Records that arrived before the model had their entity move into its table.
  private func adoptCarriedRecords(_ layout: EntityLayout) throws {
    let records = try connection.map(
      "SELECT record FROM strandline_unknown_record WHERE entity = ?", [.integer(layout.number)]
    ) { RecordID($0.value(0)) }
    guard !records.isEmpty else { return }
    let reader = try StateReader(connection: connection)
    let writer = StateWriter(connection: connection)
    for case .some(let id) in records {
      let carried = try reader.loadUnknown(layout.number, id).state
      var state = RecordState()
      let outcome = state.merge(
        RecordDelta(
          key: RecordKey(entity: layout.entity.key, id: id), birth: carried.born,
          death: carried.death, versions: carried.versions))
      try writer.write(layout, id, from: .absent, to: state, outcome)
      for column in layout.columns {
        try connection.run(
          """
          DELETE FROM strandline_unknown_value
          WHERE record = ? AND entity = ? AND property = ?
          """, [id.value, .integer(layout.number), .text(column.property.key)])
      }
    }
    try connection.run(
      "DELETE FROM strandline_unknown_record WHERE entity = ?", [.integer(layout.number)])
  }
}
