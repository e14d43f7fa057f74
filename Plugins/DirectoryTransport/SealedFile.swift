/// The frame of every binary file in the folder: what it is, how long, and a hash at its end.
///
/// Seven bytes name the kind, one the format; eight give the length of the whole; then comes the
/// content; the last sixteen are the hash of all before. A file that is still being copied, was
/// cut, or was changed, does not open.
enum SealedFile {
  /// The kind of a file, seven bytes.
  enum Kind: String {
    case segment = "strseg\n"
    case positions = "strack\n"
  }

  /// Why a file does not open.
  enum Fault: Error, Hashable {
    /// It has not arrived whole.
    case incomplete
    /// Its content is not what was written.
    case damaged
    /// It is in a newer format.
    case newer(format: UInt8)
  }

  /// The newest format that this version reads, and the one that it writes.
  static let format: UInt8 = 1
  private static let frontLength = 16

  /// Frames some content.
  static func seal(_ content: [UInt8], as kind: Kind) -> [UInt8] {
    let length = UInt64(frontLength + content.count + ContentHash.length)
    var bytes = Array(kind.rawValue.utf8) + [format]
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
    bytes += content
    return bytes + ContentHash.of(bytes)
  }

  /// The hash at the end of a file that was framed here.
  static func hash(of sealed: [UInt8]) -> [UInt8] { Array(sealed.suffix(ContentHash.length)) }

  /// Where the content of a file begins whose end may be missing; nil where it is no such file.
  static func contentStart(of bytes: [UInt8], as kind: Kind) -> Int? {
    guard bytes.count > frontLength, bytes.starts(with: kind.rawValue.utf8), bytes[7] <= format
    else { return nil }
    return frontLength
  }

  /// Verifies a file and tells where its content stands.
  static func open(_ bytes: [UInt8], as kind: Kind) throws(Fault) -> Range<Int> {
    guard bytes.count >= frontLength + ContentHash.length else { throw .incomplete }
    guard bytes.starts(with: kind.rawValue.utf8) else { throw .damaged }
    let length = bytes[8..<frontLength].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let content = frontLength..<bytes.count - ContentHash.length
    guard ContentHash.of(bytes[..<content.upperBound]) == hash(of: bytes) else {
      throw length > UInt64(bytes.count) ? .incomplete : .damaged
    }
    guard length == UInt64(bytes.count) else { throw .damaged }
    guard bytes[7] <= format else { throw .newer(format: bytes[7]) }
    return content
  }
}
