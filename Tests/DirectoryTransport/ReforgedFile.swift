import CSodium
import StrandlineModels

extension String {
  /// A segment file with other bytes, whose hashes fit again: what a hostile writer can make.
  func reforged(
    _ bytes: [UInt8], _ change: (inout [UInt8]) -> Void
  ) -> (file: String, bytes: [UInt8]) {
    var content = Array(bytes.dropLast(16))
    change(&content)
    let hash = blake2b(content)
    let fields = split(separator: ".")
    let name = (fields.dropLast(2) + [Substring(Hexadecimal.text(hash)), "seg"])
    return (name.joined(separator: "."), content + hash)
  }
}

/// The hash that stands in names and at the ends of files.
func blake2b(_ content: [UInt8]) -> [UInt8] {
  var hash = [UInt8](repeating: 0, count: 16)
  crypto_generichash(&hash, 16, content, UInt64(content.count), nil, 0)
  return hash
}

/// The hash of a text in hexadecimal.
func blake2b(_ text: String) -> String { Hexadecimal.text(blake2b(Array(text.utf8))) }
