import StrandlineModels
import StrandlineStorage

extension SyncEngine {
  /// Lets a background cycle begin soon, since what its peer asked was answered.
  package func beginSoon() {
    nextDue = store.clock.milliseconds
  }
}
