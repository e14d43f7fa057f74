import StrandlineModels
import StrandlineStorage

/// What is pending in a store for a peer, as it would be sent.
struct Outgoing: Sendable {
  var deltas: [RecordDelta]
  var head: Int64
}

extension Store {
  /// Reads what is pending for a peer, as an export does: rows of other clients are sealed first.
  func outgoing(for peer: Int64, after sequence: Int64 = 0) async throws -> Outgoing {
    try await write { _ in }
    return try await read { read in
      let pending = try read.pendingChanges(after: sequence, for: peer)
      let reader = try DeltaReader(read)
      return Outgoing(
        deltas: try pending.records.compactMap { try reader.delta(for: $0) }, head: pending.head)
    }
  }

  /// Applies deltas as one import and tells what could not be stored.
  @discardableResult
  func receive(
    _ deltas: [RecordDelta], from peer: Int64
  ) async throws -> [ImportTransaction.Application] {
    try await importChanges(from: peer) { transaction in
      try deltas.map { try transaction.apply($0) }
    }
  }

  /// Everything that the store knows of every record, by permanent keys, read by SQL alone.
  func facts() async throws -> [RecordKey: RecordState] {
    try await read { read in
      var facts: [RecordKey: RecordState] = [:]
      for layout in read.catalog.layouts { try read.addFacts(of: layout, to: &facts) }
      try read.addUnknownFacts(to: &facts)
      return facts
    }
  }
}

extension ReadTransaction {
  fileprivate func addFacts(
    of layout: EntityLayout, to facts: inout [RecordKey: RecordState]
  ) throws {
    let key = layout.entity.key
    for (id, shadow) in try shadows(layout.entity.name) {
      var versions: [String: Version] = [:]
      let row = try record(layout.entity.name, id)
      for column in layout.columns {
        guard let row, let stamp = shadow.stamps[column.property.key], stamp != .unset else {
          continue
        }
        versions[column.property.key] = Version(
          life: shadow.born, stamp: stamp, value: row[column.property.name])
      }
      facts[RecordKey(entity: key, id: id)] = RecordState(
        born: shadow.born,
        death: shadow.died == .unset ? nil : Death(life: shadow.died, stamp: shadow.deleted),
        versions: versions)
    }
  }

  fileprivate func addUnknownFacts(to facts: inout [RecordKey: RecordState]) throws {
    let records = try connection.map(
      """
      SELECT e.key, u.record, u.born, u.died, u.deleted FROM strandline_unknown_record AS u
      JOIN strandline_entity AS e ON e.number = u.entity
      """
    ) { $0.values }
    for row in records {
      let stamps = row.map { Stamp(rawValue: $0.integer ?? 0) }
      let death = stamps[3] == .unset ? nil : Death(life: stamps[3], stamp: stamps[4])
      facts[Self.key(row)] = RecordState(born: stamps[2], death: death)
    }
    let values = try connection.map(
      """
      SELECT e.key, u.record, u.property, u.stamp, u.value FROM strandline_unknown_value AS u
      JOIN strandline_entity AS e ON e.number = u.entity
      """
    ) { $0.values }
    for row in values {
      let state = facts[Self.key(row)] ?? RecordState()
      var versions = state.versions
      versions[row[2].text ?? ""] = Version(
        life: state.born, stamp: Stamp(rawValue: row[3].integer ?? 0), value: row[4])
      facts[Self.key(row)] = RecordState(
        born: state.born, death: state.death, versions: versions)
    }
  }

  private static func key(_ row: [Value]) -> RecordKey {
    RecordKey(entity: row[0].text ?? "", id: RecordID(row[1]) ?? RecordID(text: "not an id"))
  }
}

extension RecordState {
  /// What all who have seen the same facts must agree on: of the dead, only the death.
  var agreed: RecordState { isAlive ? self : RecordState(death: death) }
}
