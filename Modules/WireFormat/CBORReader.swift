import CCBOR

/// Reads CBOR in the core deterministic encoding of RFC 8949, item by item.
///
/// The bytes may come from anybody: nothing is allocated by a declared length or count before
/// that was compared with the bytes that are there, and every fault is a ``WireError`` that names
/// the byte. Integers and lengths that are not in their shortest form, indefinite lengths and keys
/// out of order are refused, so that one content has one form.
package struct CBORReader {
  let bytes: [UInt8]
  private let subject: String
  let end: Int
  /// The next byte to be read.
  package private(set) var position: Int

  /// Reads a part of some bytes, by default all; the subject stands in errors.
  package init(_ bytes: [UInt8], subject: String, range: Range<Int>? = nil) {
    self.bytes = bytes
    self.subject = subject
    position = range?.lowerBound ?? 0
    end = min(range?.upperBound ?? bytes.count, bytes.count)
  }

  /// Makes an error at a byte, by default the next one.
  package func error(
    _ code: WireError.Code, _ reason: String, at position: Int? = nil
  ) -> WireError {
    WireError(code, subject, at: position ?? self.position, reason)
  }

  /// Refuses bytes that follow the end.
  package func finish() throws(WireError) {
    guard position == end else {
      throw error(.trailingBytes, "\(end - position) bytes follow its end")
    }
  }

  mutating func next() throws(WireError) -> strand_cbor_item {
    var item = strand_cbor_item()
    let result = bytes.withUnsafeBufferPointer { buffer in
      let rest = UnsafeBufferPointer(rebasing: buffer[position..<end])
      return strand_cbor_read(rest.baseAddress, rest.count, &item)
    }
    switch result.status {
    case CBOR_DECODER_FINISHED: break
    case CBOR_DECODER_NEDATA: throw error(.truncated, "it ends too early")
    default: throw error(.malformed, "this is no CBOR")
    }
    if item.kind == STRAND_CBOR_INDEFINITE {
      throw error(.notDeterministic, "a length or an end is left open")
    }
    try requireShortest(item, read: result.read)
    position += result.read
    return item
  }

  private func requireShortest(_ item: strand_cbor_item, read: Int) throws(WireError) {
    let head: Int
    switch item.kind {
    case STRAND_CBOR_BYTES, STRAND_CBOR_TEXT: head = read - Int(clamping: item.number)
    case STRAND_CBOR_UNSIGNED, STRAND_CBOR_NEGATIVE, STRAND_CBOR_ARRAY, STRAND_CBOR_MAP,
      STRAND_CBOR_TAG:
      head = read
    default: return
    }
    guard head == Self.headLength(item.number) else {
      throw error(.notDeterministic, "a number or a length is longer than it need be")
    }
  }

  private static func headLength(_ number: UInt64) -> Int {
    switch number {
    case 0..<24: 1
    case 24...0xFF: 2
    case 0x100...0xFFFF: 3
    case 0x1_0000...0xFFFF_FFFF: 5
    default: 9
    }
  }
}
