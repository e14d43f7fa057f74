public import StrandlineModels

/// Changes of records as they travel in files and over HTTP, with a small header.
///
/// The bytes are CBOR in the core deterministic encoding of RFC 8949: the same batch always has
/// the same bytes, and any language reads them. See ``encode()`` for their shape.
public struct Batch: Hashable, Sendable {
  /// The format that this version writes, and the newest that it reads.
  public static let format: UInt64 = 1

  /// What the sender says about the batch as a whole, by name.
  public var header: [String: Value]
  /// The changes, in the sender's order.
  public var deltas: [RecordDelta]

  /// Makes a batch.
  public init(header: [String: Value] = [:], deltas: [RecordDelta]) {
    self.header = header
    self.deltas = deltas
  }
}

/// The keys of the maps in a batch; a key once given is never given another meaning.
enum BatchKey {
  static let format: UInt64 = 0
  static let header: UInt64 = 1
  static let entities: UInt64 = 2
  static let deltas: UInt64 = 3
}

/// The keys of the map that is one delta.
enum DeltaKey {
  static let entity: UInt64 = 0
  static let id: UInt64 = 1
  static let birth: UInt64 = 2
  static let death: UInt64 = 3
  /// Versions written with the birth: properties.
  static let born: UInt64 = 4
  /// Later versions of the life that begins here: stamp, properties, and so on.
  static let later: UInt64 = 5
  /// Versions of other lives: for each life its stamp, then as above.
  static let other: UInt64 = 6
}

/// A name compared by its bytes, as SQLite and the wire compare it; `String` compares by meaning.
package struct ExactName: Hashable, Sendable {
  /// The name.
  package let text: String

  /// Wraps a name.
  package init(text: String) {
    self.text = text
  }

  package static func == (left: ExactName, right: ExactName) -> Bool {
    guard left.text.utf8.count == right.text.utf8.count else { return false }
    var (left, right) = (left.text, right.text)
    return left.withUTF8 { left in right.withUTF8 { left.elementsEqual($0) } }
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Orders names as the keys of a map are ordered: shorter ones first, then by bytes.
  static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.count != right.utf8.count
      ? left.utf8.count < right.utf8.count
      : left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}
