import StrandlineModels
package import StrandlineStorage

/// The places in the log that history knows of.
extension ReadTransaction {
  private static let prunedKey = "historyPruned"

  /// The sequence up to which history was pruned; 0 where it never was.
  package func prunedSequence() throws -> Int64 {
    try connection.integer(
      "SELECT value FROM strandline_meta WHERE key = ?", [.text(Self.prunedKey)])
  }

  func setPrunedSequence(_ sequence: Int64) throws {
    try connection.run(
      """
      INSERT INTO strandline_meta(key, value) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value
      """, [.text(Self.prunedKey), .integer(sequence)])
  }

  /// Refuses a place that history does not reach.
  ///
  /// - Throws: `historyExpired` behind what was pruned; `tokenBeyondHistory` beyond the end.
  func checkPlace(_ sequence: Int64) throws {
    if try sequence < prunedSequence() { throw HistoryError.expired }
    if try sequence > sealedHead()?.sequence ?? 0 { throw HistoryError.beyond }
  }

  /// The earlier values beside a log row, by permanent key.
  func preservedValues(at sequence: Int64) throws -> [String: Value] {
    let pairs = try connection.map(
      "SELECT property, value FROM strandline_preserved WHERE sequence = ?", [.integer(sequence)]
    ) { ($0.text(0), $0.value(1)) }
    return Dictionary(pairs) { first, _ in first }
  }

  /// The number of an entity by its name in the model, or by its permanent key.
  func entityNumber(named name: String) throws -> Int64 {
    if catalog.schema[name] != nil { return try catalog.layout(named: name).number }
    let number = try connection.first(
      "SELECT number FROM strandline_entity WHERE key = ?", [.text(name)]
    ) { $0.integer(0) }
    guard let number else { throw StorageError.unknownEntity(name) }
    return number
  }
}
