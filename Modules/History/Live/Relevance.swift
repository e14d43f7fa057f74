import StrandlineModels
import StrandlineStorage

/// Decides whether changes touch what a query shows.
///
/// A change is irrelevant if it is of another entity; if it is an update of properties that are
/// neither shown nor looked at by the condition and the order; or if the record was not shown and
/// does not meet the condition now. Everything else is taken for relevant: the decision may err
/// on that side only. Its cost follows the number of changes, never the number of records.
struct Relevance: Sendable {
  private let query: Query
  private let entity: Int64
  /// The properties that matter, by bank of the log's masks.
  private let masks: [Int: Int64]
  /// What subqueries look at in entities, by number; one that is not a key does not matter.
  private let others: [Int64: [Int: Int64]]
  /// Whether the condition looks at something of which the log tells nothing.
  private let readsBeyondRecords: Bool
  private let hasSubqueries: Bool

  /// More touched records than this are not looked at one by one, the query runs again.
  private static let candidateLimit = 500

  /// - Parameters:
  ///   - query: The query.
  ///   - properties: The properties that are shown; nil for all of them.
  ///   - transaction: A snapshot on which the condition is prepared, not run.
  /// - Throws: `unknownEntity`, `invalidQuery`.
  init(
    _ query: Query, showing properties: Set<String>?, in transaction: ReadTransaction
  ) throws {
    self.query = query
    let layout = try transaction.catalog.layout(named: query.entity)
    entity = layout.number
    let reads = try transaction.reads(of: query)
    hasSubqueries = reads.selects > 1
    var used = properties ?? Set(layout.columns.map(\.property.name))
    used.formUnion(reads.columns[query.entity] ?? [])
    masks = layout.masks(ofNames: used)
    var others: [Int64: [Int: Int64]] = [:]
    var readsBeyondRecords = false
    for (table, columns) in reads.columns where table != query.entity {
      if let other = transaction.catalog.layouts.first(where: { $0.entity.name == table }) {
        others[other.number] = other.masks(ofNames: columns)
      } else {
        readsBeyondRecords = true
      }
    }
    self.others = others
    self.readsBeyondRecords = readsBeyondRecords
  }

  /// Whether a range of the log touches the shown records, or brings one that belongs to them.
  ///
  /// - Returns: True where the log was pruned beyond the range's beginning, too.
  func isTouched(
    showing shown: Set<RecordID>, after sequence: Int64, upTo head: Int64,
    in transaction: ReadTransaction
  ) throws -> Bool {
    guard head > sequence else { return false }
    guard try transaction.tellsAll(after: sequence), !readsBeyondRecords else { return true }
    var isTouched = false
    var candidates: Set<RecordID> = []
    try transaction.connection.forEach(
      """
      SELECT entity, record, kind, properties, bank FROM strandline_log
      WHERE sequence > ? AND sequence <= ?
      """, [.integer(sequence), .integer(head)]
    ) { row in
      guard !isTouched, let kind = LogKind(rawValue: row.integer(2)) else { return }
      let change = Change(
        entity: row.integer(0), kind: kind, mask: row.integer(3), bank: Int(row.integer(4)))
      guard matters(change) else { return }
      if change.entity != entity || hasSubqueries {
        isTouched = true
      } else if let id = RecordID(row.value(1)) {
        if shown.contains(id) { isTouched = true } else { candidates.insert(id) }
      }
    }
    if isTouched || candidates.count > Self.candidateLimit { return true }
    return try transaction.hasRecord(among: candidates.sorted(), for: query)
  }

  private struct Change {
    let entity: Int64
    let kind: LogKind
    let mask: Int64
    let bank: Int
  }

  private func matters(_ change: Change) -> Bool {
    let wanted = change.entity == entity ? masks : others[change.entity]
    guard let wanted else { return false }
    switch change.kind {
    case .insert, .delete: return true
    case .update: return (wanted[change.bank] ?? 0) & change.mask != 0
    case .parked, .unknown: return false
    }
  }
}

extension ReadTransaction {
  /// What the condition and the order of a query look at.
  fileprivate func reads(of query: Query) throws -> StatementReads {
    let condition = query.condition.map { " WHERE (\($0)\n)" } ?? ""
    let order = query.order.map { " ORDER BY \($0)" } ?? ""
    let table = try catalog.layout(named: query.entity).table
    return try explaining(query) {
      try connection.reads(of: "SELECT 1 FROM \(table)\(condition)\(order)")
    }
  }

  /// Whether some of these records meet the condition of a query.
  fileprivate func hasRecord(among ids: [RecordID], for query: Query) throws -> Bool {
    try matches(of: query, among: ids, limit: 1).first != nil
  }

  /// Those of some records that meet the condition of a query, at most as many as a limit says.
  func matches(of query: Query, among ids: [RecordID], limit: Int? = nil) throws -> [Record] {
    var found: [Record] = []
    let condition = query.condition.map { " AND (\($0)\n)" } ?? ""
    var rest = ids[...]
    while !rest.isEmpty && found.count < limit ?? .max {
      let chunk = rest.prefix(Self.chunk)
      rest = rest.dropFirst(Self.chunk)
      let marks = Array(repeating: "?", count: chunk.count).joined(separator: ", ")
      // The ids come first, so that arguments are bound in the order of the text.
      found += try records(
        Query(
          query.entity, where: "id IN (\(marks))\(condition)",
          arguments: chunk.map(\.value) + query.arguments, limit: limit.map { $0 - found.count }))
    }
    return found
  }

  private static let chunk = 500
}

extension EntityLayout {
  /// The masks that stand for some properties by name, by bank.
  fileprivate func masks(ofNames names: Set<String>) -> [Int: Int64] {
    masks(of: columns.filter { names.contains($0.property.name) }.map(\.property.key))
  }
}
