package import StrandlineModels

/// A fact with its place in the zone's feed and the device that sent it.
package struct Numbered<Fact: Hashable & Sendable>: Hashable, Sendable {
  /// The fact.
  package var fact: Fact
  /// The zone sequence at which it was taken.
  package var sequence: Int64
  /// The device that sent it.
  package var device: DeviceID

  /// Numbers a fact.
  package init(_ fact: Fact, sequence: Int64, device: DeviceID) {
    self.fact = fact
    self.sequence = sequence
    self.device = device
  }
}

/// What a zone knows about one record: its merged facts, each with its number and its sender.
///
/// It holds what a ``RecordState`` holds and no more. A dead record keeps only its death, which
/// stays for good. Whether a version shows or is parked follows from its life, so a version that
/// stops being parked keeps its number: who has read that number has the fact.
package struct ZoneRecord: Hashable, Sendable {
  /// The record.
  package let key: RecordKey
  /// The birth of the present life; nil for a record that is dead or not born.
  package private(set) var birth: Numbered<Stamp>?
  /// The greatest life that was deleted.
  package private(set) var death: Numbered<Death>?
  /// The greatest version per life and property, of the present and of later lives.
  package private(set) var versions: [RecordState.ParkedKey: Numbered<Version>]

  /// Starts from facts that are known, by default none.
  package init(
    key: RecordKey, birth: Numbered<Stamp>? = nil, death: Numbered<Death>? = nil,
    versions: [RecordState.ParkedKey: Numbered<Version>] = [:]
  ) {
    self.key = key
    self.birth = birth
    self.death = death
    self.versions = versions
  }

  /// The facts without their numbers.
  package var state: RecordState {
    let born = birth?.fact ?? .unset
    var shown: [String: Version] = [:]
    var parked: [RecordState.ParkedKey: Version] = [:]
    for (key, version) in versions {
      if key.life == born {
        shown[key.property] = version.fact
      } else {
        parked[key] = version.fact
      }
    }
    return RecordState(born: born, death: death?.fact, versions: shown, parked: parked)
  }

  /// The greatest number of its facts.
  package var newestSequence: Int64 {
    var newest = max(birth?.sequence ?? 0, death?.sequence ?? 0)
    for version in versions.values { newest = max(newest, version.sequence) }
    return newest
  }

  /// The facts that were taken at one number, and who sent them; nil where none is left.
  package func change(at sequence: Int64) -> (delta: RecordDelta, device: DeviceID)? {
    var delta = RecordDelta(key: key)
    var device: DeviceID?
    if let birth, birth.sequence == sequence {
      delta.birth = birth.fact
      device = birth.device
    }
    if let death, death.sequence == sequence {
      delta.death = death.fact
      device = death.device
    }
    for (key, version) in versions where version.sequence == sequence {
      delta.versions[key.property] = version.fact
      device = version.device
    }
    return device.map { (delta, $0) }
  }
}

extension ZoneRecord {
  /// Merges a device's facts and gives the number to those that are new.
  package mutating func merge(
    _ delta: RecordDelta, sequence: Int64, device: DeviceID
  ) -> MergeOutcome {
    var merged = state
    let outcome = merged.merge(withoutStaleBirth(delta))
    if !outcome.isNothing { take(merged, sequence: sequence, device: device) }
    return outcome
  }

  /// Leaves out the birth of a life that is over: the death alone says all that is left of it.
  private func withoutStaleBirth(_ delta: RecordDelta) -> RecordDelta {
    let died = max(death?.fact.life ?? .unset, delta.death?.life ?? .unset)
    guard let birth = delta.birth, birth <= died else { return delta }
    var trimmed = delta
    trimmed.birth = nil
    return trimmed
  }

  private mutating func take(_ state: RecordState, sequence: Int64, device: DeviceID) {
    if let new = state.death, new != death?.fact {
      death = Numbered(new, sequence: sequence, device: device)
    }
    if !state.isAlive {
      birth = nil
    } else if state.born != birth?.fact {
      birth = Numbered(state.born, sequence: sequence, device: device)
    }
    let old = versions
    versions = [:]
    var all = state.parked
    for (property, version) in state.versions {
      all[RecordState.ParkedKey(life: state.born, property: property)] = version
    }
    for (key, version) in all {
      if let known = old[key], known.fact == version {
        versions[key] = known
      } else {
        versions[key] = Numbered(version, sequence: sequence, device: device)
      }
    }
  }
}
