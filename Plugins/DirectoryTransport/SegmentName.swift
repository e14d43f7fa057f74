import StrandlineModels

/// The name of a segment file: its range, generation and content, and its part of a large group.
///
/// `0000000000000000000-0000000000000000042.g0.HASH.seg` holds what its writer published after its
/// sequence 0 up to 42. A group of several files has a tag and a part before the hash:
/// `….g0.5f2a91c3.p1-3.HASH.seg`. Where the group covers what other writers had published, the `g`
/// is a `c`, so that a reader finds it without opening all files. Any other name is not a
/// segment's.
struct SegmentName: Hashable, Sendable {
  static let partLimit = 999
  static let generationLimit = 999_999_999
  private static let digits = 19

  let base: Int64
  let sequence: Int64
  let generation: Int
  /// Whether the group covers what other writers had published.
  var isCover = false
  /// Tells the groups of one range apart; nil for a group of one file.
  let tag: String?
  let part: Int
  let parts: Int
  /// The content's hash in hexadecimal.
  let hash: String

  /// The name as it stands in the folder.
  var text: String {
    var fields = [
      "\(Self.padded(base))-\(Self.padded(sequence))", "\(isCover ? "c" : "g")\(generation)",
    ]
    if let tag { fields += [tag, "p\(part)-\(parts)"] }
    return (fields + [hash, "seg"]).joined(separator: ".")
  }

  private static func padded(_ number: Int64) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}

extension SegmentName {
  /// Reads a name; nil where anything is not exactly as ``text`` writes it.
  init?(_ name: String) {
    let fields = name.split(separator: ".", omittingEmptySubsequences: false)
    guard fields.count == 4 || fields.count == 6, fields.last == "seg",
      let range = Self.pair(fields[0]), range.0 >= 0, range.1 > range.0,
      let letter = fields[1].first, letter == "g" || letter == "c",
      let generation = Int(fields[1].dropFirst()),
      (0...Self.generationLimit).contains(generation)
    else { return nil }
    var (tag, part): (String?, (Int64, Int64)) = (nil, (1, 1))
    if fields.count == 6 {
      guard fields[3].first == "p", let pair = Self.pair(fields[3].dropFirst()),
        (2...Int64(Self.partLimit)).contains(pair.1), (1...pair.1).contains(pair.0),
        Hexadecimal.bytes(fields[2])?.count == 4, fields[2] == fields[2].lowercased()
      else { return nil }
      (tag, part) = (String(fields[2]), pair)
    }
    let hash = String(fields[fields.count - 2])
    guard Hexadecimal.bytes(hash)?.count == ContentHash.length, hash == hash.lowercased() else {
      return nil
    }
    self.init(
      base: range.0, sequence: range.1, generation: generation, isCover: letter == "c",
      tag: tag, part: Int(part.0), parts: Int(part.1), hash: hash)
    guard text == name else { return nil }
  }

  private static func pair(_ text: Substring) -> (Int64, Int64)? {
    let numbers = text.split(separator: "-", omittingEmptySubsequences: false)
    guard numbers.count == 2, let first = Int64(numbers[0]), let second = Int64(numbers[1]) else {
      return nil
    }
    return (first, second)
  }
}
