public import StrandlineModels

/// What became of a record since an earlier place in history.
public struct RecordDifference: Hashable, Sendable {
  /// A property that has, or may have, another value than then.
  public struct Change: Hashable, Sendable {
    /// The property's name.
    public let property: String
    /// The value that it had.
    public let old: EarlierValue
    /// The value that it has; nil where the record is gone.
    public let new: Value?
  }

  /// The entity's name.
  public let entity: String
  /// The record.
  public let id: RecordID
  /// The place that is compared with.
  public let since: HistoryToken
  /// Whether the record existed then.
  public let existedThen: Bool
  /// Whether it exists now.
  public let existsNow: Bool
  /// What changed, in the order of the model.
  public let changes: [Change]
}

/// A value that a property had at an earlier place in history.
public enum EarlierValue: Hashable, Sendable {
  /// The value.
  case known(Value)
  /// The value is no longer held: the model does not ask to preserve it, or it was pruned.
  case notHeld
  /// The record did not exist.
  case absent
}

/// What bringing back an earlier state of a record did, and what it could not do.
public struct Restoration: Hashable, Sendable {
  /// What became of one property.
  public enum Outcome: String, Hashable, Sendable {
    /// It has its earlier value again.
    case restored
    /// It had that value already.
    case unchanged
    /// Its earlier value is no longer held, so it was left as it is.
    case notHeld
    /// It referred to a record that is not in the store, so it was left as it is.
    case targetMissing
  }

  /// The entity's name.
  public let entity: String
  /// The record.
  public let id: RecordID
  /// Whether the record had been deleted, and lives again.
  public let isNewLife: Bool
  /// What became of each property, by name.
  public let outcomes: [String: Outcome]

  /// The names of the properties with an outcome.
  public func properties(_ outcome: Outcome) -> [String] {
    outcomes.filter { $0.value == outcome }.keys.sorted()
  }
}
