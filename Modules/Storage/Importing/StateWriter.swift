import StrandlineModels

/// Writes what a merge changed: the row, the stamps, what is parked or carried, and the log.
struct StateWriter {
  let connection: Connection

  // MARK: The record

  /// Writes a record's stamps and its row, but for the unfit properties: their value is carried,
  /// since the column would convert it.
  func write(
    _ layout: EntityLayout, _ id: RecordID, from before: StoredState, to state: RecordState,
    _ outcome: MergeOutcome, besides unfit: Set<String> = []
  ) throws {
    let after = unfit.isEmpty ? state : state.without(unfit)
    // Of a record of which only parked versions are known, nothing is known: a shadow row would
    // look like that of a life.
    guard after.born != .unset || after.death != nil else { return }
    let isNewLife = outcome.bornRose || !before.hasRow
    let changed = outcome.changed.subtracting(unfit)
    try writeShadow(layout, id, from: before, to: after, changed, isNewLife: outcome.bornRose)
    if after.isAlive {
      if !before.hasRow {
        try insertRow(layout, id, after)
      } else if isNewLife {
        try updateRow(layout, id, after, layout.columns)
      } else {
        let columns = layout.columns.filter { changed.contains($0.property.key) }
        try updateRow(layout, id, after, columns)
      }
    } else if before.hasRow {
      try connection.run(layout.statements.deleteRow, [id.value])
    }
  }

  private func writeShadow(
    _ layout: EntityLayout, _ id: RecordID, from before: StoredState, to after: RecordState,
    _ changed: Set<String>, isNewLife: Bool
  ) throws {
    let life: [Value] = [
      .integer(after.born.rawValue), .integer(after.died.rawValue),
      .integer(after.death?.stamp.rawValue ?? 0),
    ]
    if !before.hasShadow {
      try connection.run(
        layout.statements.insertShadow,
        [id.value] + life + layout.columns.map { Self.stamp($0, after) })
      return
    }
    // When a life begins, everything of the old one is unset first; a living record whose row
    // was lost has no values that its stamps could stand for.
    let columns =
      isNewLife || (after.isAlive && !before.hasRow)
      ? layout.columns : layout.columns.filter { changed.contains($0.property.key) }
    let sets = columns.map { ", \($0.stampColumn) = ?" }.joined()
    try connection.run(
      "UPDATE \(layout.shadow) SET born = ?, died = ?, deleted = ?\(sets) WHERE id = ?",
      life + columns.map { Self.stamp($0, after) } + [id.value])
  }

  private static func stamp(_ column: EntityLayout.Column, _ state: RecordState) -> Value {
    guard let version = state.versions[column.property.key] else { return .integer(0) }
    return version.stamp == state.born ? .null : .integer(version.stamp.rawValue)
  }

  static func value(_ column: EntityLayout.Column, _ state: RecordState) -> Value {
    state.versions[column.property.key]?.value ?? column.property.defaultValue
  }

  private func insertRow(_ layout: EntityLayout, _ id: RecordID, _ state: RecordState) throws {
    try connection.run(
      layout.statements.insertRow,
      [id.value] + layout.columns.map { Self.value($0, state) })
  }

  private func updateRow(
    _ layout: EntityLayout, _ id: RecordID, _ state: RecordState, _ columns: [EntityLayout.Column]
  ) throws {
    guard !columns.isEmpty else { return }
    let sets = columns.map { "\($0.name) = ?" }.joined(separator: ", ")
    try connection.run(
      "UPDATE \(layout.table) SET \(sets) WHERE id = ?",
      columns.map { Self.value($0, state) } + [id.value])
  }

  // MARK: What the model does not know

  func writeUnknownRecord(_ entity: Int64, _ id: RecordID, _ state: RecordState) throws {
    try connection.run(
      """
      INSERT INTO strandline_unknown_record(entity, record, born, died, deleted)
      VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
      SET born = excluded.born, died = excluded.died, deleted = excluded.deleted
      """,
      [
        .integer(entity), id.value, .integer(state.born.rawValue), .integer(state.died.rawValue),
        .integer(state.death?.stamp.rawValue ?? 0),
      ])
  }

  /// Writes carried values that changed; those of an ended life go.
  func writeUnknownValues(
    _ entity: Int64, _ id: RecordID, _ keys: [String], _ state: RecordState,
    _ outcome: MergeOutcome
  ) throws {
    if outcome.bornRose || (outcome.wasAlive && !outcome.isAlive) {
      try connection.run(
        "DELETE FROM strandline_unknown_value WHERE record = ? AND entity = ?",
        [id.value, .integer(entity)])
    }
    for key in keys {
      guard let version = state.versions[key] else { continue }
      try connection.run(
        """
        INSERT INTO strandline_unknown_value(entity, record, property, stamp, value)
        VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
        SET stamp = excluded.stamp, value = excluded.value
        """,
        [
          .integer(entity), id.value, .text(key), .integer(version.stamp.rawValue), version.value,
        ])
    }
  }

  // MARK: What waits for its life

  func writeParked(
    _ entity: Int64, _ id: RecordID, _ state: RecordState, _ outcome: MergeOutcome
  ) throws {
    for key in outcome.parkedDropped {
      try connection.run(
        """
        DELETE FROM strandline_parked
        WHERE record = ? AND entity = ? AND life = ? AND property = ?
        """,
        [id.value, .integer(entity), .integer(key.life.rawValue), .text(key.property)])
    }
    for key in outcome.parkedAdded {
      guard let version = state.parked[key] else { continue }
      try connection.run(
        """
        INSERT INTO strandline_parked(entity, record, life, property, stamp, value)
        VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
        SET stamp = excluded.stamp, value = excluded.value
        """,
        [
          .integer(entity), id.value, .integer(key.life.rawValue), .text(key.property),
          .integer(version.stamp.rawValue), version.value,
        ])
    }
  }

  func deleteParked(_ entity: Int64, _ id: RecordID, upTo life: Stamp) throws {
    try connection.run(
      "DELETE FROM strandline_parked WHERE record = ? AND entity = ? AND life <= ?",
      [id.value, .integer(entity), .integer(life.rawValue)])
  }

  // MARK: The log

  /// Writes a row of the log.
  ///
  /// - Returns: Its sequence.
  @discardableResult
  func log(
    _ entity: Int64, _ id: RecordID, _ kind: LogKind, properties: Int64 = 0, bank: Int = 0,
    stamp: Stamp
  ) throws -> Int64 {
    try connection.run(
      """
      INSERT INTO strandline_log(entity, record, kind, properties, bank, stamp)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(entity), id.value, .integer(kind.rawValue), .integer(properties),
        .integer(Int64(bank)), .integer(stamp.rawValue),
      ])
    return connection.lastInsertedRow
  }

  /// Keeps earlier values beside the log row of the change that took them away: those that the
  /// model asks for, or all.
  func preserve(
    _ columns: [EntityLayout.Column], at sequence: Int64, from before: RecordState,
    evenIfNotAsked keepsAll: Bool = false
  ) throws {
    for column in columns where keepsAll || column.property.isPreserved {
      try connection.run(
        "INSERT INTO strandline_preserved(sequence, property, value) VALUES (?, ?, ?)",
        [.integer(sequence), .text(column.property.key), Self.value(column, before)])
    }
  }
}

extension RecordState {
  fileprivate func without(_ keys: Set<String>) -> RecordState {
    RecordState(
      born: born, death: death, versions: versions.filter { !keys.contains($0.key) },
      parked: parked)
  }
}
