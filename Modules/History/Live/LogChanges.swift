import StrandlineModels
import StrandlineStorage

/// The records that a range of the log touched.
///
/// It reads rows of the log and not transactions, so that what another SQLite client wrote counts
/// before it is sealed.
struct LogChanges {
  /// The touched records of entities that the model has, in a fixed order.
  let touched: [RecordIdentity]

  /// - Returns: Nil where the log was pruned beyond the range's beginning.
  static func read(
    after sequence: Int64, upTo head: Int64, in transaction: ReadTransaction
  ) throws -> LogChanges? {
    guard try transaction.tellsAll(after: sequence) else { return nil }
    var touched: Set<RecordIdentity> = []
    try transaction.connection.forEach(
      """
      SELECT DISTINCT entity, record FROM strandline_log
      WHERE sequence > ? AND sequence <= ?
        AND kind NOT IN (\(LogKind.parked.rawValue), \(LogKind.unknown.rawValue))
      """, [.integer(sequence), .integer(head)]
    ) { row in
      guard let layout = transaction.catalog.layout(number: row.integer(0)),
        let id = RecordID(row.value(1))
      else { return }
      touched.insert(RecordIdentity(layout.entity.name, id))
    }
    return LogChanges(touched: touched.sorted())
  }
}
