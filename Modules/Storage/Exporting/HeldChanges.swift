import StrandlineModels

// What is imported from one peer before the head of its zone is reached may show half of a
// transaction, so it is not passed on to another one (C27). A group for that one is sent without
// it and acknowledged beyond it; `strandline_held` has the imports that were left out, by the end
// of their transaction. They go out when the first peer's head is reached, or when that peer is
// no longer followed, since nothing would end the wait then.
extension ReadTransaction {
  /// Whether the transaction `t` is an import that is not passed on to the peer `?1` yet.
  static let isHeldSQL = """
    EXISTS (SELECT 1 FROM strandline_peer AS p WHERE p.id = t.origin AND p.id <> ?1
      AND p.followed AND p.held_after IS NOT NULL AND t.last > p.held_after)
    """

  /// Notes the imports beyond a sequence that a group for a peer leaves out.
  package func noteHeld(for peer: Int64, after sequence: Int64) throws {
    try connection.run(
      """
      INSERT INTO strandline_held(peer, last)
      SELECT ?1, t.last FROM strandline_transaction AS t WHERE t.last > ?2 AND \(Self.isHeldSQL)
      ON CONFLICT DO NOTHING
      """, [.integer(peer), .integer(sequence)])
  }

  /// Whether an import that is left out is not noted yet.
  package func hasHeldToNote(for peer: Int64, after sequence: Int64) throws -> Bool {
    try connection.first(
      """
      SELECT 1 FROM strandline_transaction AS t WHERE t.last > ?2 AND \(Self.isHeldSQL)
        AND NOT EXISTS (SELECT 1 FROM strandline_held WHERE peer = ?1 AND last = t.last) LIMIT 1
      """, [.integer(peer), .integer(sequence)]
    ) { _ in true } ?? false
  }

  /// The imports that were left out and may go to a peer now, by the end of their transaction.
  package func releasedImports(for peer: Int64) throws -> [Int64] {
    try connection.map(
      """
      SELECT t.last FROM strandline_held AS h JOIN strandline_transaction AS t ON t.last = h.last
      WHERE h.peer = ?1 AND NOT \(Self.isHeldSQL) ORDER BY t.last
      """, [.integer(peer)]
    ) { $0.integer(0) }
  }

  /// Takes back that imports were left out, since they were sent.
  package func clearHeld(for peer: Int64, _ imports: [Int64]) throws {
    for last in imports {
      try connection.run(
        "DELETE FROM strandline_held WHERE peer = ? AND last = ?",
        [.integer(peer), .integer(last)])
    }
  }

  /// The place in the log before the first import that was left out for a peer; nil for none.
  package func placeBeforeHeld(for peer: Int64) throws -> Int64? {
    try connection.first(
      """
      SELECT min(t.first) - 1 FROM strandline_held AS h
      JOIN strandline_transaction AS t ON t.last = h.last WHERE h.peer = ?
      """, [.integer(peer)]
    ) { $0.optionalInteger(0) } ?? nil
  }

  /// Whether a followed peer other than this one has a device in the middle of a long upload.
  package func isOtherZoneUploading(besides peer: Int64) throws -> Bool {
    try peers().contains { $0.id != peer && $0.isFollowed && $0.isZoneUploading }
  }

  /// Takes the log's next sequence for something to tell a peer that changed no record here.
  ///
  /// A group ends at a sequence that it alone has, so that a lost answer can be told from a
  /// group that never arrived.
  package func takeSequence(process: Int64, at time: Int64) throws {
    try connection.run(
      "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'strandline_log'")
    try connection.run(
      """
      INSERT INTO strandline_transaction(first, last, token, origin, process, context, time)
      SELECT seq, seq, ?, 0, ?, 'passed on', ? FROM sqlite_sequence
      WHERE name = 'strandline_log'
      """, [.integer(Int64.random(in: .min ... .max)), .integer(process), .integer(time)])
  }
}
