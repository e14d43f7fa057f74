import StrandlineModels
import StrandlineStorage

/// Reads transactions out of the log.
package struct HistoryReader {
  let transaction: ReadTransaction
  let store: String
  let process: Int64

  private struct Head {
    var first: Int64
    var last: Int64
    var origin: Int64
    var process: Int64
    var author: String?
    var context: String?
    var time: Int64
  }

  private static let columns = "first, last, origin, process, author, context, time"

  func transactions(after sequence: Int64, limit: Int) throws -> [HistoryTransaction] {
    try transaction.checkPlace(sequence)
    let heads = try transaction.connection.map(
      "SELECT \(Self.columns) FROM strandline_transaction WHERE last > ? ORDER BY last LIMIT ?",
      [.integer(sequence), .integer(Int64(limit))], Self.head)
    let reader = try ChangeReader(transaction: transaction)
    return try heads.map { try read($0, try reader.changes(in: $0.first...$0.last)) }
  }

  /// The latest transactions that changed one record; the cost follows that record's changes.
  func transactions(
    of record: RecordID, in entity: String?, limit: Int
  ) throws -> [HistoryTransaction] {
    let number = try entity.map { try transaction.entityNumber(named: $0) }
    let heads = try transaction.connection.map(
      Self.recordSQL,
      [
        record.value, .init(number), .integer(try transaction.prunedSequence()),
        .integer(Int64(limit)),
      ], Self.head)
    let ascending = Array(heads.reversed())
    let changes = try ChangeReader(transaction: transaction)
      .changes(of: record, in: number, within: ascending.map { $0.first...$0.last })
    return try zip(ascending, changes).map { try read($0, $1) }
  }

  /// The transaction of a row is the first that ends at it or beyond.
  package static let recordSQL = """
    SELECT \(columns) FROM strandline_transaction WHERE last > ?3 AND last IN (
      SELECT (SELECT min(last) FROM strandline_transaction WHERE last >= l.sequence)
      FROM strandline_log AS l WHERE l.record = ?1 AND (?2 IS NULL OR l.entity = ?2)
        AND l.sequence > ?3)
    ORDER BY last DESC LIMIT ?4
    """

  private static func head(_ row: Row) -> Head {
    Head(
      first: row.integer(0), last: row.integer(1), origin: row.integer(2),
      process: row.integer(3), author: row.optionalText(4), context: row.optionalText(5),
      time: row.integer(6))
  }

  private func read(_ head: Head, _ changes: [HistoryChange]) throws -> HistoryTransaction {
    HistoryTransaction(
      token: HistoryToken(store: store, sequence: head.last), author: head.author,
      context: head.context, time: head.time, origin: try origin(head), changes: changes)
  }

  private func origin(_ head: Head) throws -> HistoryTransaction.Origin {
    switch head.origin {
    case 0: head.process == process ? .thisProcess : .anotherProcess
    case -1: .anotherClient
    default: .imported(from: try transaction.peer(head.origin)?.specification ?? "forgotten")
    }
  }
}
