package import StrandlineModels

/// One activity of the engine as it stands in the event log.
package struct EventRow: Sendable, Hashable {
  package var id: Int64
  package var peer: Int64
  package var kind: String
  /// The opening of the store that began it.
  package var process: Int64
  package var started: Int64
  package var ended: Int64?
  package var succeeded: Bool?
  package var code: String?
  package var message: String?
  package var advice: String?
  package var records: Int
}

extension ReadTransaction {
  /// The event log keeps this many events.
  private static let eventLimit: Int64 = 2000

  /// Records that an activity began.
  ///
  /// - Returns: The event's number.
  package func beginEvent(peer: Int64, kind: String, process: Int64, at time: Int64) throws -> Int64
  {
    try connection.run(
      "INSERT INTO strandline_event(peer, kind, process, started) VALUES (?, ?, ?, ?)",
      [.integer(peer), .text(kind), .integer(process), .integer(time)])
    let id = try connection.integer("SELECT last_insert_rowid()")
    try connection.run(
      "DELETE FROM strandline_event WHERE id <= ?", [.integer(id - Self.eventLimit)])
    return id
  }

  /// Records how an activity ended.
  package func endEvent(
    _ id: Int64, at time: Int64, records: Int, error: (any ExplainedError)?
  ) throws {
    try connection.run(
      """
      UPDATE strandline_event SET ended = ?, succeeded = ?, code = ?, message = ?, advice = ?,
        records = ? WHERE id = ?
      """,
      [
        .integer(time), .integer(error == nil ? 1 : 0), .init(error?.codeName),
        .init(error?.message), .init(error?.advice), .integer(Int64(records)), .integer(id),
      ])
  }

  /// The latest events, newest first.
  package func events(limit: Int) throws -> [EventRow] {
    try connection.map(
      Self.eventSQL + " ORDER BY id DESC LIMIT ?", [.integer(Int64(limit))], Self.event)
  }

  /// The latest event of one peer.
  package func latestEvent(of peer: Int64) throws -> EventRow? {
    try connection.first(
      Self.eventSQL + " WHERE peer = ? ORDER BY id DESC LIMIT 1", [.integer(peer)], Self.event)
  }

  private static let eventSQL = """
    SELECT id, peer, kind, process, started, ended, succeeded, code, message, advice, records
    FROM strandline_event
    """

  private static func event(_ row: Row) -> EventRow {
    EventRow(
      id: row.integer(0), peer: row.integer(1), kind: row.text(2), process: row.integer(3),
      started: row.integer(4), ended: row.optionalInteger(5),
      succeeded: row.optionalInteger(6).map { $0 != 0 }, code: row.optionalText(7),
      message: row.optionalText(8), advice: row.optionalText(9), records: Int(row.integer(10)))
  }
}
