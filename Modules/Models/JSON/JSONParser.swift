/// Why text is not JSON, and where.
public struct JSONError: ExplainedError {
  /// The line, from 1.
  public let line: Int
  /// The column in characters, from 1.
  public let column: Int
  /// What is wrong there.
  public let reason: String

  /// The stable name.
  public var codeName: String { "invalidJSON" }
  /// Where and what.
  public var message: String {
    "Could not read the JSON at line \(line), column \(column): \(reason)."
  }
  /// What to do.
  public var advice: String { "Correct the text there." }
}

extension JSONValue {
  /// Reads one JSON value (RFC 8259); nothing but white space may follow it.
  ///
  /// A member that stands twice in one object is refused, since readers disagree about which
  /// of the two counts.
  public init(parsing text: String) throws(JSONError) {
    var parser = JSONParser(text)
    self = try parser.parseDocument()
  }
}

struct JSONParser {
  private static let depthLimit = 512
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  mutating func parseDocument() throws(JSONError) -> JSONValue {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    let value = try parseValue(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw error("there is more text after the value") }
    return value
  }

  private mutating func parseValue(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < Self.depthLimit else {
      throw error("values are nested more than \(Self.depthLimit) deep")
    }
    skipSpace()
    guard let next = peek() else { throw error("the text ends where a value is expected") }
    switch next {
    case UInt8(ascii: "{"): return try parseObject(depth: depth)
    case UInt8(ascii: "["): return try parseArray(depth: depth)
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
    case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
    case UInt8(ascii: "n"): return try parseWord("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
    default: throw error("a value is expected here")
    }
  }

  private mutating func parseObject(depth: Int) throws(JSONError) -> JSONValue {
    position += 1
    var members: [JSONValue.Member] = []
    var names: Set<String> = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object([]) }
    while true {
      skipSpace()
      guard peek() == UInt8(ascii: "\"") else { throw error("a name in quotes is expected here") }
      let start = position
      let name = try parseString()
      guard names.insert(name).inserted else {
        position = start
        throw error("the name \"\(name)\" stands twice in one object")
      }
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw error("a colon is expected after the name") }
      members.append(JSONValue.Member(name, try parseValue(depth: depth + 1)))
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw error("a comma or '}' is expected here") }
    }
  }

  private mutating func parseArray(depth: Int) throws(JSONError) -> JSONValue {
    position += 1
    var elements: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array([]) }
    while true {
      elements.append(try parseValue(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(elements) }
      guard take(UInt8(ascii: ",")) else { throw error("a comma or ']' is expected here") }
    }
  }

  private mutating func parseWord(
    _ word: String, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    guard bytes[position...].starts(with: word.utf8) else {
      throw error("a value is expected here")
    }
    position += word.utf8.count
    return value
  }

  private mutating func parseNumber() throws(JSONError) -> JSONValue {
    let start = position
    _ = take(UInt8(ascii: "-"))
    let integerStart = position
    skipDigits()
    let leadingZero = bytes[integerStart...].first == UInt8(ascii: "0")
    guard position > integerStart, !leadingZero || position == integerStart + 1 else {
      throw error("this is not a number")
    }
    var isInteger = true
    if take(UInt8(ascii: ".")) {
      isInteger = false
      try requireDigits()
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isInteger = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try requireDigits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else {
      position = start
      throw error("this number is too large")
    }
    return .number(number)
  }

  private mutating func requireDigits() throws(JSONError) {
    let start = position
    skipDigits()
    guard position > start else { throw error("a digit is expected here") }
  }

  private mutating func parseString() throws(JSONError) -> String {
    position += 1
    var out: [UInt8] = []
    while true {
      guard let byte = peek() else { throw error("the text ends inside a string") }
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: out, as: UTF8.self)
      case UInt8(ascii: "\\"): out += try parseEscape()
      case 0..<0x20:
        position -= 1
        throw error("a control character stands in a string; write it as an escape")
      default: out.append(byte)
      }
    }
  }

  private mutating func parseEscape() throws(JSONError) -> [UInt8] {
    guard let byte = peek() else { throw error("the text ends inside a string") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "u"): return try parseUnicode()
    default:
      position -= 1
      throw error("this escape is not known")
    }
  }

  private mutating func parseUnicode() throws(JSONError) -> [UInt8] {
    let first = try parseUnit()
    var code = UInt32(first)
    if (0xD800..<0xDC00).contains(first) {
      guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
        throw error("half of a surrogate pair is missing")
      }
      let second = try parseUnit()
      guard (0xDC00..<0xE000).contains(second) else {
        throw error("half of a surrogate pair is missing")
      }
      code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw error("this is no Unicode character") }
    return Array(String(Character(scalar)).utf8)
  }

  private mutating func parseUnit() throws(JSONError) -> UInt16 {
    guard position + 4 <= bytes.count,
      let pair = Hexadecimal.bytes(String(decoding: bytes[position..<position + 4], as: UTF8.self))
    else { throw error("four hexadecimal digits are expected here") }
    position += 4
    return UInt16(pair[0]) << 8 | UInt16(pair[1])
  }

  private func peek() -> UInt8? {
    position < bytes.count ? bytes[position] : nil
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipDigits() {
    while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      position += 1
    }
  }

  private mutating func skipSpace() {
    while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  private func error(_ reason: String) -> JSONError {
    let before = bytes[..<min(position, bytes.count)]
    let line = before.count { $0 == 0x0A } + 1
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
    return JSONError(line: line, column: column, reason: reason)
  }
}
