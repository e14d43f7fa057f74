package import StrandlineModels

/// Reads the facts of pending records, as they stand in one snapshot.
package struct DeltaReader {
  let transaction: ReadTransaction
  let reader: StateReader

  package init(_ transaction: ReadTransaction) throws {
    self.transaction = transaction
    reader = try StateReader(connection: transaction.connection)
  }

  /// The facts that are pending for one record; nil where nothing is left to say.
  package func delta(for pending: PendingRecord) throws -> RecordDelta? {
    let layout = transaction.catalog.layout(number: pending.entity)
    return try delta(for: pending, layout, load(pending, layout).state)
  }

  func load(_ pending: PendingRecord, _ layout: EntityLayout?) throws -> StoredState {
    try layout.map { try reader.load($0, pending.id) }
      ?? reader.loadUnknown(pending.entity, pending.id)
  }

  func delta(
    for pending: PendingRecord, _ layout: EntityLayout?, _ state: RecordState
  ) throws -> RecordDelta? {
    let entityKey = try layout?.entity.key ?? unknownKey(pending.entity)
    guard let entityKey else { return nil }
    var delta = RecordDelta(key: RecordKey(entity: entityKey, id: pending.id))
    if pending.isDeleted { delta.death = state.death }
    if state.isAlive {
      if pending.isInserted {
        delta.birth = state.born
        delta.versions = state.versions
      } else {
        delta.versions = try written(pending, layout, state)
      }
    }
    if pending.hasParked { add(state.parked, to: &delta) }
    return delta.isEmpty ? nil : delta
  }

  private func written(
    _ pending: PendingRecord, _ layout: EntityLayout?, _ state: RecordState
  ) throws -> [String: Version] {
    // What was parked when its row was written may have come to life since, and what the model
    // did not know it may know now: everything is sent, which repeats a version at worst.
    if pending.hasParked || pending.hasUnknown { return state.versions }
    var keys: Set<String> = []
    for (bank, mask) in pending.masks {
      let known = layout?.keys(in: mask, bank: bank) ?? []
      keys.formUnion(known)
      if known.count < mask.nonzeroBitCount {
        keys.formUnion(try formerKeys(in: mask, bank: bank, of: pending.entity))
      }
    }
    return state.versions.filter { keys.contains($0.key) }
  }

  /// Properties that had a column when they were written, and which the model no longer has.
  private func formerKeys(in mask: Int64, bank: Int, of entity: Int64) throws -> [String] {
    let first = Int64(bank * EntityLayout.Column.bankSize)
    return try transaction.connection.map(
      """
      SELECT key FROM strandline_property
      WHERE entity = ?1 AND number BETWEEN ?2 AND ?2 + ?3 - 1 AND ?4 & (1 << (number - ?2))
      """,
      [
        .integer(entity), .integer(first), .integer(Int64(EntityLayout.Column.bankSize)),
        .integer(mask),
      ]
    ) { $0.text(0) }
  }

  /// A delta has one version a property; of several parked lives the latest is sent.
  private func add(_ parked: [RecordState.ParkedKey: Version], to delta: inout RecordDelta) {
    for (key, version) in parked {
      if delta.versions[key.property].map({ $0 < version }) ?? true {
        delta.versions[key.property] = version
      }
    }
  }

  private func unknownKey(_ entity: Int64) throws -> String? {
    try transaction.connection.first(
      "SELECT key FROM strandline_entity WHERE number = ?", [.integer(entity)]
    ) { $0.text(0) }
  }
}
