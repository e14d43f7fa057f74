import Strandline

extension FleetLedger {
  /// What a store holds in the end that it must not, or lacks; one sentence each.
  func findings(in final: [RecordKey: RecordState]) -> [String] {
    var findings: [String] = []
    for key in Set(records.keys).union(final.keys).sorted(by: { $0.id < $1.id }) {
      findings += judge(
        key, records[key] ?? Facts(), final[key] ?? RecordState()
      ).map { "(b) \(key.entity) \(key.id) \($0)" }
    }
    return findings
  }

  private func judge(_ key: RecordKey, _ facts: Facts, _ state: RecordState) -> [String] {
    var findings: [String] = []
    let birth = facts.births.filter(\.value.isCertain).keys.max() ?? .unset
    let death = facts.deaths.filter(\.value.isCertain).keys.max() ?? .unset
    if state.isAlive, state.born <= death {
      findings.append("lives since \(state.born), and life \(death) was deleted.")
    }
    // A device that came late was never told of what had died before.
    let ended = max(state.died, facts.deaths.keys.max() ?? .unset)
    if max(state.born, ended) < birth { findings.append("lost its birth at \(birth).") }
    if state.isAlive, facts.births[state.born] == nil {
      findings.append("lives since \(state.born), when nobody inserted it.")
    }
    if state.died != .unset, facts.deaths[state.died] == nil {
      findings.append("died of a delete of life \(state.died) that nobody made.")
    }
    guard state.isAlive else { return findings }
    for (property, version) in state.versions where facts.versions[property]?[version] == nil {
      findings.append("shows \(property) = \(version.value), which nobody wrote.")
    }
    for (property, versions) in facts.versions {
      let greatest = versions.filter { $0.value.isCertain && $0.key.life == state.born }.keys.max()
      guard let greatest else { continue }
      guard let shown = state.versions[property] else {
        findings.append("lost all of \(property).")
        continue
      }
      if shown < greatest {
        findings.append(
          "shows \(property) = \(shown.value) of \(shown.stamp) and not \(greatest.value) of "
            + "\(greatest.stamp).")
      }
    }
    return findings
  }

  /// Values that neither won nor were replaced by somebody who saw them: these are conflicts.
  ///
  /// Where another writer wrote the same value, nobody has lost anything.
  func losers(against final: [RecordKey: RecordState]) -> [ConflictKey] {
    var losers: [ConflictKey] = []
    for (key, facts) in records {
      let shown = final[key]?.versions ?? [:]
      for (property, versions) in facts.versions {
        for (version, entry) in versions
        where entry.isCertain && !entry.isReplacedKnowingly && shown[property] != version {
          let isRepeated = versions.contains { $0.key != version && $0.key.value == version.value }
          if !isRepeated {
            losers.append(ConflictKey(key: key, property: property, version: version))
          }
        }
      }
    }
    return losers
  }
}

/// A value that lost, whoever lists it.
struct ConflictKey: Hashable {
  let key: RecordKey
  let property: String
  let version: Version
}

extension ConflictKey: CustomStringConvertible {
  var description: String {
    "\(key.entity) \(key.id) \(property) = \(version.value) of \(version.stamp)"
  }
}
