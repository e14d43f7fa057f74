import StrandlineModels

/// The parts of the capture triggers that keep earlier values, where the model asks for them.
///
/// A deleted record's values and the values that an update replaces are kept beside the log row
/// of the change, in plain SQL, so that every SQLite client's changes are kept alike.
///
/// `INSERT OR REPLACE` without recursive triggers takes the old row away unseen: no delete trigger
/// fires, and an `AFTER INSERT` trigger comes too late. So a `BEFORE INSERT` trigger lays a copy
/// of a row with the same id aside, at sequence 0, and the `AFTER INSERT` trigger uses it if the
/// record turns out to have been replaced. A `BEFORE INSERT` fires for rows that `OR IGNORE` then
/// skips as well. A copy that is left says nothing: a living record is only replaced where a row
/// had its id, and then the trigger has just laid a new copy aside, in the place of the old one.
enum PreservedSQL {
  /// What a trigger has just written has the greatest sequence: nothing comes between.
  private static let latest = "(SELECT max(sequence) FROM strandline_log)"

  static func columns(_ layout: EntityLayout) -> [EntityLayout.Column] {
    layout.columns.filter(\.property.isPreserved)
  }

  /// Keeps what an update of one bank's properties replaced.
  static func afterUpdate(
    _ layout: EntityLayout, bank: Int, changed: (EntityLayout.Column) -> String
  ) -> String {
    let columns = columns(layout)
    guard !columns.isEmpty else { return "" }
    let own = columns.filter { $0.bank == bank }
    let rows = own.map { old($0) + " WHERE \(changed($0))" }
    return keep(rows, of: layout, if: "id = new.id")
  }

  /// Keeps a deleted record's values; the shadow row still says that it lives.
  static func afterDelete(_ layout: EntityLayout) -> String {
    let banks = Dictionary(grouping: columns(layout), by: \.bank)
    return banks.sorted { $0.key < $1.key }.map { _, columns in
      keep(columns.map(old), of: layout, if: "id = old.id AND born > died")
    }.joined()
  }

  private static func old(_ column: EntityLayout.Column) -> String {
    "SELECT \(column.property.key.literal) AS property, old.\(column.name) AS value"
  }

  private static func keep(
    _ rows: [String], of layout: EntityLayout, if condition: String
  ) -> String {
    guard !rows.isEmpty else { return "" }
    return """

        INSERT INTO strandline_preserved(sequence, property, value)
          SELECT \(latest), p.property, p.value
          FROM (\(rows.joined(separator: "\n        UNION ALL "))) AS p
          WHERE EXISTS (SELECT 1 FROM \(layout.shadow) WHERE \(condition));
      """
  }

  // MARK: Rows that INSERT OR REPLACE takes away

  private static let dropCopy = "\n  DELETE FROM strandline_preserved WHERE sequence = 0;"

  /// The trigger that lays the copy aside; nil where the model keeps nothing of the entity.
  ///
  /// It runs only where a row has the id already.
  static func beforeInsert(_ layout: EntityLayout, named name: String) -> String? {
    let columns = columns(layout)
    guard !columns.isEmpty else { return nil }
    let copies = ([(place(layout, nil), "id")] + columns.map { (place(layout, $0), $0.name) })
      .map { place, column in
        """

          INSERT INTO strandline_preserved(sequence, property, value)
            SELECT 0, \(place), e.\(column) FROM \(layout.table) AS e WHERE e.id = new.id;
        """
      }
    return """
      CREATE TRIGGER \(name) BEFORE INSERT ON \(layout.table)
      WHEN EXISTS (SELECT 1 FROM \(layout.table) WHERE id = new.id) BEGIN\(dropCopy)\(copies.joined())
      END;
      """
  }

  /// Keeps what a replaced row held, after the log row of one bank; the shadow row is as before.
  static func afterReplace(_ layout: EntityLayout, bank: Int) -> String {
    let columns = columns(layout).filter { $0.bank == bank }
    guard !columns.isEmpty else { return "" }
    let prefix = "\(layout.number)/"
    return """

        INSERT INTO strandline_preserved(sequence, property, value)
          SELECT \(latest), substr(p.property, \(prefix.count + 1)), p.value
          FROM strandline_preserved AS p CROSS JOIN \(layout.shadow) AS s ON s.id = new.id
          WHERE p.sequence = 0 AND s.born > s.died
            AND p.property IN (\(columns.map { place(layout, $0) }.joined(separator: ", ")))
            AND new.id IS (SELECT value FROM strandline_preserved
              WHERE sequence = 0 AND property = \(place(layout, nil)));
      """
  }

  /// Where the copy of a value stands; without a column, that of the id.
  ///
  /// No key has a slash.
  private static func place(_ layout: EntityLayout, _ column: EntityLayout.Column?) -> String {
    "\(layout.number)/\(column?.property.key ?? "")".literal
  }
}
