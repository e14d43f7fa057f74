public import StrandlineModels
public import StrandlineStorage

extension EditingContext {
  /// Writes what was edited, and only that, in one store transaction.
  ///
  /// What a throwing save would have written is still edited, and the context is as it was. After
  /// a save that returns, the context has merged what else changed in the store, and a pinned
  /// context has advanced.
  ///
  /// - Parameter policy: What to do with records that were changed meanwhile, in the place of
  ///   ``mergePolicy``.
  /// - Returns: What was done with each edited record, and every value that lost.
  /// - Throws: ``MergeConflictError`` under the policy `error`; `constraint`, `readOnly`, `busy`,
  ///   `diskFull`.
  @discardableResult
  public func save(mergePolicy policy: MergePolicy? = nil) async throws -> ContextSave {
    try await exclusively {
      let edits = working.edits
      guard !edits.isEmpty else { return ContextSave() }
      let discardsBefore = discards
      let transaction = ContextTransaction(edits: edits, policy: policy ?? mergePolicy)
      let (process, clock) = (store.process, store.clock)
      let outcome = try await store.write(author: author, context: name) {
        let outcome = try transaction.run($0)
        if !outcome.conflicts.isEmpty {
          // What a policy decided is told like what a merge decided.
          try $0.recordEvent(
            .conflict, process: process, at: clock.milliseconds,
            records: outcome.conflicts.count, detail: "with another context of this store")
        }
        return outcome
      }
      for edit in edits {
        let row = outcome.rows[edit.identity]
        settle(edit, stored: row, keepsLater: discards == discardsBefore)
      }
      if position == nil { position = outcome.head }
      return await finish(outcome)
    }
  }

  private func settle(_ sent: WorkingRecord, stored row: [String: Value]?, keepsLater: Bool) {
    let identity = sent.identity
    guard var held = working[identity] else {
      // A rollback has dropped a record that was being inserted: it is there all the same.
      working[identity] = row.map {
        WorkingRecord(Record(entity: identity.entity, id: identity.id, values: $0))
      }
      return
    }
    held.settle(sent, stored: row, keepsLater: keepsLater)
    working[identity] = held.isGone && held.changes.isEmpty ? nil : held
  }

  private func finish(_ outcome: ContextTransaction.Outcome) async -> ContextSave {
    var save = ContextSave()
    save.token =
      outcome.isWritten ? HistoryToken(store: store.id, sequence: outcome.head) : nil
    save.saved = outcome.saved
    save.merged = outcome.merged
    save.discarded = outcome.discarded
    save.conflicts = outcome.conflicts
    do {
      // Delete rules have changed other records, too.
      save.merge = try await mergeNow()
    } catch {
      save.mergeFailure = error
    }
    return save
  }

  /// Discards all unsaved edits; what the context read stays.
  public func rollback() {
    discards += 1
    for edit in working.edits {
      var held = edit
      held.rollback()
      working[edit.identity] = held.isInserted || held.isGone ? nil : held
    }
  }

  /// Discards all unsaved edits and everything that was read.
  ///
  /// A pinned context advances to the newest state.
  public func reset() async throws {
    try await exclusively {
      try await generation?.advance()
      discards += 1
      working.removeAll()
      fetched.removeAll()
      position = nil
    }
  }

  /// Takes up the newest state of one record, so that a save finds no conflict in it.
  ///
  /// Everything else that changed is merged first, and a pinned context advances.
  ///
  /// - Parameters:
  ///   - entity: The entity's name.
  ///   - id: The record's id.
  ///   - keepsChanges: Whether unsaved edits stay, resting on the newest values from now on. A
  ///     record that was deleted in the store then becomes a new one with all its values, which
  ///     a save inserts as a new life. Without keeping them, the store's state shows.
  /// - Returns: The record as it shows now; nil where there is none.
  /// - Throws: What reading the store throws.
  @discardableResult
  public func refresh(
    _ entity: String, _ id: RecordID, keepingChanges keepsChanges: Bool
  ) async throws -> Record? {
    try await exclusively {
      let held = working[RecordIdentity(entity, id)]
      try await mergeNow()
      let row = try await read { try $0.record(entity, id) }
      // A clean record that the store lost was dropped by the merge; its values are still known.
      let present = working[RecordIdentity(entity, id)] ?? held
      if keepsChanges, var present, present.hasChanges {
        let defaults = try store.catalog.layout(named: entity).defaults
        present.rebase(on: row?.values, defaults: defaults)
        working[RecordIdentity(entity, id)] = row == nil && present.isDeleted ? nil : present
      } else {
        working[RecordIdentity(entity, id)] = row.map { WorkingRecord($0) }
      }
      return self[entity, id]
    }
  }
}
