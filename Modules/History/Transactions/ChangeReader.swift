import StrandlineModels
import StrandlineStorage

/// Reads the changes of a range of the log, with the values that they took away.
package struct ChangeReader {
  private let transaction: ReadTransaction
  /// While nothing is preserved, nothing need be looked up.
  private let hasPreserved: Bool

  init(transaction: ReadTransaction) throws {
    self.transaction = transaction
    hasPreserved = try transaction.holdsPreservedValues()
  }

  /// A row of the log as a change, before rows of one writing are joined.
  private struct Entry {
    var sequence: Int64
    var bank: Int64
    var change: HistoryChange
  }

  /// All changes of a range.
  func changes(in range: ClosedRange<Int64>) throws -> [HistoryChange] {
    joined(
      try entries(
        """
        SELECT sequence, entity, record, kind, properties, bank, stamp FROM strandline_log
        WHERE sequence BETWEEN ? AND ? ORDER BY sequence
        """, [.integer(range.lowerBound), .integer(range.upperBound)])[...])
  }

  /// The changes of one record in each of some ranges, which ascend.
  ///
  /// Those of another entity's record of that id are left out where an entity is named.
  func changes(
    of record: RecordID, in entity: Int64?, within ranges: [ClosedRange<Int64>]
  ) throws -> [[HistoryChange]] {
    guard let first = ranges.first else { return [] }
    var rest = try entries(
      Self.recordSQL, [record.value, .init(entity), .integer(first.lowerBound)])[...]
    return ranges.map { range in
      rest = rest.drop { $0.sequence < range.lowerBound }
      let inside = rest.prefix { $0.sequence <= range.upperBound }
      rest = rest.dropFirst(inside.count)
      return joined(inside)
    }
  }

  package static let recordSQL = """
    SELECT sequence, entity, record, kind, properties, bank, stamp FROM strandline_log
    WHERE record = ?1 AND (?2 IS NULL OR entity = ?2) AND +sequence >= ?3 ORDER BY sequence
    """

  private func entries(_ sql: String, _ arguments: [Value]) throws -> [Entry] {
    try transaction.connection.map(sql, arguments) { row in
      try change(row).map {
        Entry(sequence: row.integer(0), bank: row.integer(5), change: $0)
      }
    }.compactMap(\.self)
  }

  /// A writing of more properties than a bank of the log's masks holds takes a row for each bank,
  /// in no certain order.
  private func joined(_ entries: ArraySlice<Entry>) -> [HistoryChange] {
    var changes: [HistoryChange] = []
    var banks: Set<Int64> = []
    for entry in entries {
      if let last = changes.last, last.continues(in: entry.change), !banks.contains(entry.bank) {
        changes[changes.count - 1] = last.joined(with: entry.change, in: transaction.schema)
      } else {
        changes.append(entry.change)
        banks = []
      }
      banks.insert(entry.bank)
    }
    return changes
  }

  private func change(_ row: Row) throws -> HistoryChange? {
    guard let id = RecordID(row.value(2)), let kind = LogKind(rawValue: row.integer(3)) else {
      return nil
    }
    let layout = transaction.catalog.layout(number: row.integer(1))
    let kindOfChange: HistoryChange.Kind
    var properties: [String] = []
    switch kind {
    case .insert:
      kindOfChange = .insert
      properties = layout?.columns.map(\.property.name) ?? []
    case .update:
      kindOfChange = .update
      let keys = Set(layout?.keys(in: row.integer(4), bank: Int(row.integer(5))) ?? [])
      properties =
        layout?.columns.filter { keys.contains($0.property.key) }.map(\.property.name) ?? []
    case .delete: kindOfChange = .delete
    case .unknown: kindOfChange = .update
    case .parked: return nil
    }
    return HistoryChange(
      entity: try layout?.entity.name ?? unknownKey(row.integer(1)), id: id, kind: kindOfChange,
      properties: properties, stamp: row.stamp(6), preserved: try preserved(row.integer(0), layout))
  }

  private func preserved(_ sequence: Int64, _ layout: EntityLayout?) throws -> [String: Value] {
    guard hasPreserved else { return [:] }
    let values = try transaction.preservedValues(at: sequence)
    guard !values.isEmpty else { return [:] }
    let named = values.map { key, value in
      (layout?.index(ofKey: key).map { layout?.columns[$0].property.name ?? key } ?? key, value)
    }
    return Dictionary(named) { first, _ in first }
  }

  private func unknownKey(_ entity: Int64) throws -> String {
    try transaction.connection.first(
      "SELECT key FROM strandline_entity WHERE number = ?", [.integer(entity)]
    ) { $0.text(0) } ?? ""
  }
}

extension HistoryChange {
  fileprivate func continues(in next: HistoryChange) -> Bool {
    kind == .update && next.kind == .update && entity == next.entity && id == next.id
  }

  fileprivate func joined(with next: HistoryChange, in schema: Schema) -> HistoryChange {
    let names = Set(properties + next.properties)
    return HistoryChange(
      entity: entity, id: id, kind: kind,
      properties: schema[entity]?.properties.map(\.name).filter(names.contains) ?? [],
      stamp: max(stamp, next.stamp),
      preserved: preserved.merging(next.preserved) { first, _ in first })
  }
}
