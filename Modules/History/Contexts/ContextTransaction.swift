import StrandlineModels
import StrandlineStorage

/// Writes a context's edits in one store transaction, as a merge policy has it.
struct ContextTransaction: Sendable {
  let edits: [WorkingRecord]
  let policy: MergePolicy

  struct Outcome: Sendable {
    var saved: [RecordIdentity] = []
    var merged: [RecordIdentity] = []
    var discarded: [RecordIdentity] = []
    var conflicts: [MergeConflict] = []
    /// What stands in the store afterwards; a record that does not is missing.
    var rows: [RecordIdentity: [String: Value]] = [:]
    /// The log's last sequence afterwards.
    var head: Int64 = 0
    /// Whether anything was written.
    var isWritten = false
  }

  /// - Throws: `MergeConflictError` under the policy `error`; what the store refuses.
  func run(_ transaction: WriteTransaction) throws -> Outcome {
    let before = try transaction.logHead()
    // All decisions are made on the state at the beginning: a delete may cascade to records
    // that are edited too, which others did not touch.
    let resolutions = try edits.map { edit in
      let row = try transaction.record(edit.identity.entity, edit.identity.id)
      return ConflictResolution(edit, against: row?.values, by: policy)
    }
    var outcome = Outcome(conflicts: resolutions.flatMap(\.conflicts))
    if policy == .error && !outcome.conflicts.isEmpty {
      throw MergeConflictError(conflicts: outcome.conflicts)
    }
    for resolution in resolutions { try write(resolution, to: transaction) }
    for resolution in resolutions { try delete(resolution, in: transaction) }
    for resolution in resolutions { try note(resolution, in: transaction, &outcome) }
    outcome.head = try transaction.logHead()
    outcome.isWritten = outcome.head > before
    return outcome
  }

  private func write(
    _ resolution: ConflictResolution, to transaction: WriteTransaction
  ) throws {
    let identity = resolution.edit.identity
    switch resolution.write {
    case .insert(let values):
      try transaction.insert(identity.entity, id: identity.id, values: values)
    case .update(let values):
      try transaction.update(identity.entity, identity.id, values: values)
    case .delete, .nothing: break
    }
  }

  private func delete(
    _ resolution: ConflictResolution, in transaction: WriteTransaction
  ) throws {
    guard case .delete = resolution.write else { return }
    let identity = resolution.edit.identity
    // Another delete of this save may have taken it along.
    guard try transaction.record(identity.entity, identity.id) != nil else { return }
    try transaction.delete(identity.entity, identity.id)
  }

  private func note(
    _ resolution: ConflictResolution, in transaction: WriteTransaction, _ outcome: inout Outcome
  ) throws {
    let identity = resolution.edit.identity
    outcome.rows[identity] = try transaction.record(identity.entity, identity.id)?.values
    if resolution.isDiscarded {
      outcome.discarded.append(identity)
    } else if resolution.isMerged {
      outcome.merged.append(identity)
    } else {
      outcome.saved.append(identity)
    }
  }
}
