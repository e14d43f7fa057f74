/// What a save does with a record that was changed in the store since the context read it.
///
/// It does not matter who changed it: another context, another process or an import. A property
/// for which both sides came to the same value is in no conflict. What a policy discards is
/// listed in the save's result, on whichever side it stood.
///
/// | | `objectTrumps` | `storeTrumps` | `overwrite` | `rollback` | `error` |
/// |---|---|---|---|---|---|
/// | both changed one property | context's | store's | context's | store's | refused |
/// | they changed different ones | both kept | both kept | context's record | store's record | refused |
/// | deleted in the store, edited here | stays deleted | stays deleted | inserted again | stays deleted | refused |
/// | deleted here, edited in the store | deleted | kept | deleted | kept | refused |
/// | deleted on both sides | deleted | deleted | deleted | deleted | deleted |
/// | inserted on both sides | context's | store's | context's record | store's record | refused |
///
/// A delete beats an edit of the life that it ended, as it does between devices: no property rule
/// brings a record back, only ``overwrite`` does, as a new life. Of a record that was inserted on
/// both sides the defaults count as what was read, so that a property which one side left alone
/// takes the other's value.
///
/// After a merge into the context (see ``EditingContext/merge()``) only properties that both
/// sides changed are still in conflict; the others have the store's values already.
public enum MergePolicy: String, Hashable, Sendable, CaseIterable {
  /// For each property, what the context changed wins; the rest is the store's.
  case objectTrumps
  /// For each property, what the store changed wins; the rest is the context's.
  case storeTrumps
  /// The context's version of the whole record takes the place of the store's.
  case overwrite
  /// The context's changes of the record are discarded.
  case rollback
  /// Nothing is saved at all, and the error lists every conflict.
  case error
}
