import StrandlineStatus

/// How long ago something was, in words.
package enum RelativeTime {
  private static let units: [(milliseconds: Int64, name: String)] = [
    (31_557_600_000, "year"), (2_629_800_000, "month"), (604_800_000, "week"),
    (86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"), (1000, "second"),
  ]

  /// A time seen from now, such as "2 seconds ago", "yesterday" or "in 3 weeks".
  package static func text(_ milliseconds: Int64, now: Int64) -> String {
    let (difference, overflows) = now.subtractingReportingOverflow(milliseconds)
    if overflows { return milliseconds < now ? "long ago" : "in a long time" }
    let distance = difference.magnitude
    guard
      let unit = units.first(where: { distance >= UInt64($0.milliseconds) }), distance >= 2000
    else { return "just now" }
    let count = distance / UInt64(unit.milliseconds)
    if unit.name == "day", count == 1 { return difference > 0 ? "yesterday" : "tomorrow" }
    let amount = Wording.count(Int(clamping: count), unit.name)
    return difference > 0 ? "\(amount) ago" : "in \(amount)"
  }
}
