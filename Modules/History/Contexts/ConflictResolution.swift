import StrandlineModels

/// What a merge policy makes of one record that is saved: a pure function of the three sides.
struct ConflictResolution {
  enum Write {
    case nothing
    case insert([String: Value])
    case update([String: Value])
    case delete
  }

  let edit: WorkingRecord
  let row: [String: Value]?
  let policy: MergePolicy

  private(set) var write = Write.nothing
  /// What the two sides disagreed on.
  private(set) var conflicts: [MergeConflict] = []
  /// Whether what is written stands together with changes of the store.
  private(set) var isMerged = false
  /// Whether nothing of the edit is written.
  private(set) var isDiscarded = false

  /// Decides what is written of an edited record, given the store's present row of it.
  init(_ edit: WorkingRecord, against row: [String: Value]?, by policy: MergePolicy) {
    self.edit = edit
    self.row = row
    self.policy = policy
    if edit.isDeleted {
      resolveDelete()
    } else if let row {
      resolveChange(row)
    } else if edit.isInserted {
      write = .insert(edit.changes)
    } else {
      resolveMissing()
    }
  }

  /// The properties that the store changed to something that the context does not show.
  private func foreign(_ row: [String: Value]) -> [String] {
    let shown = edit.values
    return row.keys.filter { name in
      row[name] != edit.base[name] && (edit.isDeleted || row[name] != shown[name])
    }
  }

  private mutating func resolveChange(_ row: [String: Value]) {
    let wanted = edit.changes.filter { row[$0.key] != $0.value }
    let foreign = foreign(row)
    let both = foreign.filter { edit.changes[$0] != nil }
    let kind: MergeConflict.Kind = edit.isInserted ? .insertedOnBothSides : .changedOnBothSides
    guard !foreign.isEmpty else {
      write = wanted.isEmpty ? .nothing : .update(wanted)
      return
    }
    isMerged = true
    switch policy {
    case .objectTrumps:
      write = .update(wanted)
      list(both, kind, winner: .context)
    case .storeTrumps:
      let kept = wanted.filter { !both.contains($0.key) }
      write = kept.isEmpty ? .nothing : .update(kept)
      isDiscarded = kept.isEmpty
      list(both, kind, winner: .store)
    case .overwrite:
      isMerged = false
      write = .update(edit.values.filter { row[$0.key] != $0.value })
      list(foreign, kind, winner: .context)
    case .rollback:
      isDiscarded = true
      list(Array(wanted.keys), kind, winner: .store)
    case .error: list(foreign, kind, winner: nil)
    }
  }

  /// The store deleted the record, and that ended the life that the edits belong to.
  private mutating func resolveMissing() {
    let names = Array(edit.changes.keys)
    switch policy {
    case .objectTrumps, .storeTrumps, .rollback:
      isDiscarded = true
      list(names, .deletedInStore, winner: .store)
    case .overwrite:
      write = .insert(edit.values)
      list(names, .deletedInStore, winner: .context)
    case .error: list(names, .deletedInStore, winner: nil)
    }
  }

  private mutating func resolveDelete() {
    guard let row else { return }
    let foreign = foreign(row)
    guard !foreign.isEmpty else {
      write = .delete
      return
    }
    switch policy {
    case .objectTrumps, .overwrite:
      write = .delete
      list(foreign, .deletedInContext, winner: .context)
    case .storeTrumps, .rollback:
      isDiscarded = true
      list(foreign, .deletedInContext, winner: .store)
    case .error: list(foreign, .deletedInContext, winner: nil)
    }
  }

  private mutating func list(
    _ names: [String], _ kind: MergeConflict.Kind, winner: MergeConflict.Side?
  ) {
    let shown = edit.values
    conflicts += names.sorted().map { name in
      MergeConflict(
        record: edit.identity, kind: kind, property: name, readValue: edit.base[name] ?? .null,
        storeValue: row.map { $0[name] ?? .null },
        contextValue: edit.isDeleted ? nil : shown[name] ?? .null, winner: winner)
    }
  }
}
