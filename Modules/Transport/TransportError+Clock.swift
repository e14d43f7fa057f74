// What an error about clocks says besides its sentence. The facts travel in the error's context,
// so that they are the same whether the other side is in this process or behind a connection.
extension TransportError {
  /// The other side's time of day when it refused a stamp, in milliseconds since 1970; nil where
  /// it compares no clocks or did not say.
  public var serverTime: Int64? { Self.milliseconds(context[ClockFact.now], upTo: 1 << 46) }

  /// How far ahead of its time the other side takes stamps, in milliseconds; nil where it did not
  /// say.
  public var stampBound: Int64? {
    Self.milliseconds(context[ClockFact.bound], upTo: 366 * 86_400_000)
  }

  /// The context of an error about a stamp that lies too far ahead.
  ///
  /// - Parameters:
  ///   - ahead: How far ahead it lies, in milliseconds.
  ///   - now: The time of day of whoever refuses it; nil where nobody compares clocks.
  ///   - bound: How far ahead stamps are taken.
  /// - Returns: The context.
  public static func clockContext(
    aheadBy ahead: Int64, now: Int64?, bound: Int64
  ) -> [String: String] {
    var context = [ClockFact.ahead: String(ahead), ClockFact.bound: String(bound)]
    context[ClockFact.now] = now.map { String($0) }
    return context
  }

  private enum ClockFact {
    static let ahead = "aheadMilliseconds"
    static let now = "zoneMilliseconds"
    static let bound = "boundMilliseconds"
  }

  /// A number that a peer wrote; one that no clock shows is none.
  private static func milliseconds(_ text: String?, upTo limit: Int64) -> Int64? {
    guard let number = text.flatMap({ Int64($0) }), (0...limit).contains(number) else {
      return nil
    }
    return number
  }
}
