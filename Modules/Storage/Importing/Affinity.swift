import StrandlineModels

/// Whether a column would store a value as it was sent.
///
/// SQLite may convert a value to suit its column: text that looks like a number becomes one in
/// an INTEGER column, −0.0 loses its sign, NaN becomes null. A value that changes when it is
/// stored would be sent back as another value with the same stamp, and so for ever.
enum Affinity {
  static func stores(_ value: Value, in property: Property) -> Bool {
    if case .real(let number) = value {
      if number.isNaN || (number == 0 && number.sign == .minus) { return false }
    }
    guard let type = property.attributeType else { return true }
    switch (type.columnType, value) {
    case ("TEXT", .integer), ("TEXT", .real): return false
    case ("INTEGER", .real(let number)): return Int64(exactly: number) == nil
    case ("REAL", .integer): return false
    case ("INTEGER", .text(let text)), ("REAL", .text(let text)): return !looksNumeric(text)
    default: return true
    }
  }

  private static func looksNumeric(_ text: String) -> Bool {
    let trimmed = text.drop { $0.isWhitespace }
    guard let first = trimmed.first else { return false }
    return first.isNumber || "+-.".contains(first)
  }
}
