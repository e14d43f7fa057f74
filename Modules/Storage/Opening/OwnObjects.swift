import StrandlineModels

/// Indexes, views and triggers that the person made with plain SQL.
///
/// SQLite corrects them where something is renamed. Where a column or table goes or is made anew
/// they are taken away and made again. What cannot be made again, since it uses what is no longer
/// there, is kept as SQL text in the store, is listed by the checkup, and is tried again when the
/// model changes the next time.
final class OwnObjects {
  /// One definition.
  package struct Definition: Hashable, Sendable {
    package let type: String
    package let name: String
    package let sql: String

    fileprivate var key: String { OwnObjects.prefix + type + "." + name }
  }

  /// The names in the table of facts under which definitions are kept that cannot be used now.
  static let prefix = "own_object."

  private let connection: Connection
  /// As they were before the migration.
  private let originals: [Definition]
  private var away: [Definition] = []

  init(connection: Connection) throws {
    self.connection = connection
    originals = try Self.present(connection)
  }

  var isEmpty: Bool { originals.isEmpty }

  private static func present(_ connection: Connection) throws -> [Definition] {
    // Views may read views and triggers stand on them, so the order of making is kept.
    try connection.map(
      """
      SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'view', 'trigger')
        AND sql IS NOT NULL AND name NOT LIKE 'strandline\\_%' ESCAPE '\\'
      ORDER BY CASE type WHEN 'index' THEN 0 WHEN 'view' THEN 1 ELSE 2 END, rowid
      """
    ) { Definition(type: $0.text(0), name: $0.text(1), sql: $0.text(2)) }
  }

  /// Those that could not be made again.
  static func kept(_ connection: Connection) throws -> [Definition] {
    try connection.map(
      "SELECT key, value FROM strandline_meta WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key",
      [.text(prefix)]
    ) { row in
      let parts = row.text(0).dropFirst(prefix.count).split(separator: ".", maxSplits: 1)
      return Definition(
        type: String(parts.first ?? ""), name: String(parts.last ?? ""), sql: row.text(1))
    }
  }

  /// Takes them away, so that SQLite can change what they use.
  func takeAway() throws {
    guard away.isEmpty else { return }
    away = try Self.present(connection)
    // A view's triggers go with it, so that triggers are dropped first.
    for object in away.reversed() {
      try connection.execute("DROP \(object.type) IF EXISTS \(object.name.quoted)")
    }
  }

  /// Makes them again, and those that were kept from an earlier migration.
  func putBack(for layouts: [EntityLayout]) throws {
    // A trigger that does not run is not tried either.
    connection.setTriggers(true)
    let earlier = try Self.kept(connection)
    for object in away + earlier.filter({ old in !away.contains { $0.name == old.name } }) {
      if try make(object, for: layouts) {
        try connection.run("DELETE FROM strandline_meta WHERE key = ?", [.text(object.key)])
      } else {
        try keep(originals.first { $0.name == object.name } ?? object)
      }
    }
  }

  private func keep(_ object: Definition) throws {
    try connection.run(
      "INSERT INTO strandline_meta(key, value) VALUES (?, ?) "
        + "ON CONFLICT DO UPDATE SET value = excluded.value",
      [.text(object.key), .text(object.sql)])
  }

  /// Makes one and tries whether it can be used; false where the schema does not allow it.
  private func make(_ object: Definition, for layouts: [EntityLayout]) throws -> Bool {
    try connection.execute("SAVEPOINT own_object")
    do {
      try connection.execute(object.sql)
      for sql in trials(of: object, for: layouts) { try connection.execute(sql) }
      try connection.execute("RELEASE own_object")
      return true
    } catch {
      guard error.isAboutTheSchema, connection.isInTransaction else { throw error }
      try connection.execute("ROLLBACK TO own_object; RELEASE own_object")
      return false
    }
  }

  /// SQLite looks into a view or trigger only when it is used; a trigger that cannot be used
  /// would let every save fail.
  private func trials(of object: Definition, for layouts: [EntityLayout]) -> [String] {
    switch object.type {
    case "view": ["SELECT 1 FROM \(object.name.quoted) LIMIT 0"]
    case "trigger":
      layouts.flatMap { layout in
        let sets = layout.columns.map { ", \($0.name) = \($0.name)" }.joined()
        return [
          "EXPLAIN DELETE FROM \(layout.table)",
          "EXPLAIN UPDATE \(layout.table) SET id = id\(sets)",
          "EXPLAIN INSERT INTO \(layout.table)(id) VALUES ('x')",
        ]
      }
    default: []
    }
  }
}
