package import StrandlineModels

/// Reads the facts of pending records, as they stand in one snapshot.
package struct DeltaReader {
  private let transaction: ReadTransaction
  private let reader: StateReader

  package init(_ transaction: ReadTransaction) throws {
    self.transaction = transaction
    reader = try StateReader(connection: transaction.connection)
  }

  /// The facts that are pending for one record; nil where nothing is left to say.
  package func delta(for pending: PendingRecord) throws -> RecordDelta? {
    let layout = transaction.catalog.layout(number: pending.entity)
    let entityKey = try layout?.entity.key ?? unknownKey(pending.entity)
    guard let entityKey else { return nil }
    let state =
      try layout.map { try reader.load($0, pending.id).state }
      ?? reader.loadUnknown(pending.entity, pending.id).state
    var delta = RecordDelta(key: RecordKey(entity: entityKey, id: pending.id))
    if pending.isDeleted { delta.death = state.death }
    if state.isAlive {
      if pending.isInserted {
        delta.birth = state.born
        delta.versions = state.versions
      } else {
        delta.versions = written(pending, layout, state)
      }
    }
    if pending.hasParked { add(state.parked, to: &delta) }
    return delta.isEmpty ? nil : delta
  }

  private func written(
    _ pending: PendingRecord, _ layout: EntityLayout?, _ state: RecordState
  ) -> [String: Version] {
    var keys: Set<String> = []
    for (bank, mask) in pending.masks { keys.formUnion(layout?.keys(in: mask, bank: bank) ?? []) }
    if pending.hasUnknown {
      keys.formUnion(state.versions.keys.filter { layout?.index(ofKey: $0) == nil })
    }
    return state.versions.filter { keys.contains($0.key) }
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
