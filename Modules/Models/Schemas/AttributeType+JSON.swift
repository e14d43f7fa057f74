import Foundation

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
      Timestamp.parse(text).map { .real(Double($0) / 1000) }
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
    case (.date, _) where value.real.map(Self.calendar.contains) == true:
      .string(Timestamp.text(seconds: value.real ?? 0))
    case (.uuid, .blob(let bytes)): .string(RecordID(bytes: bytes).description)
    case (.composite, .text(let text)): (try? JSONValue(parsing: text)) ?? .string(text)
    default: Self.json(ofAny: value)
    }
  }

  /// The seconds of the years 1 to 9999; a date beyond them is written as its number.
  private static let calendar: Range<Double> = -62_135_596_800..<253_402_300_800

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
