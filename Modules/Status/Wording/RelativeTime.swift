/// How long ago something was, in words.
public enum RelativeTime {
  private struct Unit {
    let milliseconds: Int64
    let name: String
    let sign: String
  }

  private static let units = [
    Unit(milliseconds: 31_557_600_000, name: "year", sign: "y"),
    Unit(milliseconds: 2_629_800_000, name: "month", sign: "mo"),
    Unit(milliseconds: 604_800_000, name: "week", sign: "w"),
    Unit(milliseconds: 86_400_000, name: "day", sign: "d"),
    Unit(milliseconds: 3_600_000, name: "hour", sign: "h"),
    Unit(milliseconds: 60_000, name: "minute", sign: "min"),
    Unit(milliseconds: 1000, name: "second", sign: "s"),
  ]

  /// A time seen from now, such as "2 seconds ago", "yesterday" or "in 3 weeks".
  ///
  /// - Parameters:
  ///   - milliseconds: The time, in milliseconds since 1970.
  ///   - now: The present time.
  ///   - style: The plain style, or the short one with "2 s ago".
  /// - Returns: The words.
  public static func text(
    _ milliseconds: Int64, now: Int64, _ style: Wording.Style = .plain
  ) -> String {
    let (difference, overflows) = now.subtractingReportingOverflow(milliseconds)
    if overflows { return milliseconds < now ? "long ago" : "in a long time" }
    let distance = difference.magnitude
    guard
      let unit = units.first(where: { distance >= UInt64($0.milliseconds) }), distance >= 2000
    else { return "just now" }
    let count = distance / UInt64(unit.milliseconds)
    if unit.name == "day", count == 1 { return difference > 0 ? "yesterday" : "tomorrow" }
    let amount =
      style == .short ? "\(count) \(unit.sign)" : Wording.count(Int(clamping: count), unit.name)
    return difference > 0 ? "\(amount) ago" : "in \(amount)"
  }
}
