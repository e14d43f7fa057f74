import StrandlineModels
import StrandlineTransport

/// Knows every fact that was ever made, and who knew of what when it was made.
struct FleetOracle {
  private var facts: [RecordDelta] = []
  /// Versions that somebody replaced or deleted while looking at them.
  private var replacedKnowingly: Set<ConflictEntry> = []
  private var published: Set<ConflictEntry> = []
  private var writers: [RecordKey: [WriterSlot: DeviceID]] = [:]

  private struct WriterSlot: Hashable {
    let property: String
    let version: Version
  }

  /// Notes a fact together with the state that its maker saw before.
  mutating func note(_ delta: RecordDelta, by device: DeviceID, seeing before: RecordState?) {
    facts.append(delta)
    for (property, version) in delta.versions {
      writers[delta.key, default: [:]][WriterSlot(property: property, version: version)] = device
    }
    for (property, version) in before?.versions ?? [:]
    where delta.death != nil || delta.versions[property] != nil {
      if let entry = entry(delta.key, property, version) { replacedKnowingly.insert(entry) }
    }
  }

  /// Notes that the cloud has taken a delta.
  mutating func publish(_ delta: RecordDelta) {
    for (property, version) in delta.versions {
      if let entry = entry(delta.key, property, version) { published.insert(entry) }
    }
  }

  private func entry(
    _ key: RecordKey, _ property: String, _ version: Version
  ) -> ConflictEntry? {
    writers[key]?[WriterSlot(property: property, version: version)].map {
      ConflictEntry(key: key, property: property, loser: version, device: $0)
    }
  }

  /// What every device must show in the end: all facts, read at once.
  var visible: [RecordKey: RecordState] {
    var device = FleetDevice(number: 0, salt: 0)
    for fact in facts.reversed() { device.apply(fact) }
    return device.visible
  }

  /// What the cloud took, nobody replaced knowingly, and nobody sees: these must be listed.
  var losers: Set<ConflictEntry> {
    let shown = visible
    return published.subtracting(replacedKnowingly).filter { entry in
      shown[entry.key]?.versions[entry.property] != entry.loser
    }
  }
}
