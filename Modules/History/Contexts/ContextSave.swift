/// What a save of an ``EditingContext`` did with each edited record.
public struct ContextSave: Sendable {
  /// The place after the transaction; nil where nothing had to be written.
  public internal(set) var token: HistoryToken?
  /// The records that stand in the store as the context had them, deleted ones included.
  public internal(set) var saved: [RecordIdentity] = []
  /// The records in which edits of the context stand beside changes that the store had got.
  public internal(set) var merged: [RecordIdentity] = []
  /// The records of which no edit was written, since the store's state won.
  public internal(set) var discarded: [RecordIdentity] = []
  /// Every value that lost, with the one that won; nothing is discarded that is not here.
  public internal(set) var conflicts: [MergeConflict] = []
  /// What else had changed in the store, which the context took up after the save.
  public internal(set) var merge: ContextMerge?
  /// Why the context could not take up the store's state after the save, if it could not.
  ///
  /// The save itself stands; the next merge takes up what this one missed.
  public internal(set) var mergeFailure: (any Error)?
}

/// What a merge brought into an ``EditingContext``.
public struct ContextMerge: Sendable {
  /// The place up to which the context knows the store.
  public internal(set) var token: HistoryToken
  /// New records that match something which the context fetched; it holds them now.
  public internal(set) var inserted: [RecordIdentity] = []
  /// Held records that show other values now.
  public internal(set) var updated: [RecordIdentity] = []
  /// Held records that are gone; those with unsaved edits are still held.
  public internal(set) var deleted: [RecordIdentity] = []
  /// Held records of which the store changed properties that have unsaved edits.
  public internal(set) var contested: [RecordIdentity] = []

  /// The properties that others changed, by held record; edited ones are among them.
  var properties: [RecordIdentity: Set<String>] = [:]

  /// The properties of a held record that others changed, edited ones among them.
  public func changedProperties(of record: RecordIdentity) -> Set<String> {
    properties[record] ?? []
  }

  /// Whether nothing that the context holds was touched.
  public var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && contested.isEmpty
  }
}
