import Foundation
import Strandline
import StrandlineFaults
import StrandlineMemoryTransport
import Synchronization

/// One device of a run: its store's file, its link, its clock, and the cycle that it is in.
struct SimulatedDevice {
  let number: Int
  let name: String
  let clock: DeviceClock
  let login: MemoryLogin
  let panel: FaultPanel
  let transport: FaultyTransport
  let options: SyncEngine.Options
  /// The number under which it makes edits that must not meet those of another.
  var writer: Int { didSet { writers.insert(writer) } }
  /// All numbers under which it has made edits.
  var writers: Set<Int>
  /// How often its store was put back; each time it lives in another folder.
  var generation = 0
  /// Whether it has the newer model.
  var isUpgraded = false
  var store: Store?
  var client: RawClient?
  var peerID: Int64 = 0
  var cycle: RunningCycle?
  /// The last sealed sequence when its records were read last.
  var headBefore: Int64 = 0
  /// The store as it was backed up.
  var backup: Data?
  /// The store as of when something was durable last; kept only where power may fail.
  var durable: Data?
  /// What was last seen of its place in the zone, which must not go back.
  var progress = Progress()

  /// A device's place in a zone.
  struct Progress: Equatable {
    var zone: String?
    var incarnation: Int64 = 0
    var sequence: Int64 = 0
    var acknowledged: Int64 = 0
    var hasCursor = false
    var compareHead: Int64 = 0
  }
}

/// A device's clock, which may be wrong.
final class DeviceClock: Sendable {
  private let offset: Atomic<Int64>
  private let time: VirtualTime
  /// By how many milliseconds it is ahead while it is taken for right.
  private let usual: Int64

  init(_ time: VirtualTime, aheadBy milliseconds: Int64) {
    usual = milliseconds
    self.time = time
    offset = Atomic(milliseconds)
  }

  /// By how many milliseconds it is ahead.
  var ahead: Int64 {
    get { offset.load(ordering: .relaxed) }
    set { offset.store(newValue, ordering: .relaxed) }
  }

  /// Sets it as right as it ever is.
  func setRight() { ahead = usual }

  var wall: WallClock { WallClock { self.time.milliseconds + self.ahead } }
}
