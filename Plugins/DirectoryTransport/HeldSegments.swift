import StrandlineModels

/// Segments that were read to find out whether they can be applied, until they are.
///
/// Most fetches find a few small groups; holding those saves reading each of them twice. A first
/// sync reads more than may be held at a time.
struct HeldSegments {
  private static let deltaLimit = 20_000

  private struct Place: Hashable {
    let writer: DeviceID
    let group: SegmentGroup
  }

  private var segments: [Place: [Segment]] = [:]
  private var room = deltaLimit

  /// Holds a group's segments, if there is room.
  mutating func hold(_ read: [Segment], _ group: SegmentGroup, of writer: DeviceID) {
    let count = read.reduce(1) { $0 + $1.deltas.count }
    guard count <= room else { return }
    room -= count
    segments[Place(writer: writer, group: group)] = read
  }

  /// Gives the segments of a group back, once.
  mutating func take(_ group: SegmentGroup, of writer: DeviceID) -> [Segment]? {
    segments.removeValue(forKey: Place(writer: writer, group: group))
  }
}
