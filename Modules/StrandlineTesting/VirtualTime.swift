package import StrandlineModels
import Synchronization

/// A time of day that moves only when it is told to.
package final class VirtualTime: Sendable {
  private let now: Atomic<Int64>

  /// Stands at a time, in milliseconds since 1970.
  package init(startingAt milliseconds: Int64 = 1_800_000_000_000) {
    now = Atomic(milliseconds)
  }

  /// The present time in milliseconds since 1970.
  package var milliseconds: Int64 { now.load(ordering: .relaxed) }

  /// Moves the time forward, by milliseconds.
  package func advance(by milliseconds: Int64) {
    now.wrappingAdd(milliseconds, ordering: .relaxed)
  }

  /// A clock that reads this time and is off by so many milliseconds.
  package func clock(aheadBy milliseconds: Int64) -> WallClock {
    WallClock { self.milliseconds + milliseconds }
  }
}
