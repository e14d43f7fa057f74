/// One value as SQLite stores it, which is what merges compare and transports carry.
///
/// The order over values is total and the same on every device, so that two writers who by
/// chance used one stamp are still decided alike: null, integer, real, text, blob; integers by
/// value, reals by IEEE 754 total order, text and blobs by their bytes.
public enum Value: Hashable, Sendable {
  /// SQL `NULL`.
  case null
  /// A 64-bit integer; booleans are 0 and 1.
  case integer(Int64)
  /// A double; dates are seconds since 1970 in UTC.
  case real(Double)
  /// Unicode text; composites are JSON text.
  case text(String)
  /// Bytes; a UUID is 16 of them.
  case blob([UInt8])
}

extension Value {
  /// Tells two values apart by kind and by bit, as SQLite stores them.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    switch self {
    case .null: break
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .text(let value): for byte in value.utf8 { hasher.combine(byte) }
    case .blob(let bytes): hasher.combine(bytes)
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer: 1
    case .real: 2
    case .text: 3
    case .blob: 4
    }
  }
}

extension Value: Comparable {
  /// Orders values alike on every device.
  public static func < (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): a < b
    case (.real(let a), .real(let b)):
      a.bitPattern != b.bitPattern && a.isTotallyOrdered(belowOrEqualTo: b)
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
    default: left.rank < right.rank
    }
  }
}

extension Value {
  /// Whether this is SQL `NULL`.
  public var isNull: Bool { self == .null }

  /// The integer, if this is one.
  public var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The number as a double, if this is a number.
  public var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  /// The text, if this is text.
  public var text: String? {
    if case .text(let value) = self { value } else { nil }
  }

  /// The bytes, if this is a blob.
  public var blob: [UInt8]? {
    if case .blob(let bytes) = self { bytes } else { nil }
  }
}
