import StrandlineModels

/// The names that tables and columns bear while a migration runs.
///
/// A name that is given up and taken by another in one step, as when two are swapped, first
/// becomes a name that nothing else has.
enum MovingNames {
  static func table(_ old: Entity, in catalog: Catalog) -> String {
    let isTaken = catalog.layouts.contains {
      $0.entity.key != old.key && $0.entity.name.lowercased() == old.name.lowercased()
    }
    return isTaken ? "strandline_moving_\(old.key)" : old.name
  }

  static func column(_ old: Property, of pair: Migration.Pair) -> String {
    let isTaken = pair.layout.columns.contains {
      $0.property.key != old.key && $0.property.name.lowercased() == old.name.lowercased()
    }
    return isTaken ? "strandline_moving_\(old.key)" : old.name
  }
}

extension Migration {
  /// Gives tables and columns their new names; SQLite corrects what refers to them.
  ///
  /// It refuses to where a view or trigger of the person's own is broken already. Those are then
  /// taken away first.
  func rename(_ pairs: [Pair], own: OwnObjects) throws {
    let statements = renamings(pairs)
    guard !statements.isEmpty else { return }
    try connection.execute("SAVEPOINT renaming")
    do {
      for sql in statements { try connection.execute(sql) }
    } catch {
      guard error.isAboutTheSchema, connection.isInTransaction, !own.isEmpty else { throw error }
      try connection.execute("ROLLBACK TO renaming")
      try own.takeAway()
      for sql in statements { try connection.execute(sql) }
    }
    try connection.execute("RELEASE renaming")
  }

  private func renamings(_ pairs: [Pair]) -> [String] {
    var away: [String] = []
    var into: [String] = []
    func move(
      _ old: String, via moving: String, to new: String?, _ rename: (String, String) -> String
    ) {
      if moving != old { away.append(rename(old, moving)) }
      if let new, new != moving { into.append(rename(moving, new)) }
    }
    for old in previous?.entities ?? [] {
      // A name that differs in case alone is taken, as SQLite sees it.
      let new = catalog.layout(key: old.key)?.entity.name
      let isRecased = new.map { $0 != old.name && $0.lowercased() == old.name.lowercased() }
      let moving =
        isRecased == true ? "strandline_moving_\(old.key)" : MovingNames.table(old, in: catalog)
      move(old.name, via: moving, to: new) {
        "ALTER TABLE \($0.quoted) RENAME TO \($1.quoted)"
      }
    }
    let tables = away + into
    away = []
    into = []
    for pair in pairs {
      for old in pair.old.properties {
        let new = pair.layout.index(ofKey: old.key).map { pair.layout.columns[$0].property.name }
        move(old.name, via: MovingNames.column(old, of: pair), to: new) {
          "ALTER TABLE \(pair.layout.table) RENAME COLUMN \($0.quoted) TO \($1.quoted)"
        }
      }
    }
    return tables + away + into
  }

  /// Refuses a model whose tables or columns need names that others gave to something.
  func refuseTakenNames(_ pairs: [Pair], _ new: [EntityLayout]) throws {
    let known = Set(previous?.entities.map { $0.name.lowercased() } ?? [])
    for name in (new + pairs.map(\.layout)).map(\.entity.name)
    where !known.contains(name.lowercased()) {
      let other = try connection.first(
        "SELECT type FROM sqlite_schema WHERE lower(name) = ?", [.text(name.lowercased())]
      ) { $0.text(0) }
      if let other { throw Self.nameTaken(name, by: "a \(other)") }
    }
    for pair in pairs {
      let own = Set(pair.old.properties.map { $0.name.lowercased() } + ["id"])
      let strangers = try connection.map("PRAGMA table_xinfo(\(pair.old.name.quoted))") {
        $0.text(1)
      }.filter { !own.contains($0.lowercased()) }
      for column in pair.layout.columns
      where strangers.contains(where: { $0.lowercased() == column.property.name.lowercased() }) {
        throw Self.nameTaken(
          "\(pair.layout.entity.name).\(column.property.name)", by: "a column")
      }
    }
  }

  private static func nameTaken(_ name: String, by other: String) -> StorageError {
    StorageError(
      .nameTaken,
      "Could not bring the store to the new model, \(other) that is not Strandline's has the name "
        + "\(name).",
      advice: "Rename it with a SQLite tool, or give the model another name.")
  }
}

extension StorageError {
  /// Whether SQLite refused a statement for what the schema says, rather than for want of space,
  /// of a lock or of a readable disk.
  var isAboutTheSchema: Bool { context["sqlite"] == "1" }
}
