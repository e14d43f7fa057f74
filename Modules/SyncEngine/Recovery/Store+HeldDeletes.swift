import StrandlineModels
public import StrandlineStorage

// A person's word about deletes that were held (C25).
extension Store {
  /// Applies the deletes from elsewhere that wait for the person's word.
  ///
  /// They become what they would have been: imports of the peer that they came from, which are
  /// passed on to other peers. All their values are kept in history, whatever the model preserves,
  /// so that each record can be restored. What was edited here since and is lost thereby is listed
  /// as a conflict.
  ///
  /// - Returns: How many records were deleted.
  /// - Throws: Errors of the store.
  @discardableResult
  public func confirmHeldDeletes() async throws -> Int {
    let now = clock.milliseconds
    return try await settleHeldDeletes { transaction, row, key in
      transaction.keepsAllValues = true
      let death = RecordDelta(key: key, death: row.death)
      let acknowledged = try transaction.peer(row.peer)?.ownAcknowledged ?? 0
      for loser in try transaction.apply(death).outcome.losers {
        let isLater = loser.version.stamp > row.death.stamp
        let isPending = try transaction.hasOwnChange(
          row.entity, row.record, of: loser.property, after: acknowledged,
          stamps: loser.version.stamp...Stamp(rawValue: .max), life: loser.version.life,
          notFrom: row.peer)
        guard isLater || isPending else { continue }
        try transaction.addConflict(
          peer: row.peer, entity: row.entity, record: row.record, property: loser.property,
          loser: loser.version, device: try transaction.deviceID().description, at: now,
          isUnsent: true)
      }
    }
  }

  /// Refuses the deletes from elsewhere that wait for the person's word.
  ///
  /// Each record is inserted again in a new life with the values that it has here, which is this
  /// device's own change: with the next cycle it lives again on every device.
  ///
  /// - Returns: How many records live again.
  /// - Throws: Errors of the store.
  @discardableResult
  public func refuseHeldDeletes() async throws -> Int {
    try await settleHeldDeletes { transaction, row, key in
      try transaction.insertAgain(key, afterDeath: row.death)
    }
  }

  private func settleHeldDeletes(
    _ settle: @escaping @Sendable (ImportTransaction, HeldDeleteRow, RecordKey) throws -> Void
  ) async throws -> Int {
    let peers = try await read { Set(try $0.heldDeletes().filter(\.awaitsWord).map(\.peer)) }
    var count = 0
    for peer in peers.sorted() {
      count += try await importChanges(from: peer) { transaction in
        let rows = try transaction.heldDeletes(of: peer).filter(\.awaitsWord)
        for row in rows {
          if let key = try transaction.key(row) { try settle(transaction, row, key) }
          try transaction.clearHeldDelete(of: row.record, in: row.entity)
        }
        return rows.count
      }
    }
    return count
  }
}
