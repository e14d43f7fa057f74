/// What a pruning takes away, and what holds it back.
public struct PruneReport: Hashable, Sendable {
  /// Something that still needs older history than the policy keeps.
  public struct Hold: Hashable, Sendable {
    /// What it is.
    public enum Kind: String, Hashable, Sendable {
      /// A consumer that has not processed it yet.
      case consumer
      /// A peer that has not acknowledged it yet.
      case peer
    }

    /// What it is.
    public let kind: Kind
    /// The consumer's name, or the peer's specification.
    public let name: String
    /// The place up to which it needs nothing any more.
    public let token: HistoryToken
    /// How many transactions the policy would take away beyond that place.
    public let transactions: Int
  }

  /// The place up to which history is gone.
  public let prunedTo: HistoryToken
  /// How many transactions go.
  public let transactions: Int
  /// How many changes go with them.
  public let changes: Int
  /// How many earlier values go with them.
  public let preservedValues: Int
  /// What holds older history back than the policy keeps, the one that needs most first.
  public let holds: [Hold]
  /// The consumers whose place is pruned; they have to load everything again.
  public let expiredConsumers: [String]
}
