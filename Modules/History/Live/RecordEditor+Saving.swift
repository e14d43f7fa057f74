public import StrandlineModels
import StrandlineStorage

/// That an editor was not saved, since its record was deleted elsewhere.
///
/// The values are still in the editor.
public struct RecordDeletedError: ExplainedError {
  /// The record.
  public let record: RecordIdentity

  /// The stable name of this error.
  public var codeName: String { "recordDeleted" }
  /// One sentence: what could not be done, and why.
  public var message: String { "Could not save \(record), it was deleted elsewhere." }
  /// What to do now.
  public var advice: String {
    "Discard the edits, keep them as a draft, or save them as a new life of the record."
  }
}

extension RecordEditor {
  /// What was saved as a new life of a record.
  public struct NewLife: Hashable, Sendable {
    /// The references that were left out, since the store lacks the records that they name.
    public internal(set) var missingReferences: [String: RecordID] = [:]
    /// The links that were left out, since the store lacks the records on the other side.
    public internal(set) var missingLinks: [String: [RecordID]] = [:]
    /// Whether nothing was left out.
    public var isComplete: Bool { missingReferences.isEmpty && missingLinks.isEmpty }
  }

  /// Saves the edited properties.
  ///
  /// - Returns: What was done, and every value that lost to the merge policy.
  /// - Throws: ``RecordDeletedError``, with the values still here; ``MergeConflictError`` under
  ///   the policy `error`; what the store refuses.
  @discardableResult
  public func save() async throws -> ContextSave {
    guard state == .open else { throw RecordDeletedError(record: identity) }
    let before = values
    let edited = editedProperties
    do {
      let result = try await context.save()
      if context[identity.entity, identity.id] == nil {
        // Deleted before the save, which then discarded the edits, or right after it.
        let isLost = result.discarded.contains(identity)
        keep(before, isLost ? edited : [])
        untold = .deleted
        if isLost { throw RecordDeletedError(record: identity) }
        return result
      }
      let others = result.merge?.changedProperties(of: identity) ?? []
      if !others.isEmpty { untold = .changed(others) }
      try await readLinks()
      return result
    } catch let error as MergeConflictError {
      guard error.conflicts.contains(where: { $0.kind == .deletedInStore }) else { throw error }
      keep(values, editedProperties)
      untold = .deleted
      throw RecordDeletedError(record: identity)
    }
  }

  /// Drops the edited values and closes the editor.
  public func discard() {
    context.rollback()
    kept = [:]
    keptEdits = []
    state = .closed
  }

  /// Keeps the values as a draft that follows no record any more.
  ///
  /// The draft can be edited on, and saved by ``saveAsNewLife()`` or, under another id, as any
  /// new record.
  ///
  /// - Returns: The values.
  @discardableResult
  public func keepAsDraft() -> [String: Value] {
    guard state != .closed else { return [:] }
    let (draft, edits) = (values, editedProperties)
    keep(draft, edits)
    state = .draft
    return draft
  }

  /// Inserts the values again under the record's id, as a new life that no old delete ends.
  ///
  /// The record's many-to-many links come back with it. References and links to records that the
  /// store lacks are left out and named in the result. What other records held as references to
  /// this one is theirs and does not come back.
  ///
  /// - Returns: What was left out.
  /// - Throws: `duplicateRecord` where the record is there; look at the changes then.
  ///   `constraint`, `readOnly`, `busy`, `diskFull`.
  @discardableResult
  public func saveAsNewLife() async throws -> NewLife {
    guard state == .deletedElsewhere || state == .draft else {
      throw StorageError(
        .duplicateRecord, "Could not save \(identity) as a new life, the editor holds no draft.",
        advice: "Save the record, or open another editor.")
    }
    let (identity, kept, links) = (identity, kept, links)
    let life = try await store.write(author: context.author, context: context.name) {
      try Self.insert(identity, kept, links, in: $0)
    }
    self.kept = [:]
    keptEdits = []
    if try await context.record(identity.entity, identity.id) == nil {
      keep(kept, [])
      throw RecordDeletedError(record: identity)
    }
    state = .open
    try await readLinks()
    return life
  }

  private static func insert(
    _ identity: RecordIdentity, _ values: [String: Value], _ links: [String: [RecordID]],
    in transaction: WriteTransaction
  ) throws -> NewLife {
    let layout = try transaction.catalog.layout(named: identity.entity)
    var life = NewLife()
    var values = values
    for column in layout.columns {
      guard let destination = column.property.destination,
        let target = RecordID(values[column.property.name] ?? .null),
        RecordIdentity(destination, target) != identity,
        try transaction.record(destination, target) == nil
      else { continue }
      life.missingReferences[column.property.name] = target
      values[column.property.name] = .null
    }
    try transaction.insert(identity.entity, id: identity.id, values: values)
    for side in layout.entity.toMany {
      for other in links[side.name] ?? [] {
        if try transaction.record(side.destination, other) == nil {
          life.missingLinks[side.name, default: []].append(other)
        } else {
          try transaction.link(identity.entity, identity.id, side.name, to: other)
        }
      }
    }
    return life
  }
}
