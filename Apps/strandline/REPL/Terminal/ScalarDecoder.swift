/// Turns the bytes of a terminal into Unicode scalars, whatever the bytes and their portions.
///
/// A terminal sends UTF-8 but nobody warrants it: what is no UTF-8 becomes U+FFFD, byte by byte
/// where a sequence breaks off, and the byte that broke it is read anew. The C library's decoder
/// is not used, since after an error its state is undefined.
package struct ScalarDecoder: Sendable {
  private var partial: [UInt8] = []
  private var needed = 0

  /// Makes a decoder.
  package init() {}

  /// Takes a byte and returns the scalars that are complete now: none, one, or a replacement
  /// character and one.
  package mutating func decode(_ byte: UInt8) -> [Unicode.Scalar] {
    if needed > 0 {
      guard byte & 0xC0 == 0x80 else {
        partial = []
        needed = 0
        return ["\u{FFFD}"] + decode(byte)
      }
      partial.append(byte)
      needed -= 1
      return needed == 0 ? [finish()] : []
    }
    switch byte {
    case 0..<0x80: return [Unicode.Scalar(byte)]
    case 0xC2...0xDF: needed = 1
    case 0xE0...0xEF: needed = 2
    case 0xF0...0xF4: needed = 3
    default: return ["\u{FFFD}"]
    }
    partial = [byte]
    return []
  }

  private mutating func finish() -> Unicode.Scalar {
    defer { partial = [] }
    let lead = UInt32(partial[0]) & (0x7F >> UInt32(partial.count))
    let code = partial.dropFirst().reduce(lead) { $0 << 6 | UInt32($1 & 0x3F) }
    let least: UInt32 = partial.count == 2 ? 0x80 : partial.count == 3 ? 0x800 : 0x10000
    guard code >= least, let scalar = Unicode.Scalar(code) else { return "\u{FFFD}" }
    return scalar
  }
}
