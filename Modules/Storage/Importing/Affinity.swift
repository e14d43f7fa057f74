import StrandlineModels

/// Whether a column would store a value as it was sent.
///
/// SQLite may convert a value to suit its column: text that looks like a number becomes one in
/// an INTEGER column, −0.0 loses its sign, NaN becomes null. A value that changes when it is
/// stored would be sent back as another value with the same stamp, and so for ever.
enum Affinity {
  /// Whether SQLite keeps a value as it is in a column without a type.
  static func isKept(_ value: Value) -> Bool {
    guard case .real(let number) = value else { return true }
    return !number.isNaN
  }

  static func stores(_ value: Value, in property: Property) -> Bool {
    if case .real(let number) = value {
      if number.isNaN || (number == 0 && number.sign == .minus) { return false }
    }
    guard let type = property.attributeType else { return true }
    switch (type.columnType, value) {
    case ("TEXT", .integer), ("TEXT", .real): return false
    case ("INTEGER", .real(let number)): return Int64(exactly: number) == nil
    case ("REAL", .integer): return false
    case ("INTEGER", .text(let text)), ("REAL", .text(let text)): return !isNumber(text)
    default: return true
    }
  }

  /// Whether SQLite takes a text for a number: digits with a sign, a point and an exponent if need
  /// be, between white space, and nothing else.
  private static func isNumber(_ text: String) -> Bool {
    var rest = text.utf8[...]
    rest = rest.drop(while: isSpace)
    dropSign(&rest)
    var digits = dropDigits(&rest)
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      digits += dropDigits(&rest)
    }
    guard digits > 0 else { return false }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      dropSign(&rest)
      guard dropDigits(&rest) > 0 else { return false }
    }
    return rest.allSatisfy(isSpace)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
  }

  private static func dropSign(_ text: inout Substring.UTF8View) {
    if text.first == UInt8(ascii: "+") || text.first == UInt8(ascii: "-") { text.removeFirst() }
  }

  private static func dropDigits(_ text: inout Substring.UTF8View) -> Int {
    let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    text = text.dropFirst(digits.count)
    return digits.count
  }
}
