package import Strandline

/// Everything of a store that all devices must agree on, and what is damaged in it.
package struct FleetDump: Sendable {
  /// Each living record with its values and stamps, by entity and id.
  private var records: [RecordKey: [String]] = [:]
  /// Each value that lost.
  private var conflicts: Set<String> = []
  /// What is wrong with this store alone.
  package private(set) var damage: [String] = []

  package init(_ read: ReadTransaction) throws {
    for layout in read.catalog.layouts where layout.entity.configuration == .synced {
      try add(layout, read)
    }
    for row in try read.conflicts(limit: 100_000) {
      conflicts.insert(
        "\(row.entity) \(row.record) \(row.property) \(row.loser.life) \(row.loser.stamp) "
          + "\(row.loser.value)")
    }
    let check = try read.table(of: "PRAGMA integrity_check").rows.first?.first?.text
    if check != "ok" { damage.append("integrity_check says \(check ?? "nothing").") }
    let open = try read.table(of: "SELECT count(*) FROM strandline_event WHERE ended IS NULL")
    if open.rows != [[.integer(0)]] { damage.append("an activity never ended.") }
  }

  private mutating func add(_ layout: EntityLayout, _ read: ReadTransaction) throws {
    let columns = layout.columns.map { ", coalesce(s.\($0.stampColumn), s.born), e.\($0.name)" }
    let alive = try read.table(
      of: "SELECT s.id, s.born\(columns.joined()) FROM \(layout.shadow) AS s "
        + "LEFT JOIN \(layout.table) AS e ON e.id = s.id WHERE s.born > s.died")
    for row in alive.rows {
      guard let id = RecordID(row[0]) else { continue }
      records[RecordKey(entity: layout.entity.key, id: id)] = row.dropFirst().map { "\($0)" }
    }
    let strays = try read.table(
      of: "SELECT count(*) FROM \(layout.table) WHERE id NOT IN "
        + "(SELECT id FROM \(layout.shadow) WHERE born > died)")
    if strays.rows != [[.integer(0)]] {
      damage.append("\(layout.entity.name) has rows without a life.")
    }
    let lost = try read.table(
      of: "SELECT count(*) FROM \(layout.shadow) WHERE born > died AND id NOT IN "
        + "(SELECT id FROM \(layout.table))")
    if lost.rows != [[.integer(0)]] {
      damage.append("\(layout.entity.name) has lives without a row.")
    }
  }

  /// The number of living records.
  package var recordCount: Int { records.count }

  /// A number that is the same for stores which hold the same records, values and stamps.
  ///
  /// It does not depend on the process, so that it can be printed and compared.
  package var stateHash: UInt64 {
    var hash = StableHash()
    for (key, values) in records.sorted(by: {
      ($0.key.entity, $0.key.id) < ($1.key.entity, $1.key.id)
    }) {
      hash.add(key.entity)
      hash.add("\(key.id)")
      for value in values { hash.add(value) }
    }
    return hash.value
  }

  /// A number that is the same for stores which list the same values that lost.
  package var conflictHash: UInt64 {
    var hash = StableHash()
    for conflict in conflicts.sorted() { hash.add(conflict) }
    return hash.value
  }

  /// Where two stores disagree, as sentences; a few of each kind.
  ///
  /// - Parameters:
  ///   - other: What the other store holds.
  ///   - comparesConflicts: Whether both must list the same values that lost.
  /// - Returns: One sentence a difference.
  package func differences(
    from other: FleetDump, comparesConflicts: Bool = true
  ) -> [String] {
    if stateHash == other.stateHash, !comparesConflicts || conflictHash == other.conflictHash {
      return []
    }
    var found: [String] = []
    for key in Set(records.keys).union(other.records.keys).sorted(by: { $0.id < $1.id })
    where records[key] != other.records[key] {
      found.append(
        "\(key.entity) \(key.id) is \(records[key] ?? ["absent"]), there "
          + "\(other.records[key] ?? ["absent"]).")
    }
    for conflict in conflicts.symmetricDifference(other.conflicts).sorted()
    where comparesConflicts {
      found.append("only one of them lists the lost value \(conflict).")
    }
    return Array(found.prefix(10))
  }
}
