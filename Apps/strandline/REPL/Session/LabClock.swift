import StrandlineModels
import Synchronization

/// The clock of one device of the lab: that of the machine, put forward or back.
final class LabClock: Sendable {
  private let base: WallClock
  private let shift = Mutex<Int64>(0)

  init(_ base: WallClock) {
    self.base = base
  }

  /// How many milliseconds it is ahead of the machine's.
  var offset: Int64 {
    get { shift.withLock { $0 } }
    set { shift.withLock { $0 = newValue } }
  }

  /// The time of day as the device sees it.
  var clock: WallClock { WallClock { [self] in base.milliseconds + offset } }
}
