public import StrandlineModels

/// One property of one record on which a context and the store disagreed when it was saved.
public struct MergeConflict: Hashable, Sendable {
  /// What the two sides had done to the record.
  public enum Kind: String, Hashable, Sendable {
    /// Both changed it.
    case changedOnBothSides
    /// The store deleted what the context edited.
    case deletedInStore
    /// The context deleted what the store edited.
    case deletedInContext
    /// Both inserted a record of that id.
    case insertedOnBothSides
  }

  /// One of the two sides.
  public enum Side: String, Hashable, Sendable {
    /// What was edited in memory.
    case context
    /// What others saved.
    case store
  }

  /// The record.
  public let record: RecordIdentity
  /// What had been done to it.
  public let kind: Kind
  /// The property's name.
  public let property: String
  /// The value that the context's edits rest on; the default for a record it inserted.
  public let readValue: Value
  /// The store's value; nil where the store has no such record any more.
  public let storeValue: Value?
  /// The context's value; nil where the context deleted the record.
  public let contextValue: Value?
  /// Whose value stands now; nil where the save was refused.
  public let winner: Side?

  /// The value that was discarded, if one was.
  public var discardedValue: Value? {
    switch winner {
    case .context: storeValue
    case .store: contextValue
    case nil: nil
    }
  }
}

/// That a context was not saved, since records in it were changed in the store meanwhile.
///
/// Nothing was saved and the context is as it was. Look at the conflicts, then save with another
/// policy, or let single records take up the store's state by
/// ``EditingContext/refresh(_:_:keepingChanges:)`` and save again.
public struct MergeConflictError: ExplainedError {
  /// Every property in conflict, with the three values.
  public let conflicts: [MergeConflict]

  /// The stable name of this error.
  public var codeName: String { "mergeConflict" }

  /// One sentence: what could not be done, and why.
  public var message: String {
    let count = Set(conflicts.map(\.record)).count
    let records = count == 1 ? "a record was" : "\(count) records were"
    return "Could not save the context, \(records) changed in the store after the reading."
  }

  /// What to do now.
  public var advice: String {
    "Look at the conflicts, then save with another merge policy or refresh the records first."
  }

  /// The records, without their values.
  public var context: [String: String] {
    var names: [String: [String]] = [:]
    for conflict in conflicts {
      names[conflict.record.description, default: []].append(conflict.property)
    }
    return names.mapValues { $0.sorted().joined(separator: " ") }
  }
}
