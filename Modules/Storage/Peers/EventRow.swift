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
  /// What there is to say beside the number of records; never the contents of any.
  package var detail: String?
}

/// What the engine and the store do, as the event log names it.
package enum EventKind: String, Sendable, CaseIterable {
  case setup
  case `import`
  case export
  /// Deletes from elsewhere were held, since they were too many at once.
  case hold
  /// Records were laid aside, since the cloud's copy counts in the first sync.
  case firstSync
  /// Everything is read and offered anew.
  case compare
  /// Values lost to concurrent ones and were kept.
  case conflict
  /// The store took a new identity, since it was put back or copied.
  case identity
  /// Stamps from the future were replaced.
  case stamps
  /// History that nobody needs was taken away.
  case prune
  /// The store was brought to another model or format.
  case migration
  /// What a transport keeps of this device was gathered.
  case compaction

  /// The phases of syncing, of which one at a time runs with a peer.
  package static let phases: [EventKind] = [.setup, .import, .export]

  /// The phases as a list in SQL.
  package static let phaseList = phases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
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
      "DELETE FROM strandline_event AS e WHERE id <= ? AND \(Self.isSuperseded)",
      [.integer(id - Self.eventLimit)])
    return id
  }

  /// Whether a row of the log, called e, is neither the latest of its peer and kind nor the latest
  /// of them that succeeded: those tell how things stand and are kept whatever their age.
  package static let isSuperseded = """
    EXISTS (SELECT 1 FROM strandline_event AS n WHERE n.peer = e.peer AND n.kind = e.kind
      AND n.id > e.id AND (n.succeeded = 1 OR e.succeeded IS NOT 1))
    """

  /// Records an activity that is over as it is told.
  package func recordEvent(
    _ kind: EventKind, peer: Int64 = 0, process: Int64, at time: Int64, records: Int = 0,
    detail: String? = nil
  ) throws {
    let id = try beginEvent(peer: peer, kind: kind.rawValue, process: process, at: time)
    try endEvent(id, at: time, records: records, error: nil, detail: detail)
  }

  /// Records how an activity ended.
  package func endEvent(
    _ id: Int64, at time: Int64, records: Int, error: (any ExplainedError)?,
    detail: String? = nil
  ) throws {
    try connection.run(
      """
      UPDATE strandline_event SET ended = ?, succeeded = ?, code = ?, message = ?, advice = ?,
        records = ?, detail = ? WHERE id = ?
      """,
      [
        .integer(time), .integer(error == nil ? 1 : 0), .init(error?.codeName),
        .init(error?.message), .init(error?.advice), .integer(Int64(records)), .init(detail),
        .integer(id),
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

  /// The latest event of one peer and kind.
  package func latestEvent(of peer: Int64, _ kind: EventKind) throws -> EventRow? {
    try connection.first(
      Self.eventSQL + " WHERE peer = ? AND kind = ? ORDER BY id DESC LIMIT 1",
      [.integer(peer), .text(kind.rawValue)], Self.event)
  }

  /// When the latest event of one peer and kind ended that succeeded.
  package func lastSuccess(of peer: Int64, _ kind: EventKind) throws -> Int64? {
    try connection.first(
      """
      SELECT ended FROM strandline_event WHERE peer = ? AND kind = ? AND succeeded = 1
      ORDER BY id DESC LIMIT 1
      """, [.integer(peer), .text(kind.rawValue)]
    ) { $0.optionalInteger(0) } ?? nil
  }

  private static let eventSQL = """
    SELECT id, peer, kind, process, started, ended, succeeded, code, message, advice, records,
      detail
    FROM strandline_event
    """

  private static func event(_ row: Row) -> EventRow {
    EventRow(
      id: row.integer(0), peer: row.integer(1), kind: row.text(2), process: row.integer(3),
      started: row.integer(4), ended: row.optionalInteger(5),
      succeeded: row.optionalInteger(6).map { $0 != 0 }, code: row.optionalText(7),
      message: row.optionalText(8), advice: row.optionalText(9), records: Int(row.integer(10)),
      detail: row.optionalText(11))
  }
}
