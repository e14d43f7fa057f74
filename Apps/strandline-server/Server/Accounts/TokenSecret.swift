import CSodium

/// The secret of an access token: what a device shows, and what the server keeps only a hash of.
///
/// It is `strand_`, 43 characters for 32 random bytes, `_`, and a checksum of eight hexadecimal
/// digits, so that scanners for leaked secrets can find it and a mistyped one is told apart from
/// an unknown one without a lookup.
package struct TokenSecret: Hashable, Sendable {
  private static let mark = "strand_"
  private static let randomBytes = 32
  private static let randomCharacters = 43
  private static let checksumBytes = 4
  /// How many of the random characters may be shown to people.
  private static let shownCharacters = 6

  /// The whole secret.
  package let text: String

  /// Makes a secret of 32 random bytes, by default from the system's source for secrets.
  package init(random: () -> [UInt8] = Self.randomBytesOfSystem) {
    let body = Self.mark + Self.base64(random())
    text = body + "_" + Self.checksum(of: body)
  }

  /// Reads a secret; nil for a text that is none or was mistyped.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    let count = Self.mark.utf8.count + Self.randomCharacters
    guard bytes.count == count + 1 + 2 * Self.checksumBytes, text.hasPrefix(Self.mark),
      bytes[count] == UInt8(ascii: "_"), bytes.allSatisfy(Self.isAllowed)
    else { return nil }
    let body = String(decoding: bytes[..<count], as: UTF8.self)
    let sum = String(decoding: bytes[(count + 1)...], as: UTF8.self)
    guard Self.checksum(of: body) == sum else { return nil }
    self.text = text
  }

  /// What is kept of it.
  package var hash: [UInt8] { Digest.blake2b(Array(text.utf8)) }

  /// Its readable beginning, which opens nothing.
  package var prefix: String {
    String(text.prefix(Self.mark.count + Self.shownCharacters))
  }

  /// Random bytes from the system's source for secrets.
  package static func randomBytesOfSystem() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: randomBytes)
    randombytes_buf(&bytes, bytes.count)
    return bytes
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING
    let capacity = sodium_base64_encoded_len(bytes.count, variant)
    var text = [CChar](repeating: 0, count: capacity)
    sodium_bin2base64(&text, capacity, bytes, bytes.count, variant)
    return String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func checksum(of body: String) -> String {
    Digest.blake2b(Array(body.utf8)).prefix(checksumBytes)
      .map { byte in
        let digits = String(byte, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
      }
      .joined()
  }
}

extension TokenSecret: CustomStringConvertible {
  /// The prefix alone, so that a secret in a log is none.
  package var description: String { prefix + "…" }
}
