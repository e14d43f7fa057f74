import StrandlineModels
import Testing

/// JSON is read by the letter of RFC 8259, and a fault is told by line and column.
@Suite struct JSONParserTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let text: String
    let line: Int
    let column: Int
    let reason: String
    var testDescription: String { text }

    init(_ text: String, _ line: Int, _ column: Int, _ reason: String) {
      self.text = text
      self.line = line
      self.column = column
      self.reason = reason
    }
  }

  static let faults: [Fault] = [
    Fault("", 1, 1, "the text ends where a value is expected"),
    Fault("{\"a\":", 1, 6, "the text ends where a value is expected"),
    Fault("x", 1, 1, "a value is expected here"),
    Fault("[1,]", 1, 4, "a value is expected here"),
    Fault("tru", 1, 1, "a value is expected here"),
    Fault("[\n  nul\n]", 2, 3, "a value is expected here"),
    Fault("{a: 1}", 1, 2, "a name in quotes is expected here"),
    Fault("{\"a\": 1,}", 1, 9, "a name in quotes is expected here"),
    Fault("{\"a\" 1}", 1, 6, "a colon is expected after the name"),
    Fault("{\"a\": 1 \"b\": 2}", 1, 9, "a comma or '}' is expected here"),
    Fault("[1 2]", 1, 4, "a comma or ']' is expected here"),
    Fault("[1", 1, 3, "a comma or ']' is expected here"),
    Fault("1 2", 1, 3, "there is more text after the value"),
    Fault("{}\n\n }", 3, 2, "there is more text after the value"),
    Fault("{\"é\": 1,\n \"é\": 2}", 2, 2, "the name \"é\" stands twice in one object"),
    Fault("[\"äö\", x]", 1, 8, "a value is expected here"),
    Fault("-", 1, 2, "this is not a number"),
    Fault("01", 1, 3, "this is not a number"),
    Fault("1.", 1, 3, "a digit is expected here"),
    Fault("1e+", 1, 4, "a digit is expected here"),
    Fault("[1e999]", 1, 2, "this number is too large"),
    Fault("\"a", 1, 3, "the text ends inside a string"),
    Fault("\"a\\", 1, 4, "the text ends inside a string"),
    Fault("\"a\nb\"", 1, 3, "a control character stands in a string; write it as an escape"),
    Fault("\"\\x\"", 1, 3, "this escape is not known"),
    Fault("\"\\u12\"", 1, 4, "four hexadecimal digits are expected here"),
    Fault("\"\\ud800\"", 1, 8, "half of a surrogate pair is missing"),
    Fault("\"\\ud800\\u0041\"", 1, 14, "half of a surrogate pair is missing"),
    Fault("\"\\udc00\"", 1, 8, "this is no Unicode character"),
  ]

  @Test(arguments: faults)
  func `a fault is told by line and column`(fault: Fault) throws {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: fault.text) }

    #expect(error?.line == fault.line)
    #expect(error?.column == fault.column)
    #expect(error?.reason == fault.reason)
  }

  @Test func `the error is a sentence`() {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: "{\n  x") }

    #expect(
      error?.description
        == "Could not read the JSON at line 2, column 3: a name in quotes is expected here. "
        + "Correct the text there.")
    #expect(error?.codeName == "invalidJSON")
  }

  static let values: [(String, JSONValue)] = [
    (" null ", .null), ("true", .bool(true)), ("false", .bool(false)), ("0", .integer(0)),
    ("-0", .integer(0)), ("-9223372036854775808", .integer(.min)),
    ("9223372036854775807", .integer(.max)),
    ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.0", .number(1)),
    ("-1.5E-2", .number(-0.015)), ("1e2", .number(100)), ("\"\"", .string("")),
    ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", .string("\"\\/\u{8}\u{C}\n\r\t")),
    ("\"\\u00e9\\uD83D\\uDE00\"", .string("\u{E9}\u{1F600}")), ("\"\\u0000\"", .string("\0")),
    ("[]", .array([])), ("[ 1 , [ ] ]", .array([.integer(1), .array([])])), ("{}", .object([])),
    ("\u{FEFF}{\"b\":1,\"a\":{}}", .object([.init("b", .integer(1)), .init("a", .object([]))])),
  ]

  @Test(arguments: values)
  func `a value is read as what it says`(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text) == value)
  }

  @Test(arguments: values)
  func `a value is written so that it reads as itself`(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: value.text) == value)
    #expect(try JSONValue(parsing: value.prettyText) == value)
  }

  @Test func `pretty text is indented by two spaces`() {
    let value = JSONValue.object([
      "a": .array([.integer(1), .object([])]), "b": .string("\u{1}\u{7F}é"),
    ])

    #expect(value.text == "{\"a\":[1,{}],\"b\":\"\\u0001\\u007fé\"}")
    #expect(
      value.prettyText == """
        {
          "a": [
            1,
            {}
          ],
          "b": "\\u0001\\u007fé"
        }
        """)
  }

  @Test func `nesting is bounded`() throws {
    let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
    #expect(try JSONValue(parsing: deep).text == deep)

    let error = #expect(throws: JSONError.self) {
      try JSONValue(parsing: String(repeating: "[", count: 100_000))
    }
    #expect(error?.reason == "values are nested more than 512 deep")
  }

  @Test func `every beginning of a document is read or refused, and never more`() throws {
    let text = "{\"a\": [1, -2.5e3, \"x\\u00e9\\n\"], \"b\": {\"c\": null, \"d\": true}}"

    for length in 0..<text.utf8.count {
      let beginning = String(decoding: text.utf8.prefix(length), as: UTF8.self)
      #expect(throws: JSONError.self) { try JSONValue(parsing: beginning) }
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a document with changed bytes is read or refused`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bytes = Array("{\"a\": [1, -2.5e3, \"x\\ud83d\\ude00\"], \"b\": {\"c\": null}}".utf8)
    for _ in 0..<3 {
      let index = Int.random(in: 0..<bytes.count, using: &random)
      bytes[index] = UInt8.random(in: 0...255, using: &random)
    }
    let text = String(decoding: bytes, as: UTF8.self)

    do {
      let value = try JSONValue(parsing: text)
      #expect(try JSONValue(parsing: value.text) == value, "seed \(seed)")
    } catch {
      #expect(error.line >= 1 && error.column >= 1, "seed \(seed)")
    }
  }
}
