import CSQLite

/// What a statement reads, as SQLite itself sees it.
package struct StatementReads: Sendable {
  /// The columns, by table.
  package var columns: [String: Set<String>] = [:]
  /// How many `SELECT`s it consists of; more than one means subqueries.
  package var selects = 0
}

extension Connection {
  /// Tells what a statement would read, without running it.
  ///
  /// SQLite asks its authorizer for every column while it prepares a statement, in subqueries
  /// and behind quotes too, where a look at the text would err.
  package func reads(of sql: String) throws(StorageError) -> StatementReads {
    let collector = ReadCollector()
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, _, _ in
        guard let context else { return SQLITE_OK }
        let collector = Unmanaged<ReadCollector>.fromOpaque(context).takeUnretainedValue()
        collector.note(
          action, first.map { String(cString: $0) }, second.map { String(cString: $0) })
        return SQLITE_OK
      }, Unmanaged.passUnretained(collector).toOpaque())
    defer {
      sqlite3_set_authorizer(handle, nil, nil)
      withExtendedLifetime(collector) {}
    }
    _ = try Statement(sql, on: handle)
    return collector.reads
  }
}

private final class ReadCollector {
  var reads = StatementReads()

  func note(_ action: Int32, _ table: String?, _ column: String?) {
    switch action {
    case SQLITE_SELECT: reads.selects += 1
    case SQLITE_READ: if let table { reads.columns[table, default: []].insert(column ?? "") }
    default: break
    }
  }
}
