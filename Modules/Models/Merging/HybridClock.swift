/// Mints the stamps of one device so that each is greater than all that the device has seen.
///
/// The wall clock may stand still or step back; stamps still rise. The counter of a fresh
/// millisecond starts at a salt of the device, so that two devices rarely mint one stamp.
public struct HybridClock: Sendable, Hashable {
  /// The greatest stamp that was minted, read or imported.
  public private(set) var seen: Stamp
  /// Where the counter of a fresh millisecond starts on this device.
  public let salt: UInt16

  /// Continues a clock that was kept in a store.
  public init(seen: Stamp = .unset, salt: UInt16) {
    self.seen = seen
    self.salt = salt
  }

  /// Mints the next stamp, given the wall clock in milliseconds since 1970.
  public mutating func mint(now: Int64) -> Stamp {
    let fresh = Stamp(milliseconds: now, counter: salt)
    seen = max(fresh, seen.next)
    return seen
  }

  /// Lifts the clock over a stamp that another writer made.
  public mutating func observe(_ stamp: Stamp) {
    seen = max(seen, stamp)
  }
}
