import StrandlineModels
import StrandlineSettings
import StrandlineStorage
import StrandlineTransport

extension SyncEngine {
  /// What makes a background cycle run.
  enum Trigger: Sendable {
    case saved
    case hint
    case time
  }

  /// Keeps syncing until its task is cancelled.
  ///
  /// A cycle runs after a save of this or any other process and after an import from another peer
  /// (at once when the engine was idle, else when saves have been gathered for a while), after a
  /// hint of the transport, when a wait is over, and now and then as a safety net. Nothing runs
  /// while the person has switched sync off, and no save wakes a peer that is blocked: what blocks
  /// it is looked at again with the safety net, and when the app becomes active.
  public func run() async throws {
    try await start()
    let (triggers, trigger) = AsyncStream.makeStream(
      of: Trigger.self, bufferingPolicy: .bufferingNewest(1))
    wake = trigger
    let changes = store.changes()
    let hints = transport.hints()
    let peer = peerID
    await withTaskGroup { group in
      group.addTask {
        for await change in changes where change.peer == nil || change.peer != peer {
          trigger.yield(.saved)
        }
      }
      group.addTask {
        for await _ in hints { trigger.yield(.hint) }
      }
      group.addTask { await self.cycle(on: triggers) }
      group.addTask {
        // A second's grain is fine for waits that begin at half a second and have jitter.
        while await self.sleep(.seconds(1)) {
          let isTurned = await self.isSwitchTurned()
          if await self.isDue() || isTurned { trigger.yield(.time) }
        }
        trigger.finish()
      }
      trigger.yield(.time)
      // Cancelling the task ends all of them.
      await group.waitForAll()
    }
  }

  private func cycle(on triggers: AsyncStream<Trigger>) async {
    for await trigger in triggers {
      await runIfWanted(trigger)
      // Saves that come now are gathered; the first save after a pause goes at once.
      guard await sleep(options.debounce) else { return }
    }
  }

  private func isDue() -> Bool { nextDue?.isOver(at: store.clock.milliseconds) ?? false }

  private func runIfWanted(_ trigger: Trigger) async {
    guard control.allowsCycles, let peerID else { return }
    do {
      let (state, row) = try await store.read {
        (try $0.syncSwitch(), try $0.peer(peerID))
      }
      // What it acts on is what it has seen, so that a turn before the first look is noticed too.
      seenSwitch = SwitchView(state, peerID)
      let isRefresh = isRefreshWanted
      isRefreshWanted = false
      if trigger == .saved, row?.isBlocked == true, !isRefresh { return }
      let now = store.clock.milliseconds
      guard state.isWanted else {
        nextDue = DueTime(options.interval.milliseconds, after: now)
        if state.purges.contains(where: { $0.peer == peerID }) { try await purgeInBackground() }
        return
      }
      let wait = row?.wait(at: now) ?? 0
      nextDue = DueTime(wait > 0 ? wait : options.interval.milliseconds, after: now)
      // What the peer asked for is kept to, whoever wants to be quick.
      let isHeldBack = wait > 0 && (!isRefresh || row?.isThrottled == true)
      guard state.isAutomatic, !isHeldBack, let report = try await syncIfMay() else { return }
      try await planReceiptCheck(after: report, peerID)
    } catch let error as SyncError where error.code == .interrupted {
      // Somebody wanted it to end.
    } catch {
      // The store could not be read or written. What that hides from the status no table can
      // tell, so the listeners hear of it, and the safety net tries again.
      tell(report(error: error as? any ExplainedError))
    }
  }

  /// Asks a little later, and once more after that, whether others have what was sent.
  ///
  /// Devices that are in use fetch it at once, and no hint tells that they have.
  private func planReceiptCheck(after report: PeerReport, _ peerID: Int64) async throws {
    if report.exported > 0 { receiptWaits = [2000, 10_000] }
    guard report.error == nil, let wait = receiptWaits.first else { return }
    receiptWaits.removeFirst()
    let isOutstanding = try await store.read { try $0.isReceiptOutstanding(at: peerID) }
    guard isOutstanding else { return receiptWaits.removeAll() }
    nextDue = DueTime(wait, after: store.clock.milliseconds)
  }

  /// Waits by the engine's clock; false where the task was cancelled.
  package nonisolated func pause(for duration: Duration) async -> Bool {
    await sleep(duration)
  }

  private nonisolated func sleep(_ duration: Duration) async -> Bool {
    do {
      try await clock.sleep(for: duration)
      return true
    } catch {
      return false
    }
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
