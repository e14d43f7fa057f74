/// A place in time that every device orders alike: a hybrid logical clock reading.
///
/// The upper 48 bits hold milliseconds since 1970 in UTC, the lower 16 a counter that tells
/// events of one millisecond apart. The idea is from Kulkarni and others, "Logical Physical
/// Clocks" (2014). Two stamps have special meanings: ``unset`` loses to everything and is never
/// sent, and ``firstLife`` is the one birth that all devices give an identity-keyed record.
public struct Stamp: RawRepresentable, Hashable, Comparable, Sendable {
  /// The bits as they stand in the store and on the wire.
  public let rawValue: Int64

  /// Takes the bits of a stamp as they are.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// The stamp of a property that was never written: it shows the local default.
  public static let unset = Stamp(rawValue: 0)

  /// The birth of every identity-keyed record that is not known to have died.
  public static let firstLife = Stamp(rawValue: 1)

  /// Makes the first stamp of a millisecond.
  public init(milliseconds: Int64, counter: UInt16 = 0) {
    rawValue = (milliseconds << 16) | Int64(counter)
  }

  /// Milliseconds since 1970 in UTC.
  public var milliseconds: Int64 { rawValue >> 16 }

  /// The counter within the millisecond.
  public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

  /// The smallest stamp that is greater than this one.
  public var next: Stamp { Stamp(rawValue: rawValue + 1) }

  /// Orders stamps by time, then counter.
  public static func < (left: Stamp, right: Stamp) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension Stamp: CustomStringConvertible {
  /// The milliseconds and the counter, for logs and tests.
  public var description: String { "\(milliseconds).\(counter)" }
}
