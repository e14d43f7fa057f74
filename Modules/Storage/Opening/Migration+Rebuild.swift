import StrandlineModels

extension Migration {
  /// Whether a property has another type, default or delete rule than before.
  func isDefinedAnew(_ old: Property, in layout: EntityLayout) -> Bool {
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
  /// Values are copied as they are; those that a new column would convert are carried since
  /// before, and what was never written shows the new default. Columns of the person's own stay.
  func rebuild(_ pair: Pair) throws {
    let kept = Set(pair.added.map(\.property.key))
    let columns = pair.layout.columns.filter { !kept.contains($0.property.key) }
    let layout = EntityLayout(
      entity: pair.layout.entity, number: pair.layout.number, columns: columns)
    let strangers = try columnsOfOthers(pair)
    let names = (["id"] + columns.map(\.name) + strangers.map(\.name)).joined(separator: ", ")
    let new = "strandline_new"
    try connection.execute(TableSQL.table(layout, named: new))
    for stranger in strangers {
      try connection.execute("ALTER TABLE \(new) ADD COLUMN \(stranger.definition)")
    }
    try connection.execute(
      """
      INSERT INTO \(new)(\(names)) SELECT \(names) FROM \(layout.table);
      DROP TABLE \(layout.table);
      PRAGMA legacy_alter_table = ON;
      ALTER TABLE \(new) RENAME TO \(layout.table);
      PRAGMA legacy_alter_table = OFF;
      """)
    for column in columns {
      guard let old = pair.property(of: column), isDefinedAnew(old, in: layout) else { continue }
      try connection.run(
        """
        UPDATE \(layout.table) SET \(column.name) = ?
        WHERE id IN (SELECT id FROM \(layout.shadow) WHERE \(column.stampColumn) = 0)
        """, [column.property.defaultValue])
    }
  }

  private struct ColumnOfOthers {
    let name: String
    let definition: String
  }

  /// Columns that somebody added to the table with plain SQL.
  private func columnsOfOthers(_ pair: Pair) throws -> [ColumnOfOthers] {
    let known = Set(["id"] + pair.layout.columns.map { $0.property.name.lowercased() })
    let rows = try connection.map(
      """
      SELECT name, type, dflt_value FROM pragma_table_xinfo(?) WHERE hidden = 0
      """, [.text(pair.layout.entity.name)]
    ) { ($0.text(0), $0.text(1), $0.optionalText(2)) }
    return rows.filter { !known.contains($0.0.lowercased()) }.map { name, type, fallback in
      ColumnOfOthers(
        name: name.quoted,
        definition: "\(name.quoted) \(type)" + (fallback.map { " DEFAULT (\($0))" } ?? ""))
    }
  }
}
