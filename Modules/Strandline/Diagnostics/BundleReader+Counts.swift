import Foundation
import StrandlineModels
import StrandlineStorage

extension BundleReader {
  /// How much there is of everything, and of what there is trouble with.
  func counts() async throws -> JSONValue {
    let store = store
    return try await store.read { transaction in
      var members: [JSONValue.Member] = []
      members.append(.init("records", try Self.records(transaction)))
      members.append(.init("tables", try Self.rows(transaction)))
      members.append(.init("setAside", try Self.refusals(transaction)))
      members.append(.init("orphans", .integer(Int64(try transaction.orphanCount()))))
      members.append(.init("files", Self.sizes(store.path)))
      return .object(members)
    }
  }

  private static func records(_ transaction: ReadTransaction) throws -> JSONValue {
    .object(
      try transaction.catalog.layouts.map { layout in
        let count = try transaction.connection.integer("SELECT count(*) FROM \(layout.table)")
        return .init(layout.entity.name, .integer(count))
      })
  }

  private static let tables = [
    "log", "transaction", "preserved", "conflict", "parked", "held_delete", "unknown_record",
    "unknown_value", "set_aside", "orphan", "event", "delivery", "receipt", "consumer", "peer",
  ]

  private static func rows(_ transaction: ReadTransaction) throws -> JSONValue {
    .object(
      try tables.map { table in
        let count = try transaction.connection.integer(
          "SELECT count(*) FROM strandline_\(table)")
        return .init(table, .integer(count))
      })
  }

  /// By reason, and never by record.
  private static func refusals(_ transaction: ReadTransaction) throws -> JSONValue {
    var counts: [String: Int64] = [:]
    try transaction.connection.forEach(
      "SELECT code, count(*) FROM strandline_set_aside GROUP BY code"
    ) { counts[Redaction.code($0.text(0)) ?? "other", default: 0] += $0.integer(1) }
    return .object(counts.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) })
  }

  /// The files are asked for their sizes and not opened.
  private static func sizes(_ path: String) -> JSONValue {
    .object(
      ["", "-wal", "-shm"].map { suffix in
        var info = stat()
        let isThere = stat(path + suffix, &info) == 0
        return .init(
          suffix.isEmpty ? "store" : suffix, isThere ? .integer(Int64(info.st_size)) : .null)
      })
  }

  /// What a checkup found; examples of broken rules may name records, so that these are counted.
  func findings() async throws -> [BundleFacts.Finding] {
    try await store.checkup().map { finding in
      let mayNameRecords = finding.level == .problem && Self.naming.contains(finding.name)
      return BundleFacts.Finding(
        name: finding.name, level: finding.level.rawValue,
        message: mayNameRecords
          ? "A rule does not hold; run doctor to see where." : redaction.inText(finding.message),
        cure: finding.cure)
    }
  }

  private static let naming: Set = ["records", "stamps", "transactions", "log", "integrity"]
}
