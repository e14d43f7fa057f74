import StrandlineModels
import Synchronization

/// A time of day that a test moves, for a store and for other clients alike.
final class ManualClock: Sendable {
  private let now: Atomic<Int64>

  init(milliseconds: Int64 = 1_800_000_000_000) {
    now = Atomic(milliseconds)
  }

  var milliseconds: Int64 {
    get { now.load(ordering: .relaxed) }
    set { now.store(newValue, ordering: .relaxed) }
  }

  /// The clock as a store takes it.
  var wall: WallClock { WallClock { self.milliseconds } }

  /// The clock as SQLite's `julianday('now')` tells it, in the middle of the millisecond.
  var julianDay: Double { 2_440_587.5 + (Double(milliseconds) + 0.5) / 86_400_000 }
}
