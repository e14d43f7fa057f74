import StrandlineModels
import StrandlineStorage

/// Reads transactions and their changes out of the log.
struct HistoryReader {
  let transaction: ReadTransaction
  let store: String
  let process: Int64

  private struct Head {
    var id: Int64
    var first: Int64
    var last: Int64
    var origin: Int64
    var process: Int64
    var author: String?
    var context: String?
    var time: Int64
  }

  private static let columns = "id, first, last, origin, process, author, context, time"

  func transactions(after sequence: Int64, limit: Int) throws -> [HistoryTransaction] {
    let first = try transaction.connection.integer(
      "SELECT coalesce(min(first), 0) FROM strandline_transaction")
    if first > sequence + 1 { throw HistoryError.expired }
    let heads = try transaction.connection.map(
      "SELECT \(Self.columns) FROM strandline_transaction WHERE last > ? ORDER BY id LIMIT ?",
      [.integer(sequence), .integer(Int64(limit))], Self.head)
    return try heads.map { try read($0, only: nil) }
  }

  func transactions(of record: RecordID, limit: Int) throws -> [HistoryTransaction] {
    let heads = try transaction.connection.map(
      """
      SELECT \(Self.columns) FROM strandline_transaction WHERE last IN (
        SELECT (SELECT min(last) FROM strandline_transaction WHERE last >= l.sequence)
        FROM strandline_log AS l WHERE l.record = ?)
      ORDER BY id DESC LIMIT ?
      """, [record.value, .integer(Int64(limit))], Self.head)
    return try heads.reversed().map { try read($0, only: record) }
  }

  private static func head(_ row: Row) -> Head {
    Head(
      id: row.integer(0), first: row.integer(1), last: row.integer(2), origin: row.integer(3),
      process: row.integer(4), author: row.optionalText(5), context: row.optionalText(6),
      time: row.integer(7))
  }

  private func read(_ head: Head, only record: RecordID?) throws -> HistoryTransaction {
    let filter = record == nil ? "" : " AND record = ?3"
    let changes = try transaction.connection.map(
      """
      SELECT entity, record, kind, properties, bank, stamp FROM strandline_log
      WHERE sequence BETWEEN ?1 AND ?2\(filter) ORDER BY sequence
      """, [.integer(head.first), .integer(head.last)] + (record.map { [$0.value] } ?? []),
      change)
    return HistoryTransaction(
      token: HistoryToken(store: store, sequence: head.last), author: head.author,
      context: head.context, time: head.time, origin: try origin(head),
      changes: changes.compactMap(\.self))
  }

  private func origin(_ head: Head) throws -> HistoryTransaction.Origin {
    switch head.origin {
    case 0: head.process == process ? .thisProcess : .anotherProcess
    case -1: .anotherClient
    default: .imported(from: try transaction.peer(head.origin)?.specification ?? "forgotten")
    }
  }

  private func change(_ row: Row) throws -> HistoryChange? {
    guard let id = RecordID(row.value(1)), let kind = LogKind(rawValue: row.integer(2)) else {
      return nil
    }
    let layout = transaction.catalog.layout(number: row.integer(0))
    let entity = try layout?.entity.name ?? unknownKey(row.integer(0))
    let kindOfChange: HistoryChange.Kind
    var properties: [String] = []
    switch kind {
    case .insert:
      kindOfChange = .insert
      properties = layout?.columns.map(\.property.name) ?? []
    case .update:
      kindOfChange = .update
      let keys = Set(layout?.keys(in: row.integer(3), bank: Int(row.integer(4))) ?? [])
      properties =
        layout?.columns.filter { keys.contains($0.property.key) }.map(\.property.name) ?? []
    case .delete: kindOfChange = .delete
    case .unknown: kindOfChange = .update
    case .parked: return nil
    }
    return HistoryChange(
      entity: entity, id: id, kind: kindOfChange, properties: properties, stamp: row.stamp(5))
  }

  private func unknownKey(_ entity: Int64) throws -> String {
    try transaction.connection.first(
      "SELECT key FROM strandline_entity WHERE number = ?", [.integer(entity)]
    ) { $0.text(0) } ?? ""
  }
}
