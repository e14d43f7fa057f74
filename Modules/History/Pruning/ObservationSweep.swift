import StrandlineModels
import StrandlineStorage

/// Takes away what was observed of pruned transactions, and old events.
extension ReadTransaction {
  /// The latest delivery of each peer, report of each device and place of each consumer stay.
  func sweepObservations() throws {
    try connection.run(
      """
      DELETE FROM strandline_delivery AS d WHERE sequence <= ? AND sequence < (
        SELECT max(sequence) FROM strandline_delivery WHERE peer = d.peer)
      """, [.integer(try prunedSequence())])
    try connection.run(
      """
      DELETE FROM strandline_receipt AS r WHERE position < (
          SELECT min(position) FROM strandline_delivery WHERE peer = r.peer)
        AND position < (
          SELECT max(position) FROM strandline_receipt WHERE peer = r.peer AND device = r.device)
      """)
    try connection.run(
      """
      DELETE FROM strandline_consumption AS c WHERE sequence <= ? AND sequence < (
        SELECT max(sequence) FROM strandline_consumption WHERE consumer = c.consumer)
      """, [.integer(try prunedSequence())])
  }

  /// The latest event of each peer and kind stays, and the latest that succeeded, since they tell
  /// how things stand.
  func sweepEvents(before time: Int64) throws {
    try connection.run(
      """
      DELETE FROM strandline_event AS e WHERE started < ? AND \(Self.isSuperseded)
      """, [.integer(time)])
  }
}
