extension RetentionPolicy {
  /// What a configuration file says of history; the standard where it says nothing.
  public init(_ retention: Configuration.Retention) {
    self = .standard
    if let days = retention.historyDays { historyDays = days }
    if retention.keepsAllHistory == true { historyDays = nil }
    if let days = retention.consumerDays { consumerDays = days }
  }
}
