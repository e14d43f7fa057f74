import StrandlineModels
import StrandlineStorage

/// Chooses at random what happens next, and tells the model what must come of it.
struct HistoryPlanner {
  typealias Key = HistoryModel.Key

  var random: SeededGenerator
  var model: HistoryModel
  var milliseconds: Int64 = 1_800_000_000_000
  private let clockSteps: [Int64]

  init(seed: UInt64, salt: UInt16) {
    random = SeededGenerator(seed: seed)
    model = HistoryModel(salt: salt)
    clockSteps = [[1, 20], [0], [-1, -30], [1, 0, -1, 40, -2_000]][Int(random.next() % 4)]
  }

  mutating func moveClock() {
    milliseconds += clockSteps.randomElement(using: &random) ?? 0
  }

  mutating func chance(_ one: Int, in all: Int) -> Bool {
    Int.random(in: 0..<all, using: &random) < one
  }

  mutating func shape() -> HistoryShape {
    let present = HistoryShape.all.filter { !model.missing.entities.contains($0.name) }
    return present.randomElement(using: &random) ?? HistoryShape.all[0]
  }

  mutating func key(of shape: HistoryShape) -> Key {
    Key(entity: shape.name, id: shape.ids.randomElement(using: &random) ?? shape.ids[0])
  }

  /// Values for some of an entity's properties; checked references lead to records that are here.
  mutating func values(of shape: HistoryShape, isChecked: Bool) -> [String: Value] {
    var values: [String: Value] = [:]
    for name in shape.editable where !model.missing.hides(name, of: shape.name) {
      if chance(1, in: 2) { values[name] = value(of: name, in: shape, isChecked: isChecked) }
    }
    return values
  }

  mutating func value(of name: String, in shape: HistoryShape, isChecked: Bool) -> Value {
    guard name == "node" else {
      return shape.choices[name]?.randomElement(using: &random) ?? .null
    }
    let targets = isChecked ? model.living("Node").map(\.id) : HistoryShape.of("Node").ids
    return chance(1, in: 4) ? .null : targets.randomElement(using: &random)?.value ?? .null
  }
}

// MARK: Strandline's own writes

/// One call on a write transaction.
enum OwnStep: Sendable {
  case insert(String, RecordID, [String: Value])
  case update(String, RecordID, [String: Value])
  case delete(String, RecordID)

  func run(_ write: WriteTransaction) throws {
    switch self {
    case .insert(let entity, let id, let values):
      try write.insert(entity, id: id, values: values)
    case .update(let entity, let id, let values): try write.update(entity, id, values: values)
    case .delete(let entity, let id): try write.delete(entity, id)
    }
  }
}

extension HistoryPlanner {
  /// The values that the typed check of own writes lets through.
  static func isOwn(_ name: String, _ value: Value) -> Bool {
    switch (name, value) {
    case ("a", .integer), ("b", .text), ("d", .null), ("d", .blob), ("n", _), ("node", _), ("v", _):
      true
    default: false
    }
  }

  mutating func ownSteps(stamp: Stamp) -> [OwnStep] {
    let author = HistoryModel.Author(stamp: stamp, isForeign: false, foreignKeys: true)
    return (0..<Int.random(in: 1...4, using: &random)).map { _ in
      let shape = shape()
      let key = key(of: shape)
      var values = values(of: shape, isChecked: true).filter { Self.isOwn($0.key, $0.value) }
      if !model[key].isAlive {
        if shape.isIdentityKeyed { values["k"] = key.id.value }
        model.insert(key, values, by: author)
        return .insert(key.entity, key.id, values)
      }
      if chance(1, in: 3) {
        model.delete(key, by: author)
        return .delete(key.entity, key.id)
      }
      model.update(key, values, by: author)
      return .update(key.entity, key.id, values)
    }
  }
}

// MARK: Imports

extension HistoryPlanner {
  mutating func deltas() -> [RecordDelta] {
    (0..<Int.random(in: 1...3, using: &random)).map { _ in
      let delta = delta()
      model.merge(delta)
      return delta
    }
  }

  private mutating func delta() -> RecordDelta {
    // What others send knows nothing of this store's model.
    let shape = HistoryShape.all.randomElement(using: &random) ?? HistoryShape.all[0]
    let key = key(of: shape)
    var delta = RecordDelta(key: RecordKey(entity: key.entity, id: key.id))
    if chance(1, in: 2) { delta.birth = life(of: key, shape) }
    if chance(1, in: 3) { delta.death = Death(life: life(of: key, shape), stamp: stamp(of: key)) }
    let life = delta.birth ?? life(of: key, shape)
    for name in shape.editable where chance(1, in: 2) {
      delta.versions[name] = Version(
        life: life, stamp: stamp(of: key), value: value(of: name, in: shape, isChecked: false))
    }
    if delta.birth != nil && shape.isIdentityKeyed {
      delta.versions["k"] = Version(life: life, stamp: life, value: key.id.value)
    }
    return delta
  }

  /// A life that is known, or one near it.
  private mutating func life(of key: Key, _ shape: HistoryShape) -> Stamp {
    if shape.isIdentityKeyed && chance(2, in: 3) { return .firstLife }
    let facts = model[key]
    let base = [facts.born, facts.died, facts.born, model.seen].randomElement(using: &random)
    return near(base ?? .unset)
  }

  private mutating func stamp(of key: Key) -> Stamp {
    let facts = model[key]
    let known = facts.stamps.values.sorted() + [facts.born, model.seen]
    return near(known.randomElement(using: &random) ?? .unset)
  }

  private mutating func near(_ stamp: Stamp) -> Stamp {
    let base = stamp == .unset ? Stamp(milliseconds: milliseconds) : stamp
    let offset = [0, 0, 1, -1, 70_000].randomElement(using: &random) ?? 0
    return Stamp(rawValue: max(1, base.rawValue + Int64(offset)))
  }
}
