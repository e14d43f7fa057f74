package import StrandlineModels

// Stamps from the future (C15). While a device's clock was ahead, its changes took stamps that
// would win until that time comes, and its own later changes must be greater still. Once the
// clock is right, all stamps beyond what a zone takes are replaced at once, everywhere in the
// store: by new ones in the same order, above the present time and above every stamp that stays.
//
// Since the order of all stamps is kept, so is every rule about them: the name of a record's life
// changes together with everything that says it, a null stamp still equals the birth, and the log
// tells what the shadow tells. No log row is written, so history, contexts and live queries see no
// change.
//
// What a zone has taken already cannot be renamed: others know the life by its old name, and would
// take the new one for an earlier life. Nothing is replaced then, and the zone that refuses it has
// to wait until the time has come; the other zone let in what it should not have.
extension ReadTransaction {
  /// What became of the stamps beyond a bound.
  package enum StampReplacement: Hashable, Sendable {
    /// They were replaced, so many.
    case replaced(Int)
    /// There were none.
    case none
    /// A peer has taken some of them, or sent them: its specification.
    case shared(String)
  }

  /// Replaces all stamps beyond a bound by fresh ones, in their order.
  ///
  /// - Parameters:
  ///   - bound: The greatest stamp that stays.
  ///   - now: The time of day, which was found to be right, in milliseconds since 1970.
  ///   - isJudged: Whether somebody else's clock agrees with this one. Without that, what came
  ///     from a folder counts as right: this clock may be the one that is behind.
  /// - Returns: What was done.
  /// - Throws: Errors of the store.
  package func replaceStamps(
    beyond bound: Stamp, now: Int64, isJudged: Bool
  ) throws -> StampReplacement {
    if let peer = try peerKnowing(stampsBeyond: bound, isJudged: isJudged) {
      return .shared(peer.specification)
    }
    let columns = StampColumns(catalog: catalog)
    let kept = try connection.integer(columns.greatest(upTo: bound))
    let (seen, salt) =
      try connection.first("SELECT seen, salt FROM strandline_clock") {
        ($0.stamp(0), UInt16(truncatingIfNeeded: $0.integer(1)))
      } ?? (.unset, 0)
    var clock = HybridClock(seen: Stamp(rawValue: kept), salt: salt)
    let first = clock.mint(now: now)
    let count = try number(columns, beyond: bound, from: first)
    if count > 0 {
      try offerAgain(whatIsBeyond: bound)
      for column in columns.all { try connection.run(column.replacement, [bound.value]) }
      try connection.run("DELETE FROM temp.strandline_replaced")
    }
    guard seen > bound || count > 0 else { return .none }
    let last = count > 0 ? first.rawValue + Int64(count) - 1 : kept
    try connection.run("UPDATE strandline_clock SET seen = ?", [.integer(last)])
    try connection.run(
      "UPDATE strandline_meta SET value = min(value, ?) WHERE key = 'historyPrunedStamp'",
      [.integer(last)])
    return count > 0 ? .replaced(count) : .none
  }

  /// Gives each distinct stamp beyond the bound its new one.
  ///
  /// - Returns: How many there are.
  private func number(
    _ columns: StampColumns, beyond bound: Stamp, from first: Stamp
  ) throws -> Int {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS strandline_replaced(
        old INTEGER PRIMARY KEY, new INTEGER NOT NULL)
      """)
    try connection.run("DELETE FROM temp.strandline_replaced")
    for column in columns.all {
      try connection.run(
        """
        INSERT INTO temp.strandline_replaced(old, new) SELECT DISTINCT \(column.name), 0
        FROM \(column.table) WHERE \(column.isBeyond) ON CONFLICT DO NOTHING
        """, [bound.value])
    }
    try connection.run(
      """
      UPDATE temp.strandline_replaced SET new = ?1 + n.place - 1 FROM (
        SELECT old, row_number() OVER (ORDER BY old) AS place FROM temp.strandline_replaced) AS n
      WHERE n.old = strandline_replaced.old
      """, [first.value])
    return Int(try connection.integer("SELECT count(*) FROM temp.strandline_replaced"))
  }

  /// Makes everything pending for the folders in which such a stamp may stand: whoever reads there
  /// leaves it alone, and gets the fresh one instead.
  private func offerAgain(whatIsBeyond bound: Stamp) throws {
    for var peer in try peers() where peer.isPublished {
      let stands = try connection.first(
        """
        SELECT 1 FROM strandline_log AS l \(Self.ofTransaction)
        WHERE l.stamp > ?1 AND (l.sequence <= ?2 OR t.origin = ?3) LIMIT 1
        """, [bound.value, .integer(peer.acknowledged), .integer(peer.id)]
      ) { _ in true }
      guard stands != nil else { continue }
      peer.offerEverything(upTo: try logHead())
      try update(peer)
    }
  }

  // MARK: What others know

  /// The peer that sent or holds a change that is stamped beyond a bound; nil for none.
  ///
  /// A zone knows what it has acknowledged. A folder's acknowledgement proves nothing, since its
  /// readers leave such a change alone; what another device has reported to have read counts.
  private func peerKnowing(stampsBeyond bound: Stamp, isJudged: Bool) throws -> PeerRow? {
    let own = try deviceID().description
    for peer in try peers() {
      let known =
        peer.isPublished
        ? try connection.integer(
          """
          SELECT coalesce(max(position), 0) FROM strandline_receipt
          WHERE peer = ? AND device <> ?
          """, [.integer(peer.id), .text(own)])
        : max(
          peer.acknowledged,
          try connection.integer(
            "SELECT coalesce(max(sequence), 0) FROM strandline_delivery WHERE peer = ?",
            [.integer(peer.id)]))
      let origin = peer.isPublished && isJudged ? 0 : peer.id
      // The row of what is parked has the clock's stamp and says nothing of the change.
      let found = try connection.first(
        """
        SELECT 1 FROM strandline_log AS l \(Self.ofTransaction)
        WHERE l.stamp > ?1 AND l.kind <> \(LogKind.parked.rawValue)
          AND (t.origin = ?3 AND ?3 > 0 OR l.sequence <= ?2 AND t.origin <> ?4) LIMIT 1
        """, [bound.value, .integer(known), .integer(origin), .integer(peer.id)]
      ) { _ in true }
      if found != nil { return peer }
    }
    return nil
  }

  private static let ofTransaction = """
    JOIN strandline_transaction AS t
      ON t.last = (SELECT min(last) FROM strandline_transaction WHERE last >= l.sequence)
    """
}

extension Stamp {
  fileprivate var value: Value { .integer(rawValue) }
}
