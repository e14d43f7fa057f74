package import StrandlineModels
import StrandlineStorage
package import StrandlineTransport

/// What the engine does for the cycle; all but the first two are answered by an event.
package enum CycleEffect {
  case beginEvent(ActivityKind)
  case endEvent(ActivityKind, records: Int, error: (any ExplainedError)?)
  case askAccount
  case openZone(OpenRequest)
  case reconcile(ZoneDescription)
  case renewPeer
  case beginAnew
  case takeNewIdentity
  case resetForCompare(keepsAcknowledgement: Bool)
  case fetch(FetchRequest)
  case apply([FetchPage])
  case gather(excluding: [Refusal])
  case send(SendPage)
  case correctClock(TransportError)
  case acknowledge(OutgoingGroup, Acceptance, deaths: [RecordDelta], refusals: [Refusal])
  case exchangeReceipts(Receipt)
  case recordReports([DeviceReport])
  case finish(CycleConclusion)
}

/// What the engine does with a peer, each reported by itself.
package enum ActivityKind: String, Sendable {
  case setup
  case `import`
  case export
  /// Deletes from elsewhere were held, since they were too many at once (C25).
  case hold
}

/// How a cycle ended.
package enum CycleConclusion {
  /// All stages came to their end; whether everything that was pending went out.
  case completed(caughtUp: Bool)
  /// A stage failed; what the engine does next follows from the error.
  case failed(any ExplainedError, CycleDisposition)
}

/// What follows a failure.
package enum CycleDisposition: Hashable, Sendable {
  /// Try again, not before so many milliseconds if somebody said so.
  case retry(afterMilliseconds: Int64?)
  /// Nothing is tried until something outside changes.
  case blocked

  init(_ remedy: TransportError.Remedy) {
    switch remedy {
    case .retry(let wait): self = .retry(afterMilliseconds: wait)
    case .split, .compareAll: self = .retry(afterMilliseconds: nil)
    case .waitForAccount, .fixClock, .ask, .stop: self = .blocked
    }
  }

  /// What a disk or another process does to the store may pass by itself; nothing else does.
  init(ofStore error: any ExplainedError) {
    let passing: Set<StorageError.Code> = [.diskFull, .inputOutput, .busy, .cannotOpen]
    let isPassing = (error as? StorageError).map { passing.contains($0.code) } ?? false
    self = isPassing ? .retry(afterMilliseconds: nil) : .blocked
  }
}
