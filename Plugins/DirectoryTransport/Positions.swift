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
  }

  private static let format: UInt64 = 1
  private static let writerLimit = 100_000

  /// The zone's incarnation in which this was read.
  let incarnation: Int64
  private(set) var entries: [DeviceID: Position] = [:]

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

  /// The positions as a cursor.
  var cursor: Cursor {
    var writer = CBORWriter()
    writer.map(3)
    writer.unsigned(0)
    writer.unsigned(Self.format)
    writer.unsigned(1)
    writer.integer(incarnation)
    writer.unsigned(2)
    writer.array(entries.count)
    for (device, position) in entries.sorted(by: { $0.key < $1.key }) {
      writer.array(5)
      writer.blob(device.bytes)
      writer.integer(position.sequence)
      writer.blob(position.link)
      writer.blob(position.readWhole)
      writer.unsigned(position.isUploading ? 1 : 0)
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
    try reader.fields("parts of the cursor") { reader, key throws(WireError) in
      switch key {
      case 0: _ = try reader.unsigned("format", limit: Self.format)
      case 1: incarnation = try reader.natural("incarnation")
      case 2:
        for _ in 0..<(try reader.array("writers", limit: Self.writerLimit)) {
          let (device, position) = try Self.decodeEntry(&reader)
          entries[device] = position
        }
      default: return false
      }
      return true
    }
    try reader.finish()
    self.incarnation = incarnation
    self.entries = entries
  }

  private static func decodeEntry(
    _ reader: inout CBORReader
  ) throws(WireError) -> (DeviceID, Position) {
    guard try reader.array("parts of a position", limit: 5) == 5 else {
      throw reader.error(.wrongType, "a position has five parts")
    }
    let device = try reader.device()
    let position = Position(
      sequence: try reader.natural("sequence"),
      link: try reader.blob("link", limit: ContentHash.length),
      readWhole: try reader.blob("hash", limit: ContentHash.length),
      isUploading: try reader.unsigned("mark", limit: 1) == 1)
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
