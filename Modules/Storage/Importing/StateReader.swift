import StrandlineModels

/// One record's merged facts as they stand in the store.
struct StoredState {
  var state: RecordState
  /// Whether the shadow has a row for the record.
  var hasShadow: Bool
  /// Whether the entity's table has a row for it.
  var hasRow: Bool

  static let absent = StoredState(state: RecordState(), hasShadow: false, hasRow: false)
}

/// Reads records as the facts that merges work on.
struct StateReader {
  let connection: Connection

  /// Whether anything is parked or carried unknown; while nothing is, it need not be looked up.
  var hasParked: Bool
  var hasUnknown: Bool

  init(connection: Connection) throws {
    self.connection = connection
    hasParked = try connection.integer("SELECT EXISTS (SELECT 1 FROM strandline_parked)") == 1
    hasUnknown =
      try connection.integer("SELECT EXISTS (SELECT 1 FROM strandline_unknown_value)") == 1
  }

  func load(_ layout: EntityLayout, _ id: RecordID) throws -> StoredState {
    let found = try connection.first(layout.statements.select, [id.value]) {
      Self.stored($0, layout)
    }
    var stored = found ?? .absent
    if stored.state.isAlive && hasUnknown { try addUnknown(&stored, layout.number, id) }
    if hasParked { try addParked(&stored, layout.number, id) }
    return stored
  }

  /// A record of an entity that the model does not have.
  func loadUnknown(_ entity: Int64, _ id: RecordID) throws -> StoredState {
    let found = try connection.first(
      "SELECT born, died, deleted FROM strandline_unknown_record WHERE record = ? AND entity = ?",
      [id.value, .integer(entity)]
    ) { row in
      StoredState(
        state: RecordState(born: row.stamp(0), death: Self.death(row.stamp(1), row.stamp(2))),
        hasShadow: true, hasRow: false)
    }
    var stored = found ?? .absent
    if stored.state.isAlive { try addUnknown(&stored, entity, id) }
    if hasParked { try addParked(&stored, entity, id) }
    return stored
  }

  private static func stored(_ row: Row, _ layout: EntityLayout) -> StoredState {
    let born = row.stamp(0)
    let death = death(row.stamp(1), row.stamp(2))
    let hasRow = row.integer(3) == 1
    var versions: [String: Version] = [:]
    // A living shadow without a row is damage: nothing of it is taken for a value.
    if born > death?.life ?? .unset, hasRow {
      for (index, column) in layout.columns.enumerated() {
        let place = 4 + 2 * index
        let stamp = row.isNull(place) ? born : row.stamp(place)
        guard stamp != .unset else { continue }
        versions[column.property.key] = Version(
          life: born, stamp: stamp, value: row.value(place + 1))
      }
    }
    return StoredState(
      state: RecordState(born: born, death: death, versions: versions), hasShadow: true,
      hasRow: hasRow)
  }

  private static func death(_ died: Stamp, _ deleted: Stamp) -> Death? {
    died == .unset ? nil : Death(life: died, stamp: deleted)
  }

  private func addUnknown(_ stored: inout StoredState, _ entity: Int64, _ id: RecordID) throws {
    var versions = stored.state.versions
    let born = stored.state.born
    try connection.forEach(
      "SELECT property, stamp, value FROM strandline_unknown_value WHERE record = ? AND entity = ?",
      [id.value, .integer(entity)]
    ) { row in
      // A value that its column would have converted is carried until a later one is written.
      let version = Version(life: born, stamp: row.stamp(1), value: row.value(2))
      if versions[row.text(0)].map({ $0.stamp < version.stamp }) ?? true {
        versions[row.text(0)] = version
      }
    }
    stored.state = RecordState(
      born: born, death: stored.state.death, versions: versions, parked: stored.state.parked)
  }

  private func addParked(_ stored: inout StoredState, _ entity: Int64, _ id: RecordID) throws {
    var parked: [RecordState.ParkedKey: Version] = [:]
    try connection.forEach(
      """
      SELECT life, property, stamp, value FROM strandline_parked WHERE record = ? AND entity = ?
      """, [id.value, .integer(entity)]
    ) { row in
      let life = row.stamp(0)
      parked[.init(life: life, property: row.text(1))] = Version(
        life: life, stamp: row.stamp(2), value: row.value(3))
    }
    guard !parked.isEmpty else { return }
    stored.state = RecordState(
      born: stored.state.born, death: stored.state.death, versions: stored.state.versions,
      parked: parked)
  }
}
