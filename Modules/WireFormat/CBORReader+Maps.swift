import CCBOR

extension CBORReader {
  /// Reads a map whose keys are small numbers, in ascending order and each at most once.
  ///
  /// The body reads the value of a key that it knows and says so; any other value is skipped, so
  /// that a later version may add keys.
  package mutating func fields(
    _ what: String, limits: WireLimits = .standard,
    _ body: (inout CBORReader, UInt64) throws(WireError) -> Bool
  ) throws(WireError) {
    var order = KeyOrder()
    for _ in 0..<(try map(what, limit: limits.headerEntries)) {
      let start = position
      let key = try unsigned("key")
      try order.accept(start..<position, in: self)
      if !(try body(&self, key)) { try skip(depth: limits.depth) }
    }
  }

  /// Reads a map whose keys are texts, in the order of their encoded bytes, each at most once.
  package mutating func entries(
    _ what: String, limits: WireLimits = .standard,
    _ body: (inout CBORReader, String) throws(WireError) -> Void
  ) throws(WireError) {
    var order = KeyOrder()
    for _ in 0..<(try map(what, limit: limits.headerEntries)) {
      let start = position
      let key = try text("key", limit: limits.nameBytes)
      try order.accept(start..<position, in: self)
      try body(&self, key)
    }
  }

  /// Skips one item of any kind that this version does not know.
  package mutating func skip(depth: Int) throws(WireError) {
    guard depth > 0 else { throw error(.tooDeep, "values are nested too deep") }
    let item = try next()
    switch item.kind {
    case STRAND_CBOR_TEXT: _ = try text("value", of: item, limit: .max, at: position)
    case STRAND_CBOR_TAG: try skip(depth: depth - 1)
    case STRAND_CBOR_ARRAY: try skip(item.number, depth: depth - 1)
    case STRAND_CBOR_MAP:
      try skip(item.number.multipliedReportingOverflow(by: 2), depth: depth - 1)
    default: break
    }
  }

  private mutating func skip(
    _ count: (partialValue: UInt64, overflow: Bool), depth: Int
  ) throws(WireError) {
    try skip(count.overflow ? .max : count.partialValue, depth: depth)
  }

  private mutating func skip(_ count: UInt64, depth: Int) throws(WireError) {
    guard count <= UInt64(end - position) else {
      throw error(.truncated, "it ends too early")
    }
    for _ in 0..<count { try skip(depth: depth) }
  }

  /// Checks that the keys of one map ascend in the order of their encoded bytes.
  package struct KeyOrder {
    private var last: Range<Int>?

    /// Expects the first key.
    package init() {}

    /// Accepts the key that stands in a range of the reader's bytes.
    package mutating func accept(
      _ key: Range<Int>, in reader: CBORReader
    ) throws(WireError) {
      if let last {
        let (before, now) = (reader.bytes[last], reader.bytes[key])
        if before == now {
          throw reader.error(.duplicateKey, "a key stands twice in one map", at: key.lowerBound)
        }
        guard before.lexicographicallyPrecedes(now) else {
          throw reader.error(
            .notDeterministic, "the keys of a map are out of order", at: key.lowerBound)
        }
      }
      last = key
    }
  }
}
