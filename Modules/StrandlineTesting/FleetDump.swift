import Strandline

/// Everything of a store that all devices must agree on, and what is damaged in it.
struct FleetDump {
  /// Each living record with its values and stamps, by entity and id.
  private var records: [RecordKey: [String]] = [:]
  /// Each value that lost.
  private var conflicts: Set<String> = []
  /// What is wrong with this store alone.
  private(set) var damage: [String] = []

  init(_ read: ReadTransaction) throws {
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

  /// Where two stores disagree, as sentences; a few of each kind.
  func differences(from other: FleetDump) -> [String] {
    var found: [String] = []
    for key in Set(records.keys).union(other.records.keys).sorted(by: { $0.id < $1.id })
    where records[key] != other.records[key] {
      found.append(
        "\(key.entity) \(key.id) is \(records[key] ?? ["absent"]), there "
          + "\(other.records[key] ?? ["absent"]).")
    }
    for conflict in conflicts.symmetricDifference(other.conflicts).sorted() {
      found.append("only one of them lists the lost value \(conflict).")
    }
    return Array(found.prefix(10))
  }
}
