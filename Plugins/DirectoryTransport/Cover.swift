import StrandlineModels
import StrandlineWireFormat

/// A place of one writer up to which somebody else's files hold all that it had published.
///
/// Whoever has read those files has read the writer up to there, and its own files up to there
/// are no longer needed.
struct Cover: Hashable, Sendable {
  /// The writer's sequence.
  var sequence: Int64
  /// The link of the writer's group that ended there.
  var link: [UInt8]
}

extension [DeviceID: Cover] {
  /// Adds the covers of another group, of each writer the greater one.
  mutating func formUnion(_ others: [DeviceID: Cover]) {
    merge(others) { $0.sequence < $1.sequence ? $1 : $0 }
  }
}

extension CBORWriter {
  /// Writes places by device.
  mutating func covers(_ covers: [DeviceID: Cover]) {
    array(3 * covers.count)
    for (device, cover) in covers.sorted(by: { $0.key < $1.key }) {
      blob(device.bytes)
      integer(cover.sequence)
      blob(cover.link)
    }
  }
}

extension CBORReader {
  /// Reads places by device, as ``CBORWriter/covers(_:)`` writes them.
  mutating func covers() throws(WireError) -> [DeviceID: Cover] {
    var covers: [DeviceID: Cover] = [:]
    let count = try array("covers", limit: 300_000)
    guard count.isMultiple(of: 3) else {
      throw error(.wrongType, "devices, sequences and links come together")
    }
    for _ in 0..<count / 3 {
      let device = try device()
      covers[device] = Cover(
        sequence: try natural("sequence"), link: try blob("link", limit: ContentHash.length))
    }
    return covers
  }
}
