import Foundation

/// When an answer says to come again: whole seconds, or a date.
enum RetryAfter {
  /// Nobody is waited for longer, whatever a header says.
  static let greatestMilliseconds: Int64 = 3_600_000

  /// The wait in milliseconds that a header asks for; nil where it says nothing of use.
  ///
  /// A date counts from the server's own date where the answer has one, so that a clock that is
  /// off changes nothing.
  static func milliseconds(in response: HTTPResponse, now: Int64) -> Int64? {
    guard let text = response[header: "Retry-After"], text.utf8.count <= 64 else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // More digits than these are more than an hour too.
      let seconds = text.utf8.count > 9 ? Int64.max / 1000 : Int64(text) ?? 0
      return bounded(seconds * 1000)
    }
    guard let then = date(text) else { return nil }
    return bounded(then - (response[header: "Date"].flatMap(date) ?? now))
  }

  /// A delay within what is waited for at all.
  static func bounded(_ milliseconds: Int64) -> Int64 {
    min(max(0, milliseconds), greatestMilliseconds)
  }

  /// Reads a date of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`, in milliseconds since 1970.
  private static func date(_ text: String) -> Int64? {
    let words = text.split(separator: " ")
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    guard words.count == 6, words[5] == "GMT", let day = Int(words[1]),
      let month = months.firstIndex(of: String(words[2])), let year = Int(words[3]),
      (1970...9999).contains(year), (1...31).contains(day)
    else { return nil }
    let time = words[4].split(separator: ":").compactMap { Int($0) }
    guard time.count == 3, (0..<24).contains(time[0]), (0..<60).contains(time[1]),
      (0...60).contains(time[2])
    else { return nil }
    let components = DateComponents(
      timeZone: .gmt, year: year, month: month + 1, day: day, hour: time[0], minute: time[1],
      second: time[2])
    guard let date = Calendar(identifier: .gregorian).date(from: components) else { return nil }
    return Int64(date.timeIntervalSince1970) * 1000
  }
}
