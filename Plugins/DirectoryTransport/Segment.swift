import StrandlineModels
import StrandlineTransport
import StrandlineWireFormat

/// One file of a published group: what it says about itself, and the changes.
struct Segment: Hashable, Sendable {
  /// What a segment says about itself.
  struct Header: Hashable, Sendable {
    /// The zone.
    var zone: ZoneID
    /// How often the zone had been purged, plus one.
    var incarnation: Int64
    /// Who wrote it.
    var writer: DeviceInfo
    /// The writer's sequence after which the group begins.
    var base: Int64
    /// The writer's sequence at which the group ends.
    var sequence: Int64
    /// How often the range was compacted.
    var generation: Int
    /// The token of the transaction that ends at the sequence.
    var transactionToken: UInt64
    /// The token of the group.
    var groupToken: UInt64
    /// The number of this file in its group, from 1.
    var part: Int
    /// The number of files in the group.
    var parts: Int
    /// The link of the group before; empty for the first.
    var previous: [UInt8]
    /// For a compacted range, the link of the group that once ended here; else empty.
    var chain: [UInt8]
    /// How far the writer had read the others.
    var vector: [DeviceID: Int64]
    /// How many records of the group were set aside and are missing.
    var incomplete: Int
    /// Whether more groups of one long upload follow.
    var isPartOfUpload: Bool
    /// When it was written, in milliseconds since 1970, by the writer's clock.
    var writtenAt: Int64
    /// Values that the writer found to have lost, for every reader to list.
    var conflicts: [ConflictEntry] = []
    /// The places of other writers up to which the group holds all that they had published.
    var covers: [DeviceID: Cover] = [:]

    /// The link that the next group names as its predecessor's, given that of the group's names.
    func link(of group: SegmentGroup) -> [UInt8] { chain.isEmpty ? group.link : chain }
  }

  var header: Header
  var deltas: [RecordDelta]

  /// The file's bytes.
  func encode() -> [UInt8] {
    var writer = CBORWriter()
    header.encode(to: &writer)
    return SealedFile.seal(writer.bytes + Batch(deltas: deltas).encode(), as: .segment)
  }

  /// Reads what ``encode()`` writes.
  init(decoding bytes: [UInt8]) throws {
    let content = try SealedFile.open(bytes, as: .segment)
    var reader = CBORReader(bytes, subject: "segment", range: content)
    header = try Header(decoding: &reader)
    let rest = reader.position..<content.upperBound
    deltas = try Batch(decoding: rest, of: bytes, subject: "segment").deltas
  }

  /// Makes a segment.
  init(header: Header, deltas: [RecordDelta]) {
    self.header = header
    self.deltas = deltas
  }
}

extension Segment.Header {
  /// The keys of the header's map; a key once given is never given another meaning.
  private enum Key: UInt64 {
    case zone = 0
    case incarnation = 1
    case writer = 2
    case name = 3
    case base = 4
    case sequence = 5
    case generation = 6
    case transactionToken = 7
    case groupToken = 8
    case part = 9
    case previous = 10
    case chain = 11
    case vector = 12
    case incomplete = 13
    case isPartOfUpload = 14
    case writtenAt = 15
    case conflicts = 16
    case covers = 17
  }

  func encode(to out: inout CBORWriter) {
    out.map(covers.isEmpty ? 17 : 18)
    func key(_ key: Key, _ out: inout CBORWriter) { out.unsigned(key.rawValue) }
    key(.zone, &out)
    out.text(zone.rawValue)
    key(.incarnation, &out)
    out.integer(incarnation)
    key(.writer, &out)
    out.blob(writer.id.bytes)
    key(.name, &out)
    out.text(writer.name)
    key(.base, &out)
    out.integer(base)
    key(.sequence, &out)
    out.integer(sequence)
    key(.generation, &out)
    out.integer(Int64(generation))
    key(.transactionToken, &out)
    out.unsigned(transactionToken)
    key(.groupToken, &out)
    out.unsigned(groupToken)
    key(.part, &out)
    out.array(2)
    out.integer(Int64(part))
    out.integer(Int64(parts))
    key(.previous, &out)
    out.blob(previous)
    key(.chain, &out)
    out.blob(chain)
    key(.vector, &out)
    out.vector(vector)
    key(.incomplete, &out)
    out.integer(Int64(incomplete))
    key(.isPartOfUpload, &out)
    out.integer(isPartOfUpload ? 1 : 0)
    key(.writtenAt, &out)
    out.integer(max(0, writtenAt))
    key(.conflicts, &out)
    out.conflicts(conflicts)
    guard !covers.isEmpty else { return }
    key(.covers, &out)
    out.covers(covers)
  }

  init(decoding reader: inout CBORReader) throws(WireError) {
    self.init(
      zone: ZoneID(rawValue: ""), incarnation: 0,
      writer: DeviceInfo(id: DeviceID(device: 0, epoch: 0), name: ""), base: 0, sequence: 0,
      generation: 0, transactionToken: 0, groupToken: 0, part: 0, parts: 0, previous: [],
      chain: [], vector: [:], incomplete: 0, isPartOfUpload: false, writtenAt: 0)
    let start = reader.position
    var header = self
    var found: Set<Key> = []
    try reader.fields("parts of the header") { reader, number throws(WireError) in
      guard let key = Key(rawValue: number) else { return false }
      found.insert(key)
      try header.decode(key, from: &reader)
      return true
    }
    guard found.isSuperset(of: [.zone, .writer, .base, .sequence, .transactionToken, .vector])
    else { throw reader.error(.missing, "a part of the header is missing", at: start) }
    self = header
  }

  /// Reads where a group ends from the first bytes of its file; nothing is verified.
  static func end(ofStart bytes: [UInt8]) -> AcceptedGroup? {
    guard let content = SealedFile.contentStart(of: bytes, as: .segment) else { return nil }
    var reader = CBORReader(bytes, subject: "segment", range: content..<bytes.count)
    var (sequence, token): (Int64?, UInt64?)
    do throws(WireError) {
      try reader.fields("parts of the header") { reader, number throws(WireError) in
        switch Key(rawValue: number) {
        case .sequence: sequence = try reader.natural("sequence")
        case .transactionToken: token = try reader.unsigned("token")
        default: return false
        }
        return true
      }
    } catch {
      // The rest is cut off; what comes before may be all that is asked for.
    }
    guard let sequence, let token else { return nil }
    return AcceptedGroup(sequence: sequence, transactionToken: token)
  }

  private mutating func decode(_ key: Key, from reader: inout CBORReader) throws(WireError) {
    switch key {
    case .zone: zone = ZoneID(rawValue: try reader.text("zone", limit: 256))
    case .incarnation: incarnation = try reader.natural("incarnation")
    case .writer: writer.id = try reader.device()
    case .name: writer.name = try reader.text("name", limit: DeviceInfo.nameLimit)
    case .base: base = try reader.natural("base")
    case .sequence: sequence = try reader.natural("sequence")
    case .generation:
      generation = Int(
        try reader.unsigned("generation", limit: UInt64(SegmentName.generationLimit)))
    case .transactionToken: transactionToken = try reader.unsigned("token")
    case .groupToken: groupToken = try reader.unsigned("token")
    case .part: try decodePart(from: &reader)
    case .previous: previous = try reader.blob("link", limit: ContentHash.length)
    case .chain: chain = try reader.blob("link", limit: ContentHash.length)
    case .vector: vector = try reader.vector()
    case .incomplete: incomplete = Int(try reader.unsigned("count", limit: 1 << 32))
    case .isPartOfUpload: isPartOfUpload = try reader.unsigned("mark", limit: 1) == 1
    case .writtenAt: writtenAt = try reader.natural("time")
    case .conflicts: conflicts = try reader.conflicts()
    case .covers: covers = try reader.covers()
    }
  }

  private mutating func decodePart(from reader: inout CBORReader) throws(WireError) {
    let start = reader.position
    guard try reader.array("numbers of a part", limit: 2) == 2 else {
      throw reader.error(.wrongType, "a part has two numbers", at: start)
    }
    part = Int(try reader.unsigned("part", limit: UInt64(SegmentName.partLimit)))
    parts = Int(try reader.unsigned("parts", limit: UInt64(SegmentName.partLimit)))
  }

  /// Whether the header belongs to the file that carries it.
  func agrees(with name: SegmentName, of device: DeviceID) -> Bool {
    writer.id == device && base == name.base && sequence == name.sequence
      && generation == name.generation && part == name.part && parts == name.parts
      && covers.isEmpty != name.isCover
  }
}
