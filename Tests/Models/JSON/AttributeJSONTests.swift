import Foundation
import StrandlineModels
import Testing

/// Stored values as JSON and back, by the type of their attribute.
@Suite struct AttributeJSONTests {
  static let pairs: [(AttributeType, JSONValue, Value)] = [
    (.text, .string("x"), .text("x")), (.integer, .integer(7), .integer(7)),
    (.real, .number(0.5), .real(0.5)), (.boolean, .bool(true), .integer(1)),
    (.date, .string("2026-11-30T14:03:22.120Z"), .real(1_796_047_402.12)),
    (.date, .string("1969-12-31T23:59:59.000Z"), .real(-1)),
    (.uuid, .string("00010203-0405-0607-0809-0a0b0c0d0e0f"), .blob(Array(0..<16))),
    (.data, .string("AP8="), .blob([0, 0xFF])),
    (.composite, .object(["a": .array([.integer(1)])]), .text("{\"a\":[1]}")),
    (.text, .null, .null), (.composite, .null, .null),
  ]

  @Test(arguments: pairs)
  func `a value is written and read by its type`(
    type: AttributeType, json: JSONValue, value: Value
  ) {
    #expect(type.json(from: value) == json)
    #expect(type.value(from: json) == value)
  }

  @Test func `a date may be given in several ways`() {
    let noon = Value.real(1_796_040_000)

    #expect(AttributeType.date.value(from: .string("2026-11-30T12:00:00Z")) == noon)
    #expect(AttributeType.date.value(from: .string("2026-11-30T13:00:00+01:00")) == noon)
    #expect(AttributeType.date.value(from: .string("2026-11-30")) == .real(1_795_996_800))
    #expect(AttributeType.date.value(from: .integer(1_796_040_000)) == noon)
    #expect(AttributeType.date.value(from: .number(0.5)) == .real(0.5))
  }

  static let misfits: [(AttributeType, JSONValue)] = [
    (.text, .integer(1)), (.integer, .number(1.5)), (.integer, .string("1")),
    (.real, .string("1")), (.boolean, .integer(1)), (.date, .string("tomorrow")),
    (.date, .bool(true)), (.uuid, .string("x")), (.data, .string("*")), (.data, .integer(1)),
  ]

  @Test(arguments: misfits)
  func `JSON of another kind is refused`(type: AttributeType, json: JSONValue) {
    #expect(type.value(from: json) == nil)
  }

  static let strangers: [Value] = [
    .real(1e300), .real(-1e300), .real(.infinity), .real(1e17), .real(-1e12), .integer(.max),
    .integer(.min), .text("x"), .blob([1]), .null, .real(253_402_300_800),
  ]

  @Test(arguments: strangers, AttributeType.allCases)
  func `a value that another client wrote is shown, whatever it is`(
    value: Value, type: AttributeType
  ) throws {
    let text = type.json(from: value).text

    #expect(try JSONValue(parsing: text).text == text)
  }

  @Test func `a date beyond the calendar is shown as its number`() {
    #expect(AttributeType.date.json(from: .real(1e300)) == .number(1e300))
    #expect(AttributeType.date.json(from: .integer(.max)) == .integer(.max))
    #expect(
      AttributeType.date.json(from: .real(253_402_300_799))
        == .string("9999-12-31T23:59:59.000Z"))
  }
}
