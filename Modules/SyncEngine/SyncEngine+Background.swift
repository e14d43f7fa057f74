import StrandlineModels
import StrandlineSettings
import StrandlineStorage
import StrandlineTransport

extension SyncEngine {
  /// What makes a background cycle run.
  private enum Trigger: Sendable {
    case saved
    case hint
    case time
  }

  /// Keeps syncing until its task is cancelled.
  ///
  /// A cycle runs after a save of this or any other process and after an import from another peer
  /// (at once when the engine was idle, else when saves have been gathered for a while), after a
  /// hint of the transport, when a wait is over, and now and then as a safety net. Nothing runs
  /// while the person has switched sync off.
  public func run() async throws {
    try await start()
    let (triggers, trigger) = AsyncStream.makeStream(
      of: Trigger.self, bufferingPolicy: .bufferingNewest(1))
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
          if await self.isDue() { trigger.yield(.time) }
        }
        trigger.finish()
      }
      trigger.yield(.time)
      // Cancelling the task ends all of them.
      await group.waitForAll()
    }
  }

  private func cycle(on triggers: AsyncStream<Trigger>) async {
    for await _ in triggers {
      await runIfWanted()
      // Saves that come now are gathered; the first save after a pause goes at once.
      guard await sleep(options.debounce) else { return }
    }
  }

  private func isDue() -> Bool {
    guard let nextDue else { return false }
    return store.clock.milliseconds >= nextDue
  }

  private func runIfWanted() async {
    let peer = peerID
    do {
      let (isWanted, wait) = try await store.read { transaction in
        let state = try transaction.syncSwitch()
        let until = try peer.flatMap { try transaction.peer($0)?.waitingUntil } ?? 0
        return (state.isWanted && state.isAutomatic, until)
      }
      let now = store.clock.milliseconds
      nextDue = wait > now ? wait : now + options.interval.milliseconds
      if isWanted && wait <= now { try await syncIfStarted() }
    } catch {
      // The store could not be read or written. What that hides from the status no table can
      // tell, so the listeners hear of it, and the safety net tries again.
      tell(report(error: error as? any ExplainedError))
    }
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
