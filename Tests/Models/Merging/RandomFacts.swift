import StrandlineModels

/// Random facts about one record, and an independent statement of what they amount to.
enum RandomFacts {
  static let key = RecordKey(entity: "Note", id: RecordID(text: "one"))

  /// A version together with its property.
  struct Kept: Hashable {
    let property: String
    let version: Version

    init(_ property: String, _ version: Version) {
      self.property = property
      self.version = version
    }
  }

  private static func stamp(using random: inout SeededGenerator) -> Stamp {
    Stamp(rawValue: .random(in: 1...5, using: &random))
  }

  private static func version(using random: inout SeededGenerator) -> Version {
    let values: [Value] = [.null, .integer(1), .integer(2), .real(1), .text("a"), .blob([1])]
    return Version(
      life: stamp(using: &random), stamp: stamp(using: &random),
      value: values.randomElement(using: &random) ?? .null)
  }

  /// Deltas of one fact each.
  static func atoms(using random: inout SeededGenerator) -> [RecordDelta] {
    (0..<Int.random(in: 1...8, using: &random)).map { _ in
      switch Int.random(in: 0..<5, using: &random) {
      case 0: RecordDelta(key: key, birth: stamp(using: &random))
      case 1:
        RecordDelta(
          key: key, death: Death(life: stamp(using: &random), stamp: stamp(using: &random)))
      case 2: RecordDelta(key: key, versions: ["p": version(using: &random)])
      default: RecordDelta(key: key, versions: ["q": version(using: &random)])
      }
    }
  }

  /// A delta of several facts.
  static func delta(using random: inout SeededGenerator) -> RecordDelta {
    var delta = RecordDelta(key: key)
    if Int.random(in: 0..<3, using: &random) == 0 { delta.birth = stamp(using: &random) }
    if Int.random(in: 0..<4, using: &random) == 0 {
      delta.death = Death(life: stamp(using: &random), stamp: stamp(using: &random))
    }
    for property in ["p", "q"] where Bool.random(using: &random) {
      delta.versions[property] = version(using: &random)
    }
    return delta
  }

  /// Joins neighbours into larger deltas where their facts have room beside each other.
  static func portions(
    of atoms: [RecordDelta], using random: inout SeededGenerator
  ) -> [RecordDelta] {
    var out: [RecordDelta] = []
    for atom in atoms {
      guard let last = out.last, Bool.random(using: &random),
        last.birth == nil || atom.birth == nil, last.death == nil || atom.death == nil,
        Set(last.versions.keys).isDisjoint(with: atom.versions.keys)
      else {
        out.append(atom)
        continue
      }
      out[out.count - 1] = RecordDelta(
        key: key, birth: last.birth ?? atom.birth, death: last.death ?? atom.death,
        versions: last.versions.merging(atom.versions) { old, _ in old })
    }
    return out
  }

  static func merged(_ deltas: [RecordDelta]) -> RecordState {
    var state = RecordState()
    for delta in deltas { _ = state.merge(delta) }
    return state
  }

  /// What a set of facts means, read off all of them at once rather than one after another.
  static func meaning(of deltas: [RecordDelta]) -> RecordState {
    let born = deltas.compactMap(\.birth).max() ?? .unset
    let death = deltas.compactMap(\.death).max()
    let died = death?.life ?? .unset
    var shown: [String: Version] = [:]
    var parked: [RecordState.ParkedKey: Version] = [:]
    for (property, version) in deltas.flatMap(\.versions) where version.life > died {
      if version.life == born {
        shown[property] = max(shown[property] ?? version, version)
      } else if version.life > born {
        let key = RecordState.ParkedKey(life: version.life, property: property)
        parked[key] = max(parked[key] ?? version, version)
      }
    }
    return RecordState(born: born, death: death, versions: shown, parked: parked)
  }

  static func kept(by state: RecordState) -> Set<Kept> {
    Set(
      state.versions.map { Kept($0.key, $0.value) }
        + state.parked.map { Kept($0.key.property, $0.value) })
  }
}
