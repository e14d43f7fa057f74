public import StrandlineModels

/// The device that makes an edit of an app's own, as far as the edit has to know.
public struct FleetWriter: Hashable, Sendable {
  /// A number that no other device has: one that is put back or copied goes on under a new one.
  ///
  /// What must not be edited on two devices at once, such as the two sides of a transfer, belongs
  /// to one number.
  public let number: Int

  /// An id that follows from this writer and a number, the same each time.
  public func id(_ index: Int) -> RecordID {
    RecordID(milliseconds: 1, random: UInt64(number), more: UInt64(index))
  }

  /// A new id that follows from a random source, so that a run can be played again.
  public func newID(using random: inout SeededGenerator) -> RecordID {
    RecordID(milliseconds: 2, random: random.next(), more: random.next())
  }
}
