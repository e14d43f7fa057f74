import StrandlineModels
public import StrandlineStorage

/// One activity of the engine or the store, as it was recorded.
public struct ActivityEvent: Hashable, Sendable {
  /// `setup`, `import` or `export`; what else the engine and the store do has names of its own.
  public let kind: String
  /// The peer; `none` for what the store does by itself.
  public let peer: String
  /// When it began, in milliseconds since 1970.
  public let start: Int64
  /// When it ended; nil while it runs, and for one that was interrupted.
  public let end: Int64?
  /// Whether it succeeded; nil while it runs.
  public let succeeded: Bool?
  /// Whether its process ended before it did.
  public let isInterrupted: Bool
  /// How many records it moved.
  public let records: Int
  /// The stable name of its error.
  public let errorCode: String?
  /// What could not be done and why.
  public let errorMessage: String?
  /// What to do about it.
  public let errorAdvice: String?
  /// What there is to say beside the number of records.
  public let detail: String?

  /// How it went.
  public var outcome: StatusSnapshot.Activity.Outcome {
    if isInterrupted { return .interrupted }
    return switch succeeded {
    case true: .succeeded
    case false: .failed
    case nil: .running
    }
  }

  init(_ row: EventRow, peer: String, mayRun: Bool) {
    kind = row.kind
    self.peer = peer
    start = row.started
    end = row.ended
    isInterrupted = row.ended == nil && !mayRun
    // What ended without success failed, whether it told an error or not.
    let hasFailed = row.ended != nil && row.succeeded != true
    succeeded = row.ended == nil ? (mayRun ? nil : false) : !hasFailed
    records = row.records
    detail = row.detail
    typealias Activity = StatusSnapshot.Activity
    if isInterrupted {
      errorCode = "interrupted"
      errorMessage = "Could not finish, the process ended before the activity did."
      errorAdvice = "The next cycle goes on where it was."
    } else {
      errorCode = hasFailed ? row.code ?? Activity.unexplainedCode : nil
      errorMessage = hasFailed ? row.message ?? Activity.unexplained(row.kind) : nil
      errorAdvice = hasFailed ? row.advice ?? Activity.unexplainedAdvice : nil
    }
  }
}

extension Store {
  /// The latest events, newest first.
  ///
  /// The store keeps 2000, and beyond these the latest of each peer and kind.
  public func events(limit: Int = 20) async throws -> [ActivityEvent] {
    let holder = SyncLease.holder(ofStoreAt: path)
    return try await read { transaction in
      let peers = Dictionary(
        uniqueKeysWithValues: try transaction.peers().map { ($0.id, $0.specification) })
      let rows = try transaction.events(limit: limit)
      let latest = try transaction.eventsThatMayRun()
      return rows.map { row in
        ActivityEvent(
          row, peer: row.peer == 0 ? "none" : peers[row.peer] ?? "forgotten",
          mayRun: row.peer != 0 && latest.contains(row.id) && holder != nil)
      }
    }
  }
}
