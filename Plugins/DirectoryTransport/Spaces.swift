import StrandlineModels
import StrandlineTransport

/// Which of a zone folder's spaces are one zone.
///
/// Two devices that open a zone before the folder's carrier has shown them to each other make two
/// spaces. They become one when they meet, as long as at most one of them has found followers
/// besides its maker; the space with followers wins, else the one with the smallest id.
struct Spaces: Hashable, Sendable {
  /// The spaces of each zone; usually there is one zone with one space.
  let zones: [Set<ZoneID>]
  private let joins: [JoinMarker]

  init(_ spaces: [SpaceMarker], _ joins: [JoinMarker]) {
    var zones = Set(spaces.map(\.zone)).map { Set([$0]) }
    for join in joins {
      let joined = zones.filter { $0.contains(join.loser) || $0.contains(join.winner) }
      guard joined.count > 1 else { continue }
      zones.removeAll { joined.contains($0) }
      zones.append(joined.reduce(into: []) { $0.formUnion($1) })
    }
    self.zones = zones.sorted { Self.smallest($0) < Self.smallest($1) }
    self.joins = joins
  }

  /// The zone that a space belongs to.
  func zone(of space: ZoneID) -> Set<ZoneID>? {
    zones.first { $0.contains(space) }
  }

  /// The space by which newcomers know a zone: one that gave way to no other.
  func name(of zone: Set<ZoneID>) -> ZoneID {
    let losers = Set(joins.map(\.loser))
    let standing = zone.subtracting(losers)
    // Two devices may have judged differently; then the smallest id decides.
    return ZoneID(rawValue: Self.smallest(standing.isEmpty ? zone : standing))
  }

  /// The joins that make all zones one, or nil if more than one has followers.
  func joins(followers: [ZoneID: Set<UInt64>]) -> [JoinMarker]? {
    let followed = zones.filter { zone in
      zone.reduce(into: Set<UInt64>()) { $0.formUnion(followers[$1] ?? []) }.count > 1
    }
    guard followed.count <= 1, let winner = followed.first ?? zones.first else { return nil }
    return zones.filter { $0 != winner }.map {
      JoinMarker(loser: name(of: $0), winner: name(of: winner))
    }
  }

  private static func smallest(_ zone: Set<ZoneID>) -> String {
    zone.map(\.rawValue).min() ?? ""
  }
}
