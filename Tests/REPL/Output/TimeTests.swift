import Foundation
import StrandlineModels
import StrandlineREPL
import StrandlineStatus
import Testing

@Suite struct TimestampTests {
  @Test(arguments: [
    ("2026-11-30T14:03:22.120Z", 1_796_047_402_120), ("1970-01-01T00:00:00.000Z", 0),
    ("1969-12-31T23:59:59.999Z", -1), ("2000-02-29T00:00:00.000Z", 951_782_400_000),
    ("0000-01-01T00:00:00.000Z", -62_167_219_200_000),
    ("+12345-06-07T08:09:10.011Z", 327_416_976_550_011),
  ])
  func `times are written and read back`(text: String, milliseconds: Int64) {
    #expect(Timestamp.text(milliseconds) == text)
    #expect(Timestamp.parse(text) == milliseconds)
  }

  @Test(arguments: [
    ("2026-11-30", "2026-11-30T00:00:00.000Z"),
    ("2026-11-30T14:03", "2026-11-30T14:03:00.000Z"),
    ("2026-11-30T14:03:22Z", "2026-11-30T14:03:22.000Z"),
    ("2026-11-30 14:03:22.5", "2026-11-30T14:03:22.500Z"),
    ("2026-11-30T14:03:22.123456789Z", "2026-11-30T14:03:22.123Z"),
    ("2026-11-30T00:30:00+01:00", "2026-11-29T23:30:00.000Z"),
    ("2026-11-30T00:30:00-0530", "2026-11-30T06:00:00.000Z"),
    ("2024-02-29", "2024-02-29T00:00:00.000Z"),
  ])
  func `the usual forms are accepted`(text: String, meaning: String) throws {
    let milliseconds = try #require(Timestamp.parse(text))

    #expect(Timestamp.text(milliseconds) == meaning)
  }

  @Test(arguments: [
    "", "today", "2026", "2026-13-01", "2026-02-29", "2026-11-31", "2026-11-00", "26-11-30",
    "2026-11-30T", "2026-11-30T24:00", "2026-11-30T12:60", "2026-11-30T12:00:60Z",
    "2026-11-30T12:00:00.Z", "2026-11-30T12:00Zx", "2026-11-30x", "2026-1-1",
    "2026-11-30T12:00:00+1", "2026-11-30T12:00:00+25:00",
  ])
  func `anything else is no time`(text: String) {
    #expect(Timestamp.parse(text) == nil)
  }

  @Test func `every day of 800 years agrees with Foundation`() throws {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    let first = try #require(Timestamp.parse("1600-01-01"))
    for day in stride(from: Int64(0), to: 292_194, by: 61) {
      let milliseconds = first + day * 86_400_000
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let expected = [parts.year, parts.month, parts.day].compactMap(\.self)
      let written = Timestamp.text(milliseconds).prefix(10).split(separator: "-").compactMap {
        Int($0)
      }
      #expect(written == expected)
      #expect(Timestamp.parse(Timestamp.text(milliseconds)) == milliseconds)
    }
  }

  @Test func `the greatest and the least times are written without a trap`() {
    #expect(Timestamp.text(.max).hasPrefix("+292278994-08-17T"))
    #expect(Timestamp.text(.min).hasPrefix("-292275055-05-16T"))
  }

  @Test func `a clock shows the time of its zone`() throws {
    let noon = try #require(Timestamp.parse("2026-11-30T12:00:07Z"))

    #expect(Timestamp.clock(noon, secondsFromUTC: 0) == "12:00:07")
    #expect(Timestamp.clock(noon, secondsFromUTC: 3600) == "13:00:07")
    #expect(Timestamp.clock(noon, secondsFromUTC: -12 * 3600 - 60) == "23:59:07")
  }
}

@Suite struct RelativeTimeTests {
  private static let day: Int64 = 86_400_000
  private static let cases: [(ago: Int64, words: String)] = [
    (0, "just now"), (1999, "just now"), (-1999, "just now"), (2000, "2 seconds ago"),
    (59_999, "59 seconds ago"), (60_000, "1 minute ago"), (119_000, "1 minute ago"),
    (7_200_000, "2 hours ago"), (3_600_000, "1 hour ago"), (day, "yesterday"),
    (2 * day, "2 days ago"), (7 * day, "1 week ago"),
    (40 * day, "1 month ago"),
    (800 * day, "2 years ago"), (-60_000, "in 1 minute"), (-day, "tomorrow"),
    (-3 * day, "in 3 days"),
  ]

  @Test(arguments: cases)
  func `distances are said in words`(ago: Int64, words: String) {
    #expect(RelativeTime.text(1_800_000_000_000 - ago, now: 1_800_000_000_000) == words)
  }

  @Test func `distances beyond 64 bits are said too`() {
    #expect(RelativeTime.text(.min, now: .max) == "long ago")
    #expect(RelativeTime.text(.max, now: .min) == "in a long time")
  }

  @Test func `numbers agree with their nouns`() {
    #expect(Wording.count(1, "change") == "1 change")
    #expect(Wording.count(0, "change") == "0 changes")
    #expect(Wording.count(2, "entity", plural: "entities") == "2 entities")
  }
}
