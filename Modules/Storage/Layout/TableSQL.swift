import StrandlineModels

/// The definitions of an entity's table, of its stamps and of its indexes.
enum TableSQL {
  /// The table that people and other programs read and write.
  ///
  /// It is `WITHOUT ROWID`: in a rowid table, `INSERT OR REPLACE INTO e(rowid, …)` deletes
  /// another record without firing a trigger.
  static func table(_ layout: EntityLayout, named name: String? = nil) -> String {
    let columns = layout.columns.map { ", " + definition(of: $0.property) }.joined()
    return """
      CREATE TABLE \(name ?? layout.table)(
        id NOT NULL DEFAULT (randomblob(16))
        CONSTRAINT "an id is a blob or a text" CHECK (typeof(id) IN ('blob', 'text'))
        PRIMARY KEY\(columns)) WITHOUT ROWID;
      """
  }

  /// One column; required properties may still hold null, since other clients can write it.
  static func definition(of property: Property) -> String {
    switch property.kind {
    case .attribute(let type):
      let fallback =
        property.defaultValue.isNull ? "" : " DEFAULT " + literal(property.defaultValue)
      return "\(property.name.quoted) \(type.columnType)\(fallback)"
    case .reference(let destination, let rule):
      let action = rule == .cascade ? "CASCADE" : "SET NULL"
      return "\(property.name.quoted) REFERENCES \(destination.quoted)(id) ON DELETE \(action) "
        + "DEFERRABLE INITIALLY DEFERRED"
    }
  }

  /// The shadow row of a record: its life and one stamp a property.
  ///
  /// A property's stamp is null where it equals `born`, and 0 where nothing was ever written.
  static func shadow(_ layout: EntityLayout) -> String {
    let stamps = layout.columns.map { ", \($0.stampColumn) INTEGER DEFAULT 0" }.joined()
    return """
      CREATE TABLE \(layout.shadow)(
        id NOT NULL PRIMARY KEY, born INTEGER NOT NULL, died INTEGER NOT NULL DEFAULT 0,
        deleted INTEGER NOT NULL DEFAULT 0\(stamps)) WITHOUT ROWID;
      """
  }

  /// Declared indexes, and one for each reference, which deletes look up.
  static func indexes(_ layout: EntityLayout) -> [String] {
    var wanted = layout.entity.indexes
    for column in layout.columns where column.property.destination != nil {
      if !wanted.contains([column.property.name]) { wanted.append([column.property.name]) }
    }
    return wanted.map { names in
      // A point, which no name has, keeps the names of two indexes apart.
      let name = "strandline_index_\(layout.entity.key).\(names.joined(separator: "."))"
      let list = names.map(\.quoted).joined(separator: ", ")
      return "CREATE INDEX IF NOT EXISTS \(name.quoted) ON \(layout.table)(\(list));"
    }
  }

  static func literal(_ value: Value) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): "\(number)"
    case .text(let text): text.literal
    case .blob(let bytes): "x'\(Hexadecimal.text(bytes))'"
    }
  }
}
