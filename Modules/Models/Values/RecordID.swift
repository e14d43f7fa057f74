public import Foundation

/// The identity of a record, for ever: a UUID, a text, or the joined ids of a link.
///
/// New records get a version 7 UUID, whose order is the order of their making, which keeps
/// inserts at the end of the table's tree. Identity-keyed entities and adopted tables use text.
/// A many-to-many link uses the bytes of its two ids one after the other, which plain SQL can
/// write too.
public struct RecordID: Hashable, Sendable {
  private enum Form: Hashable, Sendable {
    case uuid(UInt64, UInt64)
    case text(UTF8Text)
    case bytes([UInt8])
  }

  /// Text that is compared by its bytes, as SQLite compares it; Swift takes two spellings of one
  /// accented letter for equal.
  private struct UTF8Text: Hashable, Sendable {
    let text: String

    static func == (left: UTF8Text, right: UTF8Text) -> Bool {
      left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
      for byte in text.utf8 { hasher.combine(byte) }
    }
  }

  private let form: Form

  /// Wraps a UUID.
  public init(_ uuid: UUID) {
    self.init(bytes: withUnsafeBytes(of: uuid.uuid) { Array($0) })
  }

  /// Wraps a text id.
  public init(text: String) {
    form = .text(UTF8Text(text: text))
  }

  /// Wraps the bytes of an id; 16 of them are a UUID.
  public init(bytes: [UInt8]) {
    if bytes.count == 16 {
      form = .uuid(Self.word(bytes[0..<8]), Self.word(bytes[8..<16]))
    } else {
      form = .bytes(bytes)
    }
  }

  /// Reads an id as it stands in a store, or nil for a value that no id can be.
  public init?(_ value: Value) {
    switch value {
    case .text(let text): self.init(text: text)
    case .blob(let bytes): self.init(bytes: bytes)
    default: return nil
    }
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func bytes(of word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
  }

  /// The id as it stands in a store.
  public var value: Value {
    switch form {
    case .uuid(let high, let low): .blob(Self.bytes(of: high) + Self.bytes(of: low))
    case .text(let text): .text(text.text)
    case .bytes(let bytes): .blob(bytes)
    }
  }

  /// The id's bytes, text ids in UTF-8.
  public var bytes: [UInt8] {
    switch form {
    case .uuid(let high, let low): Self.bytes(of: high) + Self.bytes(of: low)
    case .text(let text): Array(text.text.utf8)
    case .bytes(let bytes): bytes
    }
  }

  /// The id of the link between two records.
  public static func link(_ source: RecordID, _ target: RecordID) -> RecordID {
    RecordID(bytes: source.bytes + target.bytes)
  }
}

extension RecordID {
  /// Makes a new version 7 UUID (RFC 9562) from a time and 74 random bits.
  public init(milliseconds: Int64, random: UInt64, more: UInt64) {
    let high = UInt64(truncatingIfNeeded: milliseconds) << 16 | 0x7000 | (random & 0x0FFF)
    let low = 0x8000_0000_0000_0000 | (more & 0x3FFF_FFFF_FFFF_FFFF)
    form = .uuid(high, low)
  }

  /// Makes a new id from the wall clock and the system's random source.
  public init() {
    let now = Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))
    self.init(
      milliseconds: now, random: .random(in: .min ... .max), more: .random(in: .min ... .max))
  }
}

extension RecordID: Comparable {
  /// Orders ids as SQLite orders them: text before bytes, each by its bytes.
  public static func < (left: RecordID, right: RecordID) -> Bool {
    left.value < right.value
  }
}

extension RecordID: CustomStringConvertible, LosslessStringConvertible {
  /// A UUID in lower case, a text as it is, other bytes in hexadecimal after `x`.
  public var description: String {
    switch form {
    case .uuid(let high, let low): Self.uuidText(high, low)
    case .text(let text): text.text
    case .bytes(let bytes): "x" + Hexadecimal.text(bytes)
    }
  }

  /// Reads what ``description`` writes; text that is neither a UUID nor bytes is a text id.
  public init(_ description: String) {
    let digits = description.filter { $0 != "-" }
    if description.utf8.count == 36, let bytes = Hexadecimal.bytes(digits), bytes.count == 16 {
      self.init(bytes: bytes)
    } else if description.hasPrefix("x"), let bytes = Hexadecimal.bytes(description.dropFirst()),
      bytes.count > 16
    {
      self.init(bytes: bytes)
    } else {
      self.init(text: description)
    }
  }

  private static func uuidText(_ high: UInt64, _ low: UInt64) -> String {
    let digits = Array(Hexadecimal.text(bytes(of: high) + bytes(of: low)))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      .joined(separator: "-")
  }
}

extension RecordID: Codable {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
