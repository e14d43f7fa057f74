/// How long history is kept.
///
/// Whatever it says, history is kept as far back as a live consumer has still to read, and as a
/// peer that is not forgotten has still to acknowledge.
public struct RetentionPolicy: Hashable, Sendable {
  /// How many days of history are kept; nil keeps all.
  public var historyDays: Int?
  /// For how many days a consumer that does not save its place still holds history back; nil for
  /// ever.
  public var consumerDays: Int?

  /// Makes a policy.
  public init(historyDays: Int?, consumerDays: Int? = 180) {
    self.historyDays = historyDays
    self.consumerDays = consumerDays
  }

  /// 90 days of history, and half a year for consumers.
  public static let standard = RetentionPolicy(historyDays: 90)
  /// All history.
  public static let unlimited = RetentionPolicy(historyDays: nil, consumerDays: nil)
}

extension RetentionPolicy {
  static let day: Int64 = 86_400_000

  /// A number of days in milliseconds; far more than anybody's history is all of it.
  static func milliseconds(days: Int) -> Int64 {
    Int64(min(max(0, days), 1_000_000)) * day
  }
}
