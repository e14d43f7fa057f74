import StrandlineModels
import StrandlineTransport
import StrandlineWireFormat

/// How far a device has read every writer of a zone; the content of a cursor.
struct Positions: Hashable, Sendable {
  /// How far one writer was read.
  struct Position: Hashable, Sendable {
    /// The writer's sequence up to which everything was read.
    var sequence: Int64 = 0
    /// The link of the group that ended there; empty where none was read.
    var link: [UInt8] = []
    /// A hash over the names of a folder that does not make one chain and was read whole.
    var readWhole: [UInt8] = []
    /// Whether the last group that was read said that more of one long upload follow.
    var isUploading = false
    /// Since when the folder lacks what was read of the writer, in milliseconds since 1970 by the
    /// reader's clock; 0 where it lacks nothing.
    var lackingSince: Int64 = 0
    /// Since when the writer's next group waits for another writer's; 0 where it does not.
    var waitingSince: Int64 = 0
    /// Since when the writer's next file is not to be had; 0 where none is missing.
    var stuckSince: Int64 = 0

    /// The place of a cover.
    init(_ cover: Cover) {
      (sequence, link) = (cover.sequence, cover.link)
    }

    init(
      sequence: Int64 = 0, link: [UInt8] = [], readWhole: [UInt8] = [],
      isUploading: Bool = false
    ) {
      self.sequence = sequence
      self.link = link
      self.readWhole = readWhole
      self.isUploading = isUploading
    }

    /// The place as a cover may name it; nil where the writer's files do not make one chain.
    var cover: Cover? {
      guard sequence > 0, readWhole.isEmpty, !link.isEmpty else { return nil }
      return Cover(sequence: sequence, link: link)
    }
  }

  private static let format: UInt64 = 1
  private static let writerLimit = 100_000

  /// The zone's incarnation in which this was read.
  let incarnation: Int64
  private(set) var entries: [DeviceID: Position] = [:]
  /// The places that an offer of everything will cover, from when it was asked for until it lies
  /// in the folder.
  var offer: [DeviceID: Cover] = [:]

  /// The beginning of an incarnation.
  init(incarnation: Int64) {
    self.incarnation = incarnation
  }

  /// The position of a writer; of one that was never read, the beginning.
  subscript(writer: DeviceID) -> Position {
    get { entries[writer] ?? Position() }
    set { entries[writer] = newValue }
  }

  /// The sequences alone, without those of one device.
  func vector(without device: DeviceID) -> [DeviceID: Int64] {
    entries.filter { $0.key != device && $0.value.sequence > 0 }.mapValues(\.sequence)
  }

  /// Ends the uploads that a writer had begun under its earlier identities: what it now publishes
  /// is whole and continues all that it had published before.
  mutating func endUploads(by header: Segment.Header) {
    guard !header.isPartOfUpload else { return }
    for (former, sequence) in header.vector
    where former.device == header.writer.id.device && entries[former]?.isUploading == true
      && self[former].sequence <= sequence
    {
      self[former].isUploading = false
    }
  }

  /// The positions as a cursor.
  var cursor: Cursor {
    var writer = CBORWriter()
    writer.map(offer.isEmpty ? 3 : 4)
    writer.unsigned(0)
    writer.unsigned(Self.format)
    writer.unsigned(1)
    writer.integer(incarnation)
    writer.unsigned(2)
    writer.array(entries.count)
    for (device, position) in entries.sorted(by: { $0.key < $1.key }) {
      writer.array(8)
      writer.blob(device.bytes)
      writer.integer(position.sequence)
      writer.blob(position.link)
      writer.blob(position.readWhole)
      writer.unsigned(position.isUploading ? 1 : 0)
      writer.integer(max(0, position.lackingSince))
      writer.integer(max(0, position.waitingSince))
      writer.integer(max(0, position.stuckSince))
    }
    if !offer.isEmpty {
      writer.unsigned(3)
      writer.covers(offer)
    }
    return Cursor(bytes: writer.bytes)
  }
}

extension Positions {
  /// Reads a cursor; none, or one of another incarnation, is the beginning.
  init(_ cursor: Cursor?, in incarnation: Int64) throws(TransportError) {
    self.init(incarnation: incarnation)
    guard let cursor, !cursor.bytes.isEmpty else { return }
    do throws(WireError) {
      let known = try Positions(decoding: cursor.bytes)
      if known.incarnation == incarnation { self = known }
    } catch {
      throw TransportError(
        .invalidRequest, "Could not read the zone from where it was left, the cursor is damaged.",
        advice: "Compare the store with the zone.", remedy: .compareAll, cause: error)
    }
  }

  private init(decoding bytes: [UInt8]) throws(WireError) {
    var reader = CBORReader(bytes, subject: "cursor")
    var incarnation: Int64 = 0
    var entries: [DeviceID: Position] = [:]
    var offer: [DeviceID: Cover] = [:]
    try reader.fields("parts of the cursor") { reader, key throws(WireError) in
      switch key {
      case 0: _ = try reader.unsigned("format", limit: Self.format)
      case 1: incarnation = try reader.natural("incarnation")
      case 2:
        for _ in 0..<(try reader.array("writers", limit: Self.writerLimit)) {
          let (device, position) = try Self.decodeEntry(&reader)
          entries[device] = position
        }
      case 3: offer = try reader.covers()
      default: return false
      }
      return true
    }
    try reader.finish()
    self.incarnation = incarnation
    self.entries = entries
    self.offer = offer
  }

  private static func decodeEntry(
    _ reader: inout CBORReader
  ) throws(WireError) -> (DeviceID, Position) {
    // Cursors of an earlier version have five parts.
    let parts = try reader.array("parts of a position", limit: 8)
    guard parts == 5 || parts == 8 else {
      throw reader.error(.wrongType, "a position has eight parts")
    }
    let device = try reader.device()
    var position = Position(
      sequence: try reader.natural("sequence"),
      link: try reader.blob("link", limit: ContentHash.length),
      readWhole: try reader.blob("hash", limit: ContentHash.length),
      isUploading: try reader.unsigned("mark", limit: 1) == 1)
    if parts == 8 {
      position.lackingSince = try reader.natural("time")
      position.waitingSince = try reader.natural("time")
      position.stuckSince = try reader.natural("time")
    }
    return (device, position)
  }
}

extension DeviceID {
  private static let byteCount = 12

  /// The device and the epoch, twelve bytes, the highest first.
  var bytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: device >> (56 - 8 * $0)) }
      + (0..<4).map { UInt8(truncatingIfNeeded: epoch >> (24 - 8 * $0)) }
  }

  /// Reads twelve bytes; nil for any other number of them.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init(
      device: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
      epoch: bytes[8...].reduce(0) { $0 << 8 | UInt32($1) })
  }
}

extension CBORReader {
  /// Reads a device's identity.
  mutating func device() throws(WireError) -> DeviceID {
    let start = position
    guard let device = DeviceID(bytes: try blob("device", limit: 12)) else {
      throw error(.wrongType, "a device has twelve bytes", at: start)
    }
    return device
  }

  /// Reads sequences by device, as ``CBORWriter/vector(_:)`` writes them.
  mutating func vector() throws(WireError) -> [DeviceID: Int64] {
    var vector: [DeviceID: Int64] = [:]
    let count = try array("writers", limit: 200_000)
    guard count.isMultiple(of: 2) else {
      throw error(.wrongType, "devices and sequences come in pairs")
    }
    for _ in 0..<count / 2 {
      let device = try device()
      vector[device] = try natural("sequence")
    }
    return vector
  }
}

extension CBORWriter {
  /// Writes sequences by device.
  mutating func vector(_ vector: [DeviceID: Int64]) {
    array(2 * vector.count)
    for (device, sequence) in vector.sorted(by: { $0.key < $1.key }) {
      blob(device.bytes)
      integer(sequence)
    }
  }
}
