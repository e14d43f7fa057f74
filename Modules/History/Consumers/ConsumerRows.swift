import StrandlineModels
import StrandlineStorage

/// The consumers as they stand in the store.
extension ReadTransaction {
  /// The place of a consumer; nil where it never saved one.
  func consumerPlace(_ name: String) throws -> Int64? {
    try connection.first(
      "SELECT sequence FROM strandline_consumer WHERE name = ?", [.text(name)]
    ) { $0.integer(0) }
  }

  /// Saves a consumer's place, and that it has processed everything up to there.
  func noteProcessed(by name: String, upTo sequence: Int64, time: Int64) throws {
    try connection.run(
      """
      INSERT INTO strandline_consumption(consumer, sequence, time) VALUES (?, ?, ?)
      ON CONFLICT DO NOTHING
      """, [.text(name), .integer(sequence), .integer(time)])
    try saveConsumer(name, at: sequence, time: time)
  }

  func saveConsumer(_ name: String, at sequence: Int64, time: Int64) throws {
    try connection.run(
      """
      INSERT INTO strandline_consumer(name, sequence, updated) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET sequence = excluded.sequence, updated = excluded.updated
      """, [.text(name), .integer(sequence), .integer(time)])
  }

  func consumers(of store: String) throws -> [HistoryConsumer] {
    let pruned = try prunedSequence()
    return try connection.map(
      """
      SELECT name, sequence, updated,
        (SELECT count(*) FROM strandline_transaction WHERE last > max(c.sequence, ?))
      FROM strandline_consumer AS c ORDER BY name
      """, [.integer(pruned)]
    ) { row in
      HistoryConsumer(
        name: row.text(0), token: HistoryToken(store: store, sequence: row.integer(1)),
        savedAt: row.integer(2), behind: Int(row.integer(3)), isExpired: row.integer(1) < pruned)
    }
  }
}
