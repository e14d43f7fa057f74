import CSodium

/// BLAKE2b as libsodium makes it.
enum Digest {
  /// The number of bytes in a digest.
  static let byteCount = 32

  /// The digest of some bytes.
  static func blake2b(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: byteCount)
    // It fails only for lengths that it does not take; this one is its own.
    _ = crypto_generichash(&digest, byteCount, bytes, UInt64(bytes.count), nil, 0)
    return digest
  }

  /// Compares two digests in a time that does not depend on where they differ.
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && sodium_memcmp(left, right, left.count) == 0
  }
}
