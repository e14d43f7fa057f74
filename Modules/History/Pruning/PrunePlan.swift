import StrandlineModels
import StrandlineStorage

/// How far a policy would prune, and how far it may.
struct PrunePlan {
  /// The place that the policy alone would prune to.
  let wanted: Int64
  /// The place that it may prune to: the end of a transaction.
  let end: Int64
  let holds: [Place]

  /// Where a consumer or a peer stands.
  struct Place {
    let kind: PruneReport.Hold.Kind
    let name: String
    let sequence: Int64
  }
}

/// Finds out what a policy may take away.
struct PrunePlanner {
  let transaction: ReadTransaction
  let policy: RetentionPolicy
  let now: Int64
  /// Consumers that are not waited for.
  let passed: Set<String>

  func plan() throws -> PrunePlan {
    let pruned = try transaction.prunedSequence()
    guard let days = policy.historyDays else {
      return PrunePlan(wanted: pruned, end: pruned, holds: [])
    }
    let wanted = try sequence(before: now - RetentionPolicy.milliseconds(days: days), pruned)
    let holds = try (liveConsumers() + peers()).filter { $0.sequence < wanted }
      .sorted { ($0.sequence, $0.name) < ($1.sequence, $1.name) }
    let allowed = min(wanted, holds.first?.sequence ?? wanted)
    let end = try transaction.connection.integer(
      "SELECT max(last) FROM strandline_transaction WHERE last <= ?", [.integer(allowed)])
    return PrunePlan(wanted: wanted, end: max(pruned, end), holds: holds)
  }

  /// The last sequence before the first transaction that is young enough to stay.
  ///
  /// A transaction from the future does not count: a clock that was once wrong would keep
  /// everything after it for as long.
  private func sequence(before cutoff: Int64, _ pruned: Int64) throws -> Int64 {
    let kept = try transaction.connection.first(
      """
      SELECT first FROM strandline_transaction WHERE last > ? AND time > ? AND time <= ?
      ORDER BY last LIMIT 1
      """, [.integer(pruned), .integer(cutoff), .integer(now + RetentionPolicy.day)]
    ) { $0.integer(0) - 1 }
    return try kept ?? transaction.sealedHead()?.sequence ?? 0
  }

  private func liveConsumers() throws -> [PrunePlan.Place] {
    let oldest = policy.consumerDays.map { now - RetentionPolicy.milliseconds(days: $0) } ?? .min
    return try transaction.connection.map(
      "SELECT name, sequence FROM strandline_consumer WHERE updated >= ?", [.integer(oldest)]
    ) { PrunePlan.Place(kind: .consumer, name: $0.text(0), sequence: $0.integer(1)) }
    .filter { !passed.contains($0.name) }
  }

  /// A peer that is known holds history back until it is forgotten, followed or not (C19); one of
  /// which the person decided to stay on this device gets nothing any more.
  private func peers() throws -> [PrunePlan.Place] {
    try transaction.peers().filter { !$0.isKept }.map { peer in
      let sent = max(peer.acknowledged, peer.examined)
      let held = try transaction.placeBeforeHeld(for: peer.id) ?? sent
      return PrunePlan.Place(
        kind: .peer, name: peer.specification, sequence: min(sent, held))
    }
  }
}

extension PrunePlanner {
  /// What pruning to the end of a plan takes away.
  func report(_ plan: PrunePlan, store: String) throws -> PruneReport {
    let pruned = try transaction.prunedSequence()
    let range: [Value] = [.integer(pruned), .integer(plan.end)]
    let connection = transaction.connection
    return PruneReport(
      prunedTo: HistoryToken(store: store, sequence: plan.end),
      transactions: try transactionCount(after: pruned, upTo: plan.end),
      changes: Int(
        try connection.integer(
          "SELECT count(*) FROM strandline_log WHERE sequence > ? AND sequence <= ?", range)),
      preservedValues: try transaction.holdsPreservedValues()
        ? Int(
          try connection.integer(
            "SELECT count(*) FROM strandline_preserved WHERE sequence > ? AND sequence <= ?", range)
        )
        : 0,
      holds: try plan.holds.map {
        PruneReport.Hold(
          kind: $0.kind, name: $0.name, token: HistoryToken(store: store, sequence: $0.sequence),
          transactions: try transactionCount(after: max(pruned, $0.sequence), upTo: plan.wanted))
      },
      expiredConsumers: try connection.map(
        "SELECT name FROM strandline_consumer WHERE sequence < ? ORDER BY name",
        [.integer(plan.end)]
      ) { $0.text(0) })
  }

  private func transactionCount(after start: Int64, upTo end: Int64) throws -> Int {
    Int(
      try transaction.connection.integer(
        "SELECT count(*) FROM strandline_transaction WHERE last > ? AND last <= ?",
        [.integer(start), .integer(end)]))
  }
}
