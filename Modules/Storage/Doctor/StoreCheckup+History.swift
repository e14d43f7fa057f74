extension StoreCheckup {
  /// Whether the transactions of history follow each other without a gap and without overlapping.
  func checkTransactions() throws -> CheckupFinding {
    let broken = try connection.integer(
      """
      SELECT count(*) FROM (
        SELECT first, last, lag(last) OVER (ORDER BY id) AS previous FROM strandline_transaction)
      WHERE first > last OR previous IS NOT NULL AND first <> previous + 1
      """)
    let ahead = try connection.integer(
      """
      SELECT coalesce(max(last), 0) > coalesce(
        (SELECT seq FROM sqlite_sequence WHERE name = 'strandline_log'), 0)
      FROM strandline_transaction
      """)
    guard broken + ahead > 0 else {
      return .ok("transactions", "The transactions of history follow each other without a gap.")
    }
    return CheckupFinding(
      "transactions", .problem,
      "\(CheckupFinding.count(broken, "transaction does", "transactions do")) not begin where the "
        + "one before ends" + (ahead > 0 ? ", and the last one is ahead of the log." : "."),
      cure: "Another program wrote to Strandline's own tables. Restore a backup, or sync into a "
        + "new store.")
  }

  /// Whether each row of the log stands in a transaction, but for what waits to be sealed.
  func checkLog() throws -> CheckupFinding {
    let lost = try connection.integer(
      """
      SELECT count(*) FROM strandline_log AS l
      WHERE l.sequence <= (SELECT coalesce(max(last), 0) FROM strandline_transaction)
        AND NOT EXISTS (SELECT 1 FROM strandline_transaction AS t
          WHERE t.last = (SELECT min(last) FROM strandline_transaction WHERE last >= l.sequence)
            AND t.first <= l.sequence)
      """)
    let strangers = try connection.integer(
      """
      SELECT count(*) FROM strandline_log
      WHERE entity NOT IN (SELECT number FROM strandline_entity) OR kind NOT BETWEEN 1 AND 5
      """)
    guard lost + strangers == 0 else {
      return CheckupFinding(
        "log", .problem,
        "\(CheckupFinding.count(lost, "change stands", "changes stand")) in no transaction, and "
          + "\(CheckupFinding.count(strangers, "change is", "changes are")) of no known kind.",
        cure: "Another program wrote to Strandline's own tables. Restore a backup, or sync into a "
          + "new store.")
    }
    let unsealed = try connection.integer(
      """
      SELECT count(*) FROM strandline_log
      WHERE sequence > (SELECT coalesce(max(last), 0) FROM strandline_transaction)
      """)
    return .ok(
      "log",
      unsealed == 0
        ? "Every change stands in a transaction."
        : "\(CheckupFinding.count(unsealed, "change")) of other programs will become a "
          + "transaction with the next save.")
  }
}
