/// The SQL that reads and writes one whole record of an entity.
///
/// An import or export runs it for each record, where putting the text together takes longer than
/// running it, so that is done once for a layout.
struct RecordStatements: Sendable {
  /// Reads a record's life, whether it has a row, and for each column its stamp and its value.
  let select: String
  /// Writes a new row of the shadow table: the id, the life, a stamp for each column.
  let insertShadow: String
  /// Writes a new record: the id and a value for each column.
  let insertRow: String
  /// Removes a record's row.
  let deleteRow: String

  init(table: String, shadow: String, columns: [EntityLayout.Column]) {
    let pairs = columns.map { ", s.\($0.stampColumn), e.\($0.name)" }.joined()
    let stamps = columns.map { ", " + $0.stampColumn }.joined()
    let names = columns.map { ", " + $0.name }.joined()
    let marks = String(repeating: ", ?", count: columns.count)
    select =
      "SELECT s.born, s.died, s.deleted, e.id IS NOT NULL\(pairs) FROM \(shadow) AS s "
      + "LEFT JOIN \(table) AS e ON e.id = s.id WHERE s.id = ?"
    insertShadow =
      "INSERT INTO \(shadow)(id, born, died, deleted\(stamps)) VALUES (?, ?, ?, ?\(marks))"
    insertRow = "INSERT INTO \(table)(id\(names)) VALUES (?\(marks))"
    deleteRow = "DELETE FROM \(table) WHERE id = ?"
  }
}
