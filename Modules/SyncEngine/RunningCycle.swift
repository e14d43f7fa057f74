import StrandlineModels
import StrandlineSettings
package import StrandlineStorage
package import StrandlineTransport

/// One cycle with a peer that goes on step by step: each step does what the machine asked for and
/// tells it the answer.
///
/// ``SyncEngine`` takes all steps one after the other. A simulation takes those of many devices in
/// turns, and drops a cycle between two of them, as a process that is killed does.
package struct RunningCycle: Sendable {
  private let performer: EffectPerformer
  private var machine: CycleMachine
  private var effects: [CycleEffect]
  private var log = EventLog()
  /// When the zone was asked last for what it has, in milliseconds since 1970.
  private var askedAt: Int64?
  /// How the cycle ended; nil while it goes on.
  package private(set) var conclusion: CycleConclusion?

  /// Begins a cycle; nothing is done before the first step.
  ///
  /// - Throws: Errors of the store, and `switchedOff` for a peer that was forgotten.
  package init(
    store: Store, transport: any Transport, options: SyncEngine.Options, account: String? = nil,
    peerID: Int64
  ) async throws {
    var performer = EffectPerformer(
      store: store, transport: transport, peerID: peerID, deviceName: options.deviceName,
      uploadLimit: options.uploadLimit, deleteLimit: options.deleteLimit)
    let reader = performer
    let (peer, device, state) = try await store.read {
      (try reader.present($0), try $0.deviceID(), try $0.syncSwitch())
    }
    if peer.isKept { throw SyncError.kept(peer.specification) }
    performer.answers = peer.answers
    var limits = CycleMachine.Limits()
    limits.stagedChanges = options.stagedChanges
    machine = CycleMachine(
      peer: peer, device: DeviceInfo(id: device, name: options.deviceName),
      schema: store.schema.syncedKeys, isEphemeral: transport.traits.isEphemeral,
      account: account,
      report: PeerReport(
        peer: transport.specification,
        isPublished: transport.traits.acknowledgement == .published),
      limits: limits)
    machine.hasWithdrawnPurge = state.withdrawn.contains(peerID)
    self.performer = performer
    effects = machine.start()
  }

  /// What the next step does; nil where none is left.
  package var next: CycleEffect? { effects.first }

  /// Does the next effect.
  ///
  /// - Returns: Whether another step is left.
  package mutating func step() async -> Bool {
    guard !effects.isEmpty else { return false }
    let effect = effects.removeFirst()
    if case .finish(let end) = effect { conclusion = end }
    if case .fetch = effect { askedAt = performer.store.clock.milliseconds }
    if let event = await performer.perform(effect, &log) { effects += machine.handle(event) }
    return !effects.isEmpty
  }

  /// Whether all stages came to their end.
  package var isCompleted: Bool {
    if case .completed = conclusion { true } else { false }
  }

  /// Leaves the cycle where it is, as if it had not been begun, but for what its steps have done.
  ///
  /// That it was left says nothing about the peer, so no back-off follows.
  package mutating func abandon() async throws {
    effects = []
    try await log.endAll(
      performer.store, error: SyncError.interrupted(performer.transport.specification))
  }

  /// Writes how the cycle ended where every process can see it.
  ///
  /// Where the store's disk is full nothing can be written. The report tells that then, and the
  /// status of every process looks at the disk itself.
  ///
  /// - Parameter random: A number from 0 up to 1, for the wait after a failure.
  /// - Returns: What was seen.
  /// - Throws: Errors of the store.
  package func end(random: Double) async throws -> PeerReport {
    do {
      return try await record(random: random)
    } catch let error as StorageError where error.code == .diskFull {
      var report = machine.report
      report.caughtUpAt = nil
      report.error = report.error ?? performer.store.fullDisk(doing: "sync", error)
      return report
    }
  }

  private func record(random: Double) async throws -> PeerReport {
    let now = performer.store.clock.milliseconds
    // What others have sent since the zone was asked is not here.
    let caughtUpAt = askedAt ?? now
    let (peerID, report, answers) = (performer.peerID, machine.report, performer.answers)
    let question = machine.question
    let conclusion = conclusion ?? .completed(caughtUp: false)
    return try await performer.store.administer { transaction in
      var report = report
      // After an answer the peer is another one to this cycle.
      guard var peer = try transaction.peer(peerID), peer.answers == answers else { return report }
      switch conclusion {
      case .completed(let caughtUp):
        peer.lastSuccess = now
        // What is not passed on yet is pending still.
        if try caughtUp && transaction.placeBeforeHeld(for: peerID) == nil {
          try transaction.endFirstSync(&peer)
          if try transaction.heldDeleteCount(of: peerID) > 0 {
            // The peer deleted them, and they are here: that is for the person to settle.
            report.awaitsWord = true
          } else {
            peer.caughtUp = caughtUpAt
            report.caughtUpAt = caughtUpAt
          }
        }
        peer.clearTrouble()
      case .failed(let error, let disposition):
        peer.note(error, disposition, at: now, random: random)
        if let question { peer.question = question }
      }
      try transaction.update(peer)
      return report
    }
  }
}

extension PeerRow {
  /// Remembers why a cycle failed, and when the next one may begin.
  fileprivate mutating func note(
    _ error: any ExplainedError, _ disposition: CycleDisposition, at now: Int64, random: Double
  ) {
    attempts += 1
    reasonCode = error.codeName
    reason = error.message
    cure = error.advice
    switch disposition {
    case .blocked:
      isBlocked = true
      waitingUntil = nil
    case .retry(let told):
      isBlocked = false
      let wait = BackOff().wait(afterFailures: attempts, random: random)
      waitingUntil = now + max(min(told ?? 0, Self.longestWait), wait)
    }
  }
}
