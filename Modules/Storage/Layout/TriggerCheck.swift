import StrandlineModels

/// Compares the triggers of a store with those that its model asks for.
///
/// Without a trigger, or with another one in its place, what people save would not be recorded.
struct TriggerCheck {
  let connection: Connection
  let catalog: Catalog

  /// A trigger that is not as it should be.
  struct Fault: Hashable {
    let name: String
    let entity: String
    let isMissing: Bool
  }

  func faults() throws -> [Fault] {
    let rows = try connection.map(
      "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'strandline\\_%' "
        + "ESCAPE '\\'"
    ) { $0.text(0) }
    let present = Set(rows)
    let beginnings = Set(rows.map(Self.beginning))
    return catalog.layouts.flatMap { layout in
      TriggerSQL.all(layout).map(Self.stored).filter { !present.contains($0) }.map { sql in
        Fault(
          name: Self.beginning(sql), entity: layout.entity.name,
          isMissing: !beginnings.contains(Self.beginning(sql)))
      }
    }
  }

  /// A definition as SQLite keeps it: without the last semicolon.
  private static func stored(_ sql: String) -> String {
    sql.hasSuffix(";") ? String(sql.dropLast()) : sql
  }

  /// The trigger's name, which stands in double quotes after the words that make it.
  private static func beginning(_ sql: String) -> String {
    let parts = sql.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count > 1 ? String(parts[1]) : sql
  }
}
