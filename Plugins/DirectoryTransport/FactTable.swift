import StrandlineModels

/// The facts that one device has published, merged, without those that others' facts beat.
///
/// The greatest fact of each property is never dropped by the device that published it, so it
/// stays in the folder whoever else drops what it beats (C10).
struct FactTable {
  private var states: [RecordKey: RecordState] = [:]

  /// Adds facts of the device, or of one whose files it takes over.
  mutating func merge(_ delta: RecordDelta) {
    _ = states[delta.key, default: RecordState()].merge(delta)
  }

  /// Drops what another device's published facts beat; deaths stay.
  mutating func drop(beatenBy delta: RecordDelta) {
    guard let state = states[delta.key] else { return }
    let over = max(state.died, delta.death?.life ?? .unset)
    let birth = delta.birth ?? .unset
    func isBeaten(_ version: Version, of property: String) -> Bool {
      version.life <= over || version.life < birth
        || delta.versions[property].map { $0.life == version.life && $0 > version } ?? false
    }
    let isBornAgain = birth > state.born || state.born <= over
    states[delta.key] = RecordState(
      born: isBornAgain ? .unset : state.born, death: state.death,
      versions: state.versions.filter { !isBeaten($0.value, of: $0.key) },
      parked: state.parked.filter { !isBeaten($0.value, of: $0.key.property) })
  }

  /// The facts that remain, in the order of their records; several deltas of a record where it has
  /// versions of several lives.
  var deltas: [RecordDelta] {
    states.sorted { ($0.key.entity, $0.key.id) < ($1.key.entity, $1.key.id) }
      .flatMap { Self.deltas(of: $0.key, $0.value) }
  }

  private static func deltas(of key: RecordKey, _ state: RecordState) -> [RecordDelta] {
    var first = RecordDelta(key: key, death: state.death, versions: state.versions)
    if state.isAlive { first.birth = state.born }
    var lives: [Stamp: RecordDelta] = [:]
    for (place, version) in state.parked {
      lives[place.life, default: RecordDelta(key: key)].versions[place.property] = version
    }
    return ([first] + lives.sorted { $0.key < $1.key }.map(\.value)).filter { !$0.isEmpty }
  }
}

extension RecordKey {
  /// The part of the records, of so many, that this one belongs to; the same on every device.
  func part(of count: Int) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in id.bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    // The upper bits are mixed best.
    return Int((hash >> 33) % UInt64(max(1, count)))
  }
}
