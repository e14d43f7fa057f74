import StrandlineModels
import StrandlineSettings
import StrandlineStorage
import StrandlineTransport

/// One attempt to purge a peer's zone, which the person has asked for.
///
/// That it is tried is on the disk before it is asked for, so a process that is killed meanwhile
/// leaves behind that the zone may be empty. No zone has to be opened for it, and none is made.
struct PurgeAttempt: Sendable {
  let store: Store
  let transport: any Transport
  let peerID: Int64
  let deviceName: String
  /// The account that must be found there, if the person named one.
  let account: String?

  /// What is to be purged, read in the transaction that notes the attempt.
  private struct Order: Sendable {
    let peer: PeerRow
    let zone: ZoneID
    let device: DeviceInfo
    let event: Int64
    let attempts: Int
  }

  /// Makes the attempt.
  ///
  /// - Parameters:
  ///   - mayWait: Whether a wait that is not over yet is kept to.
  ///   - random: A number from 0 up to 1, for the wait after a failure.
  /// - Returns: What became of it; nil where nothing is to be purged now.
  /// - Throws: Errors of the store.
  func run(keepingWaits mayWait: Bool, random: Double) async throws -> PurgeOutcome? {
    let order: Order
    switch try await begin(keepingWaits: mayWait) {
    case nil: return nil
    case .nothing(let peer): return PurgeOutcome(peer: peer, end: .wasGone)
    case .order(let found): order = found
    }
    return try await end(order, await ask(order), random: random)
  }

  // MARK: Beginning

  private enum Beginning: Sendable {
    case nothing(String)
    case order(Order)
  }

  private func begin(keepingWaits mayWait: Bool) async throws -> Beginning? {
    let now = store.clock.milliseconds
    return try await store.administer(durable: true) { transaction in
      let state = try transaction.syncSwitch()
      guard !state.isWanted, let peer = try transaction.peer(peerID),
        let purge = state.purges.first(where: { $0.peer == peerID }),
        !mayWait || purge.isDue(at: now, longestWait: PeerRow.longestWait)
      else { return nil }
      guard let zone = peer.zone else {
        // Somebody decided about the peer meanwhile, and what it was is not known any more.
        try transaction.handleSwitch(.purged(peerID), at: now)
        return .nothing(peer.specification)
      }
      try transaction.handleSwitch(.purgeBegan(peerID), at: now)
      let event = try transaction.beginEvent(
        peer: peerID, kind: "purge", process: store.process, at: now)
      return .order(
        Order(
          peer: peer, zone: ZoneID(rawValue: zone),
          device: DeviceInfo(id: try transaction.deviceID(), name: deviceName), event: event,
          attempts: purge.attempts + 1))
    }
  }

  // MARK: Asking

  private func ask(_ order: Order) async -> PurgeVerdict {
    if let refusal = await refusal(order) { return refusal }
    let verdict = await purge(order, isProven: true)
    // Another account has no such zone either: whose zone is gone was the question.
    if case .wasGone = verdict, let refusal = await refusal(order) { return refusal }
    return verdict
  }

  private func refusal(_ order: Order) async -> PurgeVerdict? {
    do {
      return PurgeVerdict(
        try await transport.account(), of: order.peer, expected: account,
        isEphemeral: transport.traits.isEphemeral)
    } catch {
      return PurgeVerdict(failure: error)
    }
  }

  private func purge(_ order: Order, isProven: Bool) async -> PurgeVerdict {
    do {
      let proof = order.peer.proof.map {
        Proof(incarnation: $0.incarnation, sequence: $0.sequence, nonce: $0.nonce)
      }
      try await transport.purge(
        PurgeRequest(device: order.device, zone: order.zone, proof: isProven ? proof : nil))
      return .purged
    } catch {
      // A zone that was put back to before what this store saw of it is purged as it is.
      if error.code == .zoneRestored && isProven { return await purge(order, isProven: false) }
      return PurgeVerdict(error)
    }
  }

  // MARK: Ending

  private func end(
    _ order: Order, _ verdict: PurgeVerdict, random: Double
  ) async throws -> PurgeOutcome {
    let isStopped = Task.isCancelled
    let now = store.clock.milliseconds
    return try await store.administer(durable: true) { transaction in
      let end: PurgeOutcome.End
      switch verdict {
      case .purged, .wasGone:
        try transaction.handleSwitch(.purged(peerID), at: now)
        try transaction.beginAnew(with: peerID)
        try transaction.endEvent(order.event, at: now, records: 0, error: nil)
        if case .purged = verdict { end = .purged } else { end = .wasGone }
      case .failed(let reason, let told):
        let error: any ExplainedError =
          isStopped ? SyncError.interruptedPurge(order.peer.specification) : reason
        let wait = BackOff().wait(afterFailures: order.attempts, random: random)
        let longest = max(min(told ?? 0, PeerRow.longestWait), wait)
        let failure = PendingPurge.Failure(
          code: error.codeName, message: error.message, advice: error.advice,
          retryAt: isStopped ? nil : now + longest)
        try transaction.handleSwitch(.purgeFailed(peerID, failure), at: now)
        try transaction.endEvent(order.event, at: now, records: 0, error: error)
        end = .pending(error)
      }
      return PurgeOutcome(peer: order.peer.specification, end: end)
    }
  }
}

extension ReadTransaction {
  /// Lets a peer be one of which nothing is known, since its zone was purged: what is there when it
  /// is synced with again is merged with what is here, and everything that is here is offered.
  func beginAnew(with id: Int64) throws {
    try forgetContents(of: id)
    guard var peer = try peer(id) else { return }
    peer.clearTrouble()
    (peer.lastSuccess, peer.caughtUp) = (nil, nil)
    if !peer.isApart {
      try endFirstSync(&peer)
      peer.firstSync = .union
      (peer.unsentUntil, peer.acknowledged) = (0, 0)
      peer.offerEverything(upTo: try logHead())
    }
    try update(peer)
  }
}

extension SyncError {
  static func interruptedPurge(_ peer: String) -> SyncError {
    SyncError(
      .interrupted, "Could not finish purging the cloud copy in '\(peer)', it was stopped.",
      advice: "It is tried again by itself.")
  }
}

extension EffectPerformer {
  /// Begins anew with a zone that this device had purged itself, after the person changed their
  /// mind.
  func beginAnew() async throws -> PeerRow {
    let now = store.clock.milliseconds
    return try await store.administer(durable: true) { transaction in
      let known = try present(transaction)
      try transaction.beginAnew(with: known.id)
      try transaction.handleSwitch(.purged(known.id), at: now)
      return try present(transaction)
    }
  }
}
