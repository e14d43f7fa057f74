import StrandlineModels
import StrandlineStorage
import StrandlineTransport

/// Does what a cycle asks for, with the real store and the real transport.
struct EffectPerformer: Sendable {
  let store: Store
  let transport: any Transport
  let peerID: Int64
  let deviceName: String
  /// Records in a group, beyond which a long upload goes in several groups under a mark.
  let uploadLimit: Int
  /// How many records one catch-up may delete before the person is asked.
  var deleteLimit = DeleteLimit.standard
  /// How many questions about the peer were answered when the cycle began; nil where no cycle runs.
  var answers: Int64?

  /// Does an effect and tells its answer; those that only write the event log have none.
  func perform(_ effect: CycleEffect, _ log: inout EventLog) async -> CycleEvent? {
    do {
      switch effect {
      case .beginEvent(let kind): try await log.begin(kind, store, peerID)
      case .endEvent(let kind, let records, let error):
        try await log.end(kind, store, records: records, error: error)
      case .askAccount:
        return .account(
          await result { () throws(TransportError) in
            try await transport.account()
          })
      case .openZone(let request):
        return .opened(
          await result { () throws(TransportError) in
            try await transport.open(request)
          })
      case .fetch(let request):
        return .fetched(
          await result { () throws(TransportError) in
            try await transport.fetch(request)
          })
      case .send(let page):
        return .sent(
          await result { () throws(TransportError) in
            try await transport.send(page)
          })
      case .exchangeReceipts(let receipt):
        let answer = await result { () throws(TransportError) in
          try await transport.exchangeReceipts(receipt)
        }
        try await recordWork()
        return .receipts(answer)
      case .reconcile, .renewPeer, .beginAnew, .takeNewIdentity, .resetForCompare, .apply, .gather,
        .acknowledge, .correctClock, .recordReports:
        return try await performOnStore(effect)
      case .finish: return nil
      }
      return nil
    } catch let error as StorageError where error.code == .diskFull {
      return .storeFailed(store.fullDisk(doing: "sync", error))
    } catch let error as any ExplainedError {
      return .storeFailed(error)
    } catch {
      return .storeFailed(
        StorageError(
          .inputOutput, "Could not sync, the store failed.", advice: "Open it again.",
          cause: error))
    }
  }

  /// What the transport did by itself stands in the event log, too.
  private func recordWork() async throws {
    let work = await transport.takeWork()
    guard !work.isEmpty else { return }
    try await store.administer { transaction in
      for done in work {
        switch done.kind {
        case .compaction:
          try recordEvent(.compaction, transaction, records: done.count, done.detail)
        }
      }
    }
  }

  private func performOnStore(_ effect: CycleEffect) async throws -> CycleEvent? {
    switch effect {
    case .reconcile(let zone): .reconciled(try await reconcile(zone))
    case .renewPeer: .renewed(try await renewPeer())
    case .beginAnew: .renewed(try await beginAnew())
    case .takeNewIdentity: try await takeNewIdentity()
    case .resetForCompare(let keeps):
      .resetForCompare(try await resetForCompare(keepsAcknowledgement: keeps))
    case .apply(let pages): .applied(try await apply(pages))
    case .correctClock(let error): .clockCorrected(try await correctClock(after: error))
    case .gather(let refusals): try await gather(excluding: refusals)
    case .acknowledge(let group, let acceptance, let deaths, let refusals):
      try await acknowledge(group, acceptance, deaths: deaths, refusals: refusals)
    case .recordReports(let reports): try await record(reports)
    default: nil
    }
  }

  private func result<T>(
    _ body: () async throws(TransportError) -> T
  ) async -> Result<T, TransportError> {
    do {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }

  func present(_ transaction: ReadTransaction) throws -> PeerRow {
    guard let peer = try transaction.peer(peerID) else {
      throw SyncError.notFollowed
    }
    guard answers.map({ $0 == peer.answers }) ?? true else {
      throw SyncError.answered(peer.specification)
    }
    return peer
  }
}

/// The events of one cycle that are written to the store's event log.
struct EventLog {
  private var open: [ActivityKind: Int64] = [:]

  mutating func begin(_ kind: ActivityKind, _ store: Store, _ peer: Int64) async throws {
    let now = store.clock.milliseconds
    let process = store.process
    open[kind] = try await store.administer {
      try $0.beginEvent(peer: peer, kind: kind.rawValue, process: process, at: now)
    }
  }

  mutating func end(
    _ kind: ActivityKind, _ store: Store, records: Int, error: (any ExplainedError)?
  ) async throws {
    guard let id = open.removeValue(forKey: kind) else { return }
    let now = store.clock.milliseconds
    try await store.administer { try $0.endEvent(id, at: now, records: records, error: error) }
  }

  /// Ends what has begun and not ended.
  mutating func endAll(_ store: Store, error: any ExplainedError) async throws {
    for kind in open.keys { try await end(kind, store, records: 0, error: error) }
  }
}
