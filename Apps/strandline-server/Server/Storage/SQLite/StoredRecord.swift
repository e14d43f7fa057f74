import StrandlineAuthority
import StrandlineModels

/// A record as it was read, and the rows that it was read from.
struct StoredRecord {
  let zone: Int64
  let record: ZoneRecord
  /// The facts of each row by its place.
  let rows: [Int64: [UInt8]]
}

extension ZoneRecord {
  /// Puts a record together from the facts that stand at its numbers.
  init(key: RecordKey, _ parts: [(sequence: Int64, device: DeviceID, delta: RecordDelta)]) {
    var birth: Numbered<Stamp>?
    var death: Numbered<Death>?
    var versions: [RecordState.ParkedKey: Numbered<Version>] = [:]
    for (sequence, device, delta) in parts {
      if let fact = delta.birth { birth = Numbered(fact, sequence: sequence, device: device) }
      if let fact = delta.death { death = Numbered(fact, sequence: sequence, device: device) }
      for (property, version) in delta.versions {
        versions[RecordState.ParkedKey(life: version.life, property: property)] = Numbered(
          version, sequence: sequence, device: device)
      }
    }
    self.init(key: key, birth: birth, death: death, versions: versions)
  }

  /// The numbers at which its facts stand.
  var sequences: Set<Int64> {
    var all = Set(versions.values.map(\.sequence))
    if let birth { all.insert(birth.sequence) }
    if let death { all.insert(death.sequence) }
    return all
  }
}
