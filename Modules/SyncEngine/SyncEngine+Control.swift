import StrandlineStorage

/// What this process lets an engine do by itself.
package struct EngineControl: Hashable, Sendable {
  /// Whether cycles are to wait until somebody says otherwise.
  package var isPaused = false
  /// Whether the app is in use.
  package var isActive = true

  package init() {}

  /// Whether a cycle may begin by itself.
  package var allowsCycles: Bool { isActive && !isPaused }
}

// What the app and the person let the engine do by itself.
extension SyncEngine {
  /// Lets no cycle begin by itself; one that did is ended.
  package func pause() async {
    control.isPaused = true
    await endOwnCycle()
  }

  /// Lets cycles begin by themselves again, the first one now.
  package func resume() {
    control.isPaused = false
    refresh()
  }

  /// Lets no cycle begin by itself while the app is not in use; one that runs goes on to its end.
  package func enterBackground() {
    control.isActive = false
  }

  /// Lets cycles begin by themselves while the app is in use, the first one now.
  package func becomeActive() {
    control.isActive = true
    refresh()
  }

  /// Runs a cycle in the background now, also where the peer waits or is blocked.
  package func refresh() {
    isRefreshWanted = true
    wake?.yield(.time)
  }
}
