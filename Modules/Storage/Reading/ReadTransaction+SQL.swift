package import StrandlineModels

extension ReadTransaction {
  /// The rows of a statement that somebody typed, with the names of their columns.
  ///
  /// Run it on a reader's connection, which cannot write.
  package func table(of sql: String) throws -> (columns: [String], rows: [[Value]]) {
    var columns: [String] = []
    var rows: [[Value]] = []
    try connection.forEach(sql) { row in
      if columns.isEmpty { columns = (0..<row.count).map(row.name) }
      rows.append(row.values)
    }
    return (columns, rows)
  }
}
