import CCBOR
package import StrandlineModels

/// Writes CBOR in the core deterministic encoding of RFC 8949, item by item.
///
/// Integers and lengths take the shortest form. Reals are always 64 bits wide, so that a real
/// stays a real and keeps every bit. Whoever writes a map writes its keys in the order of their
/// encoded bytes.
package struct CBORWriter {
  private static let headCapacity = 9

  /// What was written so far.
  package private(set) var bytes: [UInt8]

  /// Starts with nothing, or after bytes that stand before.
  package init(after bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  /// Writes the head of an array of so many items.
  package mutating func array(_ count: Int) {
    head { cbor_encode_array_start(count, $0, $1) }
  }

  /// Writes the head of a map of so many pairs.
  package mutating func map(_ count: Int) {
    head { cbor_encode_map_start(count, $0, $1) }
  }

  /// Writes an unsigned integer.
  package mutating func unsigned(_ value: UInt64) {
    head { cbor_encode_uint(value, $0, $1) }
  }

  /// Writes an integer.
  package mutating func integer(_ value: Int64) {
    if value >= 0 {
      unsigned(UInt64(value))
    } else {
      // On the wire stands minus one minus the value, which is the value with all bits turned.
      head { cbor_encode_negint(UInt64(~value), $0, $1) }
    }
  }

  /// Writes a text.
  package mutating func text(_ value: String) {
    let count = value.utf8.count
    head { cbor_encode_string_start(count, $0, $1) }
    bytes.append(contentsOf: value.utf8)
  }

  /// Writes a byte string.
  package mutating func blob(_ value: [UInt8]) {
    head { cbor_encode_bytestring_start(value.count, $0, $1) }
    bytes.append(contentsOf: value)
  }

  /// Writes a real in 64 bits.
  package mutating func real(_ value: Double) {
    head { cbor_encode_double(value, $0, $1) }
  }

  /// Writes a null.
  package mutating func null() {
    head { cbor_encode_null($0, $1) }
  }

  /// Writes a value.
  package mutating func value(_ value: Value) {
    switch value {
    case .null: null()
    case .integer(let integer): self.integer(integer)
    case .real(let real): self.real(real)
    case .text(let text): self.text(text)
    case .blob(let bytes): blob(bytes)
    }
  }

  private mutating func head(_ encode: (UnsafeMutablePointer<UInt8>, Int) -> Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.headCapacity) { buffer in
      guard let start = buffer.baseAddress else { return }
      let count = encode(start, Self.headCapacity)
      bytes.append(contentsOf: buffer[..<count])
    }
  }
}
