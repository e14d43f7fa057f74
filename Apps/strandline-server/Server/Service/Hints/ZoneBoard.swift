import StrandlineAuthority
import StrandlineTransport

/// How far all zones have come, as streams of hints tell it.
struct ZoneBoard: Sendable {
  /// How far one zone has come.
  struct Place: Hashable, Sendable {
    let account: String
    var incarnation: Int64
    var sequence: Int64
    var isPurged = false
  }

  private var places: [ZoneID: Place] = [:]
  private var zones: [String: Set<ZoneID>] = [:]

  /// Starts with all zones of a storage.
  init(_ zones: [Zone]) {
    for zone in zones { _ = note(zone) }
  }

  /// The zones of an account, in a fixed order.
  func zones(of account: String) -> [(ZoneID, Place)] {
    (zones[account] ?? []).compactMap { id in places[id].map { (id, $0) } }
      .sorted { $0.0.rawValue < $1.0.rawValue }
  }

  /// Notes how far a zone has come; returns its place where that is news.
  mutating func note(_ zone: Zone) -> Place? {
    let place = Place(
      account: zone.account, incarnation: zone.incarnation, sequence: zone.head,
      isPurged: zone.purge != nil)
    if let known = places[zone.id] {
      // What was read before another thread's group was accepted is no news.
      let isOlder =
        (place.incarnation, place.sequence) < (known.incarnation, known.sequence)
      guard known != place, !isOlder else { return nil }
    }
    places[zone.id] = place
    zones[zone.account, default: []].insert(zone.id)
    return place
  }

  /// Notes what an answer has shown; answers may come here in another order than they were made.
  mutating func note(_ zone: ZoneID, of account: String, proof: Proof) -> Place {
    var place =
      places[zone]
      ?? Place(account: account, incarnation: proof.incarnation, sequence: proof.sequence)
    if (place.incarnation, place.sequence) < (proof.incarnation, proof.sequence) {
      (place.incarnation, place.sequence) = (proof.incarnation, proof.sequence)
    }
    places[zone] = place
    zones[account, default: []].insert(zone)
    return place
  }

  /// Notes that a zone was purged.
  mutating func notePurge(_ zone: ZoneID) -> Place? {
    places[zone]?.isPurged = true
    return places[zone]
  }

  /// Forgets zones that are no longer there.
  mutating func keep(_ present: Set<ZoneID>) {
    for (id, place) in places where !present.contains(id) {
      places[id] = nil
      zones[place.account]?.remove(id)
    }
  }

  /// A number that differs when any zone of the account has come further, also after the server
  /// was started anew: FNV-1a over the places.
  func mark(of account: String) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func mix(_ bytes: some Sequence<UInt8>) {
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01B3 }
    }
    for (id, place) in zones(of: account) {
      mix(id.rawValue.utf8)
      mix("|\(place.incarnation)|\(place.sequence)|\(place.isPurged)".utf8)
    }
    return Int64(hash & 0x7FFF_FFFF_FFFF_FFFF)
  }
}
