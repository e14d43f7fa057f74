import StrandlineModels
import StrandlineStorage

/// One row of the change log, with names in the place of numbers.
struct LoggedChange: Hashable, Sendable {
  var entity: String
  var id: RecordID
  var kind: LogKind
  var properties: Set<String> = []
  var stamp = Stamp.unset
  var sequence: Int64 = 0

  /// What it says, without when.
  var what: LoggedChange {
    LoggedChange(entity: entity, id: id, kind: kind, properties: properties)
  }
}

extension LoggedChange: CustomStringConvertible {
  var description: String {
    let list = properties.isEmpty ? "" : " " + properties.sorted().joined(separator: ",")
    return "\(kind) \(entity) \(id)\(list)"
  }

  static func insert(_ entity: String, _ id: String) -> LoggedChange {
    LoggedChange(entity: entity, id: RecordID(text: id), kind: .insert)
  }

  static func update(_ entity: String, _ id: String, _ properties: Set<String>) -> LoggedChange {
    LoggedChange(entity: entity, id: RecordID(text: id), kind: .update, properties: properties)
  }

  static func delete(_ entity: String, _ id: String) -> LoggedChange {
    LoggedChange(entity: entity, id: RecordID(text: id), kind: .delete)
  }
}

/// A record's life and stamps as the shadow table holds them.
struct ShadowRow: Hashable, Sendable {
  var born: Stamp
  var died: Stamp
  var deleted: Stamp
  /// By permanent key; what stands as null is the birth stamp here.
  var stamps: [String: Stamp]

  var isAlive: Bool { born > died }
  var greatest: Stamp { max(born, died, deleted, stamps.values.max() ?? .unset) }
}

/// One transaction of history.
struct TransactionRow: Hashable, Sendable {
  let first: Int64
  let last: Int64
  let origin: Int64
}

extension ReadTransaction {
  func logHead() throws -> Int64 {
    try connection.integer("SELECT coalesce(max(sequence), 0) FROM strandline_log")
  }

  func log(after sequence: Int64 = 0) throws -> [LoggedChange] {
    try connection.map(
      """
      SELECT entity, record, kind, properties, bank, stamp, sequence FROM strandline_log
      WHERE sequence > ? ORDER BY sequence
      """, [.integer(sequence)]
    ) { row in
      let layout = catalog.layout(number: row.integer(0))
      return LoggedChange(
        entity: layout?.entity.name ?? "unknown",
        id: RecordID(row.value(1)) ?? RecordID(text: "not an id"),
        kind: LogKind(rawValue: row.integer(2)) ?? .unknown,
        properties: Set(layout?.keys(in: row.integer(3), bank: Int(row.integer(4))) ?? []),
        stamp: row.stamp(5), sequence: row.integer(6))
    }
  }

  func shadows(_ entity: String) throws -> [RecordID: ShadowRow] {
    let layout = try catalog.layout(named: entity)
    let columns = layout.columns.map { ", coalesce(\($0.stampColumn), born)" }.joined()
    let rows = try connection.map(
      "SELECT id, born, died, deleted\(columns) FROM \(layout.shadow)"
    ) { row in
      let stamps = layout.columns.enumerated().map { ($1.property.key, row.stamp(4 + $0)) }
      return (
        RecordID(row.value(0)) ?? RecordID(text: "not an id"),
        ShadowRow(
          born: row.stamp(1), died: row.stamp(2), deleted: row.stamp(3),
          stamps: Dictionary(uniqueKeysWithValues: stamps))
      )
    }
    return Dictionary(uniqueKeysWithValues: rows)
  }

  func shadow(_ entity: String, _ id: RecordID) throws -> ShadowRow? {
    try shadows(entity)[id]
  }

  func seen() throws -> Stamp {
    Stamp(rawValue: try connection.integer("SELECT seen FROM strandline_clock"))
  }

  func transactions(after sequence: Int64 = 0) throws -> [TransactionRow] {
    try connection.map(
      "SELECT first, last, origin FROM strandline_transaction WHERE last > ? ORDER BY id",
      [.integer(sequence)]
    ) { TransactionRow(first: $0.integer(0), last: $0.integer(1), origin: $0.integer(2)) }
  }

  /// Records that only one of the table and the shadow takes for living.
  func disagreements() throws -> [String] {
    try schema.entities.flatMap { entity in
      let living = Set(try shadows(entity.name).filter(\.value.isAlive).keys)
      let present = Set(try records(Query(entity.name)).map(\.id))
      return living.symmetricDifference(present).map { "\(entity.name) \($0)" }
    }
  }

  /// The greatest stamp of any record.
  func greatestStamp() throws -> Stamp {
    try schema.entities.flatMap { try shadows($0.name).values.map(\.greatest) }.max() ?? .unset
  }
}
