import Foundation

/// Where the time of day comes from, so that tests can hold it still or turn it back.
public struct WallClock: Sendable {
  private let read: @Sendable () -> Int64

  /// Takes a function that tells milliseconds since 1970 in UTC.
  public init(_ read: @escaping @Sendable () -> Int64) {
    self.read = read
  }

  /// Milliseconds since 1970 in UTC.
  public var milliseconds: Int64 { read() }

  /// The clock of this machine.
  public static let system = WallClock {
    Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
  }
}
