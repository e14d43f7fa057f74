package import StrandlineModels
package import StrandlineStorage

/// The places in the log that history knows of.
extension ReadTransaction {
  private static let prunedKey = "historyPruned"
  private static let prunedStampKey = "historyPrunedStamp"

  /// The sequence up to which history was pruned; 0 where it never was.
  package func prunedSequence() throws -> Int64 {
    try connection.integer(
      "SELECT value FROM strandline_meta WHERE key = ?", [.text(Self.prunedKey)])
  }

  /// Whether the log still tells of every change after a sequence.
  ///
  /// The rows of births and deaths that pruning leaves are older than the changes that are gone.
  func tellsAll(after sequence: Int64) throws -> Bool {
    try sequence >= prunedSequence() && hasLog(after: sequence)
  }

  /// The greatest stamp of a change that was pruned; unset where none was.
  package func prunedStamp() throws -> Stamp {
    Stamp(
      rawValue: try connection.integer(
        "SELECT value FROM strandline_meta WHERE key = ?", [.text(Self.prunedStampKey)]))
  }

  /// Moves the place up to which history is gone.
  func setPrunedSequence(_ sequence: Int64) throws {
    let stamp = try connection.integer(
      "SELECT max(stamp) FROM strandline_log WHERE sequence > ? AND sequence <= ?",
      [.integer(try prunedSequence()), .integer(sequence)])
    try setNumber(max(stamp, try prunedStamp().rawValue), for: Self.prunedStampKey)
    try setNumber(sequence, for: Self.prunedKey)
  }

  /// Keeps a number in the store's own table.
  func setNumber(_ number: Int64, for key: String) throws {
    try connection.run(
      """
      INSERT INTO strandline_meta(key, value) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value
      """, [.text(key), .integer(number)])
  }

  /// Refuses a place that history does not reach.
  ///
  /// - Throws: `historyExpired` behind what was pruned; `tokenBeyondHistory` beyond the end.
  func checkPlace(_ sequence: Int64) throws {
    if try sequence < prunedSequence() { throw HistoryError.expired }
    if try sequence > sealedHead()?.sequence ?? 0 { throw HistoryError.beyond }
  }

  /// Whether any earlier value is kept; a store of format 1 that is only read has no table of them.
  func holdsPreservedValues() throws -> Bool {
    let tables = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'strandline_preserved'")
    return try tables > 0
      && connection.integer("SELECT EXISTS (SELECT 1 FROM strandline_preserved)") == 1
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
