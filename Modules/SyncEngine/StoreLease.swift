package import StrandlineStorage
import Synchronization

/// The right of this process to sync one store, which all engines of that store share.
///
/// The first engine that needs it takes the kernel's lock, the last one that gives it back
/// releases that.
package final class StoreLease: Sendable {
  private struct State {
    var lease: SyncLease?
    var holders = 0
    /// Finds out whether the store is what it was; once for as long as the lease is held.
    var confirmation: Task<Void, any Error>?
  }

  private let state = Mutex(State())
  private let store: Store

  package init(_ store: Store) {
    self.store = store
  }

  /// Takes the lease for one more engine.
  ///
  /// - Throws: `leaseHeld`, naming the process that syncs this store; `cannotOpen`.
  package func take() throws {
    try state.withLock { state in
      if state.lease == nil { state.lease = try SyncLease.take(for: store) }
      state.holders += 1
    }
  }

  /// Makes sure that the store is no copy and was not put back, or has a new identity if it was.
  ///
  /// - Throws: Errors of the store, and of the file beside it.
  package func confirm() async throws {
    let store = store
    let task = state.withLock { state in
      let task = state.confirmation ?? Task { _ = try await store.confirmInstallation() }
      state.confirmation = task
      return task
    }
    do {
      try await task.value
    } catch {
      state.withLock { $0.confirmation = nil }
      throw error
    }
  }

  /// Gives back what one engine took.
  package func giveBack() {
    state.withLock { state in
      state.holders = max(0, state.holders - 1)
      if state.holders == 0 { (state.lease, state.confirmation) = (nil, nil) }
    }
  }
}
