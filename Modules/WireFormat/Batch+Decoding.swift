import StrandlineModels

extension Batch {
  /// Reads what ``encode()`` writes.
  ///
  /// The bytes may come from anybody. Keys that this version does not know are skipped, so that a
  /// later version may add some; a newer format number is refused.
  ///
  /// - Throws: ``WireError`` with the byte at which the bytes are no batch.
  public init(
    decoding bytes: [UInt8], limits: WireLimits = .standard
  ) throws(WireError) {
    self = try BatchDecoder(CBORReader(bytes, subject: "batch"), limits: limits).decode()
  }

  /// Reads a batch that stands somewhere in more bytes.
  package init(
    decoding range: Range<Int>, of bytes: [UInt8], subject: String,
    limits: WireLimits = .standard
  ) throws(WireError) {
    let reader = CBORReader(bytes, subject: subject, range: range)
    self = try BatchDecoder(reader, limits: limits).decode()
  }
}

/// Reads one batch.
private struct BatchDecoder {
  private struct EntityTable {
    let name: String
    let properties: [String]
  }

  private var reader: CBORReader
  private let limits: WireLimits
  private var format: UInt64?
  private var header: [String: Value] = [:]
  private var entities: [EntityTable]?
  private var deltas: [RecordDelta]?

  init(_ reader: CBORReader, limits: WireLimits) {
    self.reader = reader
    self.limits = limits
  }

  consuming func decode() throws(WireError) -> Batch {
    var decoder = self
    return try decoder.decodeBatch()
  }

  private mutating func decodeBatch() throws(WireError) -> Batch {
    var order = CBORReader.KeyOrder()
    for _ in 0..<(try reader.map("entries of the batch", limit: limits.headerEntries)) {
      let start = reader.position
      let key = try reader.unsigned("key of the batch")
      try order.accept(start..<reader.position, in: reader)
      try decodeField(key)
    }
    try reader.finish()
    guard format != nil else { throw reader.error(.missing, "its format is missing", at: 0) }
    guard let deltas else { throw reader.error(.missing, "its changes are missing", at: 0) }
    return Batch(header: header, deltas: deltas)
  }

  private mutating func decodeField(_ key: UInt64) throws(WireError) {
    switch key {
    case BatchKey.format: try decodeFormat()
    case BatchKey.header: try decodeHeader()
    case BatchKey.entities: try decodeEntities()
    case BatchKey.deltas: try decodeDeltas()
    default: try reader.skip(depth: limits.depth)
    }
  }

  private mutating func decodeFormat() throws(WireError) {
    let start = reader.position
    let number = try reader.unsigned("format")
    guard number <= Batch.format else {
      throw reader.error(
        .newerFormat, "it is in format \(number) and this version reads up to \(Batch.format)",
        at: start)
    }
    guard number > 0 else { throw reader.error(.outOfRange, "its format is 0", at: start) }
    format = number
  }

  private mutating func decodeHeader() throws(WireError) {
    var header: [String: Value] = [:]
    let limits = limits
    try reader.entries("header entries", limits: limits) { reader, name throws(WireError) in
      let start = reader.position
      let value = try reader.value(limit: limits.valueBytes)
      // Names that differ in bytes may still be one text to Swift.
      guard header.updateValue(value, forKey: name) == nil else {
        throw reader.error(.duplicateKey, "a header entry stands twice", at: start)
      }
    }
    self.header = header
  }

  private mutating func decodeEntities() throws(WireError) {
    var tables: [EntityTable] = []
    var names: Set<ExactName> = []
    for _ in 0..<(try reader.array("entities", limit: limits.entities)) {
      let start = reader.position
      guard try reader.array("entity's parts", limit: 2) == 2 else {
        throw reader.error(.wrongType, "an entity is a name and its properties", at: start)
      }
      let name = try reader.text("entity's name", limit: limits.nameBytes)
      guard names.insert(ExactName(text: name)).inserted else {
        throw reader.error(.duplicateKey, "an entity stands twice", at: start)
      }
      tables.append(EntityTable(name: name, properties: try decodeProperties()))
    }
    entities = tables
  }

  private mutating func decodeProperties() throws(WireError) -> [String] {
    var properties: [String] = []
    var names: Set<String> = []
    for _ in 0..<(try reader.array("properties", limit: limits.properties)) {
      let start = reader.position
      let name = try reader.text("property's name", limit: limits.nameBytes)
      guard names.insert(name).inserted else {
        throw reader.error(.duplicateKey, "a property stands twice", at: start)
      }
      properties.append(name)
    }
    return properties
  }

  private mutating func decodeDeltas() throws(WireError) {
    guard format != nil else { throw reader.error(.missing, "its format is missing") }
    guard let entities else { throw reader.error(.missing, "its entities are missing") }
    let count = try reader.array("changes", limit: limits.deltas)
    var deltas: [RecordDelta] = []
    // Only so much on the word of a count; more is allocated as changes are really read.
    deltas.reserveCapacity(min(count, 4096))
    for _ in 0..<count { deltas.append(try decodeDelta(entities)) }
    self.deltas = deltas
  }

  private mutating func decodeDelta(_ entities: [EntityTable]) throws(WireError) -> RecordDelta {
    let limits = limits
    let start = reader.position
    var entity: EntityTable?
    var id: RecordID?
    var birth: Stamp?
    var death: Death?
    var versions: [String: Version] = [:]
    try reader.fields("entries of a change", limits: limits) { reader, key throws(WireError) in
      switch key {
      case DeltaKey.entity:
        entity = entities[try reader.index("entity", below: entities.count)]
      case DeltaKey.id: id = try Self.decodeID(&reader, limits)
      case DeltaKey.birth: birth = try reader.stamp("birth")
      case DeltaKey.death: death = try Self.decodeDeath(&reader)
      case DeltaKey.born, DeltaKey.later, DeltaKey.other:
        guard let entity else { throw reader.error(.missing, "the change's entity is missing") }
        var decoder = VersionDecoder(
          properties: entity.properties, limits: limits, versions: versions)
        try decoder.decode(key, birth: birth, from: &reader)
        versions = decoder.versions
      default: return false
      }
      return true
    }
    guard let entity, let id else {
      throw reader.error(.missing, "a change lacks its entity or id", at: start)
    }
    let key = RecordKey(entity: entity.name, id: id)
    return RecordDelta(key: key, birth: birth, death: death, versions: versions)
  }

  private static func decodeID(
    _ reader: inout CBORReader, _ limits: WireLimits
  ) throws(WireError) -> RecordID {
    let start = reader.position
    guard let id = RecordID(try reader.value(limit: limits.idBytes)) else {
      throw reader.error(.wrongType, "a text or bytes are expected for the id", at: start)
    }
    return id
  }

  private static func decodeDeath(_ reader: inout CBORReader) throws(WireError) -> Death {
    let start = reader.position
    guard try reader.array("death's parts", limit: 2) == 2 else {
      throw reader.error(.wrongType, "a death is a life and a stamp", at: start)
    }
    return Death(life: try reader.stamp("death's life"), stamp: try reader.stamp("death's stamp"))
  }
}
