import CCBOR
package import StrandlineModels

extension CBORReader {
  /// Reads the head of an array, and bounds its count by a limit and by the bytes that are left.
  package mutating func array(_ what: String, limit: Int) throws(WireError) -> Int {
    try count(STRAND_CBOR_ARRAY, "an array", what, limit: limit, bytesEach: 1)
  }

  /// Reads the head of a map, and bounds its count by a limit and by the bytes that are left.
  package mutating func map(_ what: String, limit: Int) throws(WireError) -> Int {
    try count(STRAND_CBOR_MAP, "a map", what, limit: limit, bytesEach: 2)
  }

  private mutating func count(
    _ kind: strand_cbor_kind, _ form: String, _ what: String, limit: Int, bytesEach: Int
  ) throws(WireError) -> Int {
    let start = position
    let item = try next()
    guard item.kind == kind else { throw wrongType(form, what, at: start) }
    guard item.number <= UInt64(limit) else {
      throw error(.tooLarge, "there are more than \(limit) \(what)", at: start)
    }
    let count = Int(item.number)
    guard count <= (end - position) / bytesEach else {
      throw error(.truncated, "it ends before all \(what)", at: start)
    }
    return count
  }

  /// Reads an unsigned integer up to a limit.
  package mutating func unsigned(
    _ what: String, limit: UInt64 = .max
  ) throws(WireError) -> UInt64 {
    let start = position
    let item = try next()
    guard item.kind == STRAND_CBOR_UNSIGNED else { throw wrongType("a number", what, at: start) }
    guard item.number <= limit else {
      throw error(.outOfRange, "\(what) is greater than \(limit)", at: start)
    }
    return item.number
  }

  /// Reads an index below a count.
  package mutating func index(_ what: String, below count: Int) throws(WireError) -> Int {
    let start = position
    let number = try unsigned(what)
    guard number < UInt64(count) else {
      throw error(.outOfRange, "\(what) \(number) is not in its table", at: start)
    }
    return Int(number)
  }

  /// Reads a number that is not negative and fits 63 bits.
  package mutating func natural(_ what: String) throws(WireError) -> Int64 {
    Int64(try unsigned(what, limit: UInt64(Int64.max)))
  }

  /// Reads a stamp.
  package mutating func stamp(_ what: String) throws(WireError) -> Stamp {
    let limit = UInt64(WireLimits.greatestStamp.rawValue)
    return Stamp(rawValue: Int64(try unsigned(what, limit: limit)))
  }

  /// Reads a text of at most so many bytes.
  package mutating func text(_ what: String, limit: Int) throws(WireError) -> String {
    let start = position
    let item = try next()
    guard item.kind == STRAND_CBOR_TEXT else { throw wrongType("a text", what, at: start) }
    return try text(what, of: item, limit: limit, at: start)
  }

  /// Reads a byte string of at most so many bytes.
  package mutating func blob(_ what: String, limit: Int) throws(WireError) -> [UInt8] {
    let start = position
    let item = try next()
    guard item.kind == STRAND_CBOR_BYTES else { throw wrongType("bytes", what, at: start) }
    return Array(try content(what, of: item, limit: limit, at: start))
  }

  /// Reads a value: null, an integer, a 64-bit real, a text or bytes.
  package mutating func value(limit: Int) throws(WireError) -> Value {
    let start = position
    let item = try next()
    switch item.kind {
    case STRAND_CBOR_NULL: return .null
    case STRAND_CBOR_DOUBLE: return .real(item.real)
    case STRAND_CBOR_UNSIGNED, STRAND_CBOR_NEGATIVE:
      guard let magnitude = Int64(exactly: item.number) else {
        throw error(.outOfRange, "an integer does not fit 64 bits", at: start)
      }
      return .integer(item.kind == STRAND_CBOR_UNSIGNED ? magnitude : ~magnitude)
    case STRAND_CBOR_TEXT: return .text(try text("value", of: item, limit: limit, at: start))
    case STRAND_CBOR_BYTES:
      return .blob(Array(try content("value", of: item, limit: limit, at: start)))
    case STRAND_CBOR_SHORT_FLOAT:
      throw error(.notDeterministic, "a real is not 64 bits wide", at: start)
    default: throw wrongType("a null, number, text or bytes", "value", at: start)
    }
  }

  func text(
    _ what: String, of item: strand_cbor_item, limit: Int, at start: Int
  ) throws(WireError) -> String {
    let content = try content(what, of: item, limit: limit, at: start)
    guard let text = String(validating: content, as: UTF8.self) else {
      throw error(.badText, "the \(what) is not UTF-8", at: start)
    }
    return text
  }

  private func content(
    _ what: String, of item: strand_cbor_item, limit: Int, at start: Int
  ) throws(WireError) -> ArraySlice<UInt8> {
    guard item.number <= UInt64(limit) else {
      throw error(.tooLarge, "the \(what) is longer than \(limit) bytes", at: start)
    }
    return bytes[position - Int(item.number)..<position]
  }

  private func wrongType(_ form: String, _ what: String, at start: Int) -> WireError {
    error(.wrongType, "\(form) is expected for the \(what)", at: start)
  }
}
