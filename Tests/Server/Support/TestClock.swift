import StrandlineModels
import Synchronization

/// A clock that stands still until it is set.
final class TestClock: Sendable {
  private let milliseconds: Mutex<Int64>

  init(_ milliseconds: Int64 = 1_700_000_000_000) {
    self.milliseconds = Mutex(milliseconds)
  }

  var now: Int64 { milliseconds.withLock { $0 } }

  var wall: WallClock { WallClock { self.now } }

  func advance(by amount: Int64) {
    milliseconds.withLock { $0 += amount }
  }
}
