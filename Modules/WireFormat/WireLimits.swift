public import StrandlineModels

/// How much a batch may hold; each bound is checked before anything is allocated for it.
public struct WireLimits: Hashable, Sendable {
  /// The greatest number of records in a batch.
  public var deltas: Int
  /// The greatest number of entities in a batch.
  public var entities: Int
  /// The greatest number of properties of one entity.
  public var properties: Int
  /// The greatest length in bytes of the name of an entity, property or header entry.
  public var nameBytes: Int
  /// The greatest length in bytes of a record's id.
  public var idBytes: Int
  /// The greatest length in bytes of one value.
  public var valueBytes: Int
  /// The greatest number of header entries.
  public var headerEntries: Int
  /// How deep values that this version does not know may be nested.
  public var depth: Int

  /// Sets limits.
  public init(
    deltas: Int = 1_000_000, entities: Int = 4096, properties: Int = 4096, nameBytes: Int = 1024,
    idBytes: Int = 4096, valueBytes: Int = 1 << 30, headerEntries: Int = 256, depth: Int = 32
  ) {
    self.deltas = deltas
    self.entities = entities
    self.properties = properties
    self.nameBytes = nameBytes
    self.idBytes = idBytes
    self.valueBytes = valueBytes
    self.headerEntries = headerEntries
    self.depth = depth
  }

  /// The limits of this version.
  public static let standard = WireLimits()

  /// The greatest stamp that can be carried; there is room above it to count on.
  public static let greatestStamp = Stamp(rawValue: Int64.max - 0xFFFF)
}

extension WireLimits {
  /// Tells why a record cannot be carried within these limits, or nil where it can.
  ///
  /// The answer is a part of a sentence. A reader would refuse the whole batch for such a record,
  /// so a writer asks before.
  public func problem(with delta: RecordDelta) -> String? {
    if delta.key.entity.utf8.count > nameBytes { return "its entity's name is too long" }
    if delta.key.id.bytes.count > idBytes { return "its id is longer than \(idBytes) bytes" }
    if delta.versions.count > properties { return "it has more than \(properties) properties" }
    for (property, version) in delta.versions {
      if property.utf8.count > nameBytes { return "the name of one of its properties is too long" }
      if version.value.byteCount > valueBytes {
        return "its property '\(property)' holds more than \(valueBytes) bytes"
      }
    }
    return delta.stamps.allSatisfy(Self.carries) ? nil : "one of its stamps is out of range"
  }

  static func carries(_ stamp: Stamp) -> Bool {
    stamp >= .unset && stamp <= greatestStamp
  }
}

extension RecordDelta {
  fileprivate var stamps: [Stamp] {
    var all = versions.values.flatMap { [$0.life, $0.stamp] }
    if let birth { all.append(birth) }
    if let death { all += [death.life, death.stamp] }
    return all
  }
}

extension Value {
  /// How many bytes of content the value has.
  package var byteCount: Int {
    switch self {
    case .null: 0
    case .integer, .real: 8
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    }
  }
}
