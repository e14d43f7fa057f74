import CSodium

/// BLAKE2b of some bytes, as far as it stands in names and trailers.
enum ContentHash {
  /// The length of a hash in bytes.
  static let length = 16

  /// Hashes some bytes; equal bytes have equal hashes on every machine.
  static func of(_ bytes: some Collection<UInt8>, length: Int = length) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: length)
    let done: Void? = bytes.withContiguousStorageIfAvailable { input in
      // It fails only for lengths of hashes and keys that it does not offer; 8 and 16 are fine.
      _ = crypto_generichash(&hash, length, input.baseAddress, UInt64(input.count), nil, 0)
    }
    return done == nil ? of(Array(bytes), length: length) : hash
  }
}
