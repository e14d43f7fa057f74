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

  /// Gives back what one engine took.
  package func giveBack() {
    state.withLock { state in
      state.holders = max(0, state.holders - 1)
      if state.holders == 0 { state.lease = nil }
    }
  }
}
