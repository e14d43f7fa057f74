/// A named reader of history and the place up to which it has read.
public struct HistoryConsumer: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The place.
  public let token: HistoryToken
  /// When the place was saved, in milliseconds since 1970.
  public let savedAt: Int64
  /// How many transactions come after the place.
  public let behind: Int
  /// Whether history was pruned beyond the place, so that everything has to be loaded again.
  public let isExpired: Bool
}
