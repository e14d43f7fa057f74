import Foundation

/// Times as ISO 8601 text and back, in the proleptic Gregorian calendar.
///
/// Foundation's formatters are too slow for a listing of 100,000 rows, and they accept more than
/// the contract names.
package enum Timestamp {
  private static let dayMilliseconds: Int64 = 86_400_000

  /// A time in UTC with milliseconds, such as `2026-11-30T14:03:22.120Z`.
  package static func text(_ milliseconds: Int64) -> String {
    let (day, time) = milliseconds.quotientAndRemainder(flooredBy: dayMilliseconds)
    let date = civil(fromDay: day)
    let hours = pad(time / 3_600_000, 2)
    let minutes = pad(time / 60_000 % 60, 2)
    let seconds = pad(time / 1000 % 60, 2)
    return "\(year(date.year))-\(pad(date.month, 2))-\(pad(date.day, 2))"
      + "T\(hours):\(minutes):\(seconds).\(pad(time % 1000, 3))Z"
  }

  /// A time given in seconds, to the nearest millisecond; one that no calendar has is shown as
  /// its number.
  package static func text(seconds: Double) -> String {
    let milliseconds = (seconds * 1000).rounded()
    guard milliseconds.isFinite, abs(milliseconds) < 1e17 else { return "\(seconds)" }
    return text(Int64(milliseconds))
  }

  /// The time of day on a clock so many seconds ahead of UTC, such as `14:03:22`.
  package static func clock(_ milliseconds: Int64, secondsFromUTC: Int64) -> String {
    let (_, time) = (milliseconds / 1000 + secondsFromUTC).quotientAndRemainder(flooredBy: 86_400)
    return "\(pad(time / 3600, 2)):\(pad(time / 60 % 60, 2)):\(pad(time % 60, 2))"
  }

  /// How far this machine's clocks were or will be ahead of UTC at a time.
  package static func localSecondsFromUTC(at milliseconds: Int64) -> Int64 {
    var seconds = time_t(milliseconds / 1000)
    var local = tm()
    guard localtime_r(&seconds, &local) != nil else { return 0 }
    return Int64(local.tm_gmtoff)
  }

  private static func year(_ year: Int64) -> String {
    if (0...9999).contains(year) { return pad(year, 4) }
    // ISO 8601 asks for a sign where a year does not have four digits.
    return (year < 0 ? "-" : "+") + pad(abs(year), 4)
  }

  private static func pad(_ number: Int64, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// The date of a day counted from 1970-01-01: years begin in March, so that the leap day is
  /// their last, and 400 of them always have 146,097 days.
  private static func civil(fromDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (day + 719_468).quotientAndRemainder(flooredBy: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1
    )
  }

  fileprivate static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = shiftedYear.quotientAndRemainder(flooredBy: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

extension Int64 {
  fileprivate func quotientAndRemainder(flooredBy divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension Timestamp {
  /// Reads a date, or a date and time, or nil for anything else.
  ///
  /// A date alone is its first moment in UTC; so is a time without an offset taken as UTC. A
  /// fraction beyond milliseconds is cut.
  package static func parse(_ text: String) -> Int64? {
    var reader = TimestampReader(text)
    return reader.read()
  }
}

private struct TimestampReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  mutating func read() -> Int64? {
    guard bytes.count <= 64, let year = year(), take("-"), let month = digits(2),
      (1...12).contains(month), take("-"), let day = digits(2), day >= 1,
      day <= daysInMonth(month, year)
    else { return nil }
    let midnight = Timestamp.day(year: year, month: month, day: day) * 86_400_000
    if position == bytes.count { return midnight }
    guard take("T") || take("t") || take(" "), let time = time(), let offset = offset(),
      position == bytes.count
    else { return nil }
    return midnight + time - offset
  }

  private mutating func year() -> Int64? {
    let isNegative = take("-")
    guard isNegative || take("+") else { return digits(4) }
    let count = bytes[position...].prefix { isDigit($0) }.count
    guard (4...6).contains(count), let year = digits(count) else { return nil }
    return isNegative ? -year : year
  }

  private mutating func time() -> Int64? {
    guard let hour = digits(2), hour < 24, take(":"), let minute = digits(2), minute < 60 else {
      return nil
    }
    var time = hour * 3_600_000 + minute * 60_000
    guard take(":") else { return time }
    guard let second = digits(2), second < 60 else { return nil }
    time += second * 1000
    guard take(".") || take(",") else { return time }
    let fraction = bytes[position...].prefix { isDigit($0) }
    guard !fraction.isEmpty else { return nil }
    position += fraction.count
    let padded = (fraction.map { Int64($0 - UInt8(ascii: "0")) } + [0, 0]).prefix(3)
    return time + padded.reduce(0) { $0 * 10 + $1 }
  }

  private mutating func offset() -> Int64? {
    if position == bytes.count || take("Z") || take("z") { return 0 }
    let isNegative = take("-")
    guard isNegative || take("+"), let hours = digits(2), hours < 24 else { return nil }
    _ = take(":")
    let minutes = position == bytes.count ? 0 : digits(2)
    guard let minutes, minutes < 60 else { return nil }
    return (hours * 60 + minutes) * 60_000 * (isNegative ? -1 : 1)
  }

  private func daysInMonth(_ month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  private mutating func digits(_ count: Int) -> Int64? {
    let found = bytes[position...].prefix(count)
    guard found.count == count, found.allSatisfy(isDigit) else { return nil }
    position += count
    return found.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
    position += 1
    return true
  }
}
