import StrandlineModels
import StrandlineSettings
import StrandlineStorage

// The switch while the engine runs: what the person turned, and cloud copies to be purged.
extension SyncEngine {
  /// What of the switch makes the engine do something.
  struct SwitchView: Hashable, Sendable {
    let isWanted: Bool
    let isPurging: Bool

    init(_ state: SyncSwitch, _ peer: Int64?) {
      isWanted = state.isWanted
      isPurging = state.purges.contains { $0.peer == peer }
    }
  }

  /// Purges the peer's zone, if the person asked for that and sync is still off.
  ///
  /// - Parameter mayWait: Whether a wait that is not over yet is kept to.
  /// - Returns: What became of it; nil where nothing is to be purged now.
  /// - Throws: `leaseHeld`, where another process syncs this store and does it; errors of the
  ///   store.
  package func purge(keepingWaits mayWait: Bool) async throws -> PurgeOutcome? {
    try await start()
    await turn()
    defer { finishTurn() }
    guard let peerID else { return nil }
    let attempt = PurgeAttempt(
      store: store, transport: transport, peerID: peerID, deviceName: options.deviceName,
      account: account)
    // A task of its own, so that stopping the engine can end it.
    let task = Task {
      try await attempt.run(keepingWaits: mayWait, random: Double.random(in: 0..<1))
    }
    purging = task
    defer { purging = nil }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Does a purge that is due, and plans the next attempt.
  func purgeInBackground() async throws {
    let outcome = try await purge(keepingWaits: true)
    if let outcome, outcome.isDone {
      var done = report()
      done.purge = outcome
      tell(done)
      return
    }
    guard let peerID else { return }
    let now = store.clock.milliseconds
    let purge = try await store.read {
      try $0.syncSwitch().purges.first { $0.peer == peerID }
    }
    guard let retryAt = purge?.failure?.retryAt else { return }
    nextDue = DueTime(max(0, min(retryAt - now, PeerRow.longestWait)), after: now)
  }

  /// Whether somebody turned the switch since the engine looked last, perhaps another process.
  ///
  /// A cycle that began by itself is ended between two of its steps where sync was switched off.
  func isSwitchTurned() async -> Bool {
    do {
      let view = SwitchView(try await store.read { try $0.syncSwitch() }, peerID)
      defer { seenSwitch = view }
      guard let seen = seenSwitch, seen != view else { return false }
      if !view.isWanted { await endOwnCycle() }
      isRefreshWanted = true
      return true
    } catch {
      // What the store's trouble is, the next cycle tells; the switch is looked at again.
      return false
    }
  }

  /// Ends what runs by itself, since the person has switched sync off.
  package func turnOff() async {
    await endOwnCycle()
    refresh()
  }
}
