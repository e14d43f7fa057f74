import StrandlineModels
public import StrandlineStorage

extension Store {
  /// What pruning by a policy would take away, and what would hold it back.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - consumers: Consumers that are not waited for.
  /// - Returns: What would go.
  /// - Throws: Errors of the store.
  public func previewPrune(
    _ policy: RetentionPolicy, passing consumers: Set<String> = []
  ) async throws -> PruneReport {
    let now = clock.milliseconds
    let id = id
    return try await read { transaction in
      let planner = PrunePlanner(
        transaction: transaction, policy: policy, now: now, passed: consumers)
      return try planner.report(try planner.plan(), store: id)
    }
  }

  /// Takes away the history that a policy does not keep and that nobody needs any more.
  ///
  /// One short transaction moves the place up to which history is gone; the rows go after that,
  /// in portions between which others save. A process that ends meanwhile leaves the rest of the
  /// rows to the next pruning.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - consumers: Consumers that are not waited for; they have to load everything again.
  /// - Returns: What went, and what holds older history back.
  /// - Throws: Errors of the store.
  @discardableResult
  public func prune(
    _ policy: RetentionPolicy, passing consumers: Set<String> = []
  ) async throws -> PruneReport {
    let now = clock.milliseconds
    let id = id
    let process = process
    let report = try await administer { transaction in
      let planner = PrunePlanner(
        transaction: transaction, policy: policy, now: now, passed: consumers)
      let report = try planner.report(try planner.plan(), store: id)
      if report.transactions > 0 {
        try transaction.settleOrphans()
        try transaction.setPrunedSequence(report.prunedTo.sequence)
        try transaction.recordEvent(
          .prune, process: process, at: now, records: report.changes,
          detail: "history up to \(report.prunedTo.sequence) went")
      }
      return report
    }
    while try await administer({ try LogSweep($0).sweepNext(rows: Self.rowsInPortion) }) {}
    try await administer { transaction in
      try transaction.sweepObservations()
      if let days = policy.historyDays {
        let kept = RetentionPolicy.milliseconds(days: max(days, Self.leastDaysOfEvents))
        try transaction.sweepEvents(before: now - kept)
      }
    }
    return report
  }

  /// How many log rows are swept while others wait to save.
  private static let rowsInPortion: Int64 = 2000

  /// What the engine did is kept for a while even where history is not.
  private static let leastDaysOfEvents = 7

  /// Prunes if that was not done within a day.
  ///
  /// The engine does so after its cycles; an app that does not sync may do so when it starts.
  ///
  /// - Returns: What went; nil where it was not due.
  /// - Throws: Errors of the store.
  @discardableResult
  public func pruneIfDue(_ policy: RetentionPolicy) async throws -> PruneReport? {
    guard policy.historyDays != nil else { return nil }
    let now = clock.milliseconds
    let last = try await read { try $0.pruneTime() }
    // A clock that was set back must not put it off for long.
    if let last, now - last < RetentionPolicy.day, last <= now { return nil }
    let report = try await prune(policy)
    try await administer { try $0.setPruneTime(now) }
    return report
  }
}

extension ReadTransaction {
  private static let pruneTimeKey = "historyPruneTime"

  fileprivate func pruneTime() throws -> Int64? {
    try connection.first(
      "SELECT value FROM strandline_meta WHERE key = ?", [.text(Self.pruneTimeKey)]
    ) { $0.integer(0) }
  }

  fileprivate func setPruneTime(_ time: Int64) throws {
    try setNumber(time, for: Self.pruneTimeKey)
  }
}
