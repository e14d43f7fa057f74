public import Foundation

extension AttributeType {
  /// Reads a value of this type from JSON, or nil where the JSON is of another kind.
  ///
  /// Dates are ISO 8601 text or seconds since 1970, UUIDs text, data base64 text.
  public func value(from json: JSONValue) -> Value? {
    switch (self, json) {
    case (_, .null): .null
    case (.text, .string(let text)): .text(text)
    case (.integer, .integer(let number)): .integer(number)
    case (.real, .number(let number)): .real(number)
    case (.real, .integer(let number)), (.date, .integer(let number)): .real(Double(number))
    case (.date, .number(let number)): .real(number)
    case (.boolean, .bool(let flag)): .integer(flag ? 1 : 0)
    case (.date, .string(let text)):
      ISODate.parse(text).map { .real($0.timeIntervalSince1970) }
    case (.uuid, .string(let text)):
      UUID(uuidString: text).map { RecordID($0).value }
    case (.data, .string(let text)):
      Data(base64Encoded: text).map { .blob(Array($0)) }
    case (.composite, _): .text(json.text)
    default: nil
    }
  }

  /// Writes a stored value as JSON; a value of another kind than the type is written as it is.
  public func json(from value: Value) -> JSONValue {
    switch (self, value) {
    case (.boolean, .integer(let number)): .bool(number != 0)
    case (.date, _) where value.real.map(ISODate.calendar.contains) == true:
      .string(ISODate.text(value.real ?? 0))
    case (.uuid, .blob(let bytes)): .string(RecordID(bytes: bytes).description)
    case (.composite, .text(let text)): (try? JSONValue(parsing: text)) ?? .string(text)
    default: Self.json(ofAny: value)
    }
  }

  private static func json(ofAny value: Value) -> JSONValue {
    switch value {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): .number(number)
    case .text(let text): .string(text)
    case .blob(let bytes): .string(Data(bytes).base64EncodedString())
    }
  }
}

/// Moments as ISO 8601 text in UTC with milliseconds, and back.
public enum ISODate {
  /// The seconds of the years 1 to 9999, which have such a text.
  static let calendar: Range<Double> = -62_135_596_800..<253_402_300_800

  /// Writes seconds since 1970, such as `2026-11-30T14:03:22.120Z`.
  public static func text(_ seconds: Double) -> String {
    // Whole milliseconds first: a formatter that truncates would show one too few.
    let rounded = (seconds * 1000).rounded() / 1000 + 0.000_1
    return Date(timeIntervalSince1970: rounded)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// Writes milliseconds since 1970.
  public static func text(milliseconds: Int64) -> String {
    text(Double(milliseconds) / 1000)
  }

  /// Reads a date, or a date and time with a zone; a date alone is its midnight in UTC.
  public static func parse(_ text: String) -> Date? {
    let styles = [
      Date.ISO8601FormatStyle(includingFractionalSeconds: true),
      Date.ISO8601FormatStyle(),
      Date.ISO8601FormatStyle().year().month().day(),
    ]
    for style in styles {
      // A style that does not fit throws; the next one may fit.
      if let date = try? style.parse(text) { return date }
    }
    return nil
  }
}
