import StrandlineModels
import StrandlineStorage

/// What a store must hold, by the rules of the design and without any SQL.
struct HistoryModel {
  struct Key: Hashable, Comparable, CustomStringConvertible {
    let entity: String
    let id: RecordID

    var description: String { "\(entity) \(id)" }

    static func < (left: Key, right: Key) -> Bool {
      left.entity != right.entity ? left.entity < right.entity : left.id < right.id
    }
  }

  /// Everything that is known of one record.
  struct Facts: Equatable {
    var born = Stamp.unset
    var death: Death?
    /// The stamps of a living record; unset shows a default that nobody wrote.
    var stamps: [String: Stamp] = [:]
    /// The row of a living record.
    var values: [String: Value] = [:]
    var parked: [RecordState.ParkedKey: Version] = [:]

    var died: Stamp { death?.life ?? .unset }
    var isAlive: Bool { born > died }
    var isKnown: Bool { born != .unset || death != nil }
    var greatest: Stamp {
      max(born, died, death?.stamp ?? .unset, isAlive ? stamps.values.max() ?? .unset : .unset)
    }
  }

  /// Who writes, and how SQLite is set up for it.
  struct Author {
    var stamp: Stamp
    /// Whether it is another client, whose every writing of a property gets a later stamp.
    var isForeign: Bool
    var foreignKeys: Bool
    var recursiveTriggers = false
  }

  /// A log row that must be there; the stamp of one that parks is not prescribed.
  struct Logged: Equatable {
    var change: LoggedChange
    var isExact: Bool
  }

  let salt: UInt16
  var seen = Stamp.unset
  var facts: [Key: Facts] = [:]
  var log: [Logged] = []
  /// What the store's present model does not have, but carries.
  var missing = HistoryShape.Missing()

  init(salt: UInt16) {
    self.salt = salt
  }

  subscript(key: Key) -> Facts { facts[key] ?? Facts() }

  func living(_ entity: String) -> [Key] {
    facts.filter { $0.key.entity == entity && $0.value.isAlive }.map(\.key).sorted()
  }

  /// The defaults of the properties that the store's present model has.
  func defaults(of entity: String) -> [String: Value] {
    HistoryShape.of(entity).defaults.filter { !missing.hides($0.key, of: entity) }
  }

  /// The stamp that another client's statement gets.
  func foreignStamp(at milliseconds: Int64) -> Stamp {
    max(Stamp(milliseconds: milliseconds, counter: salt), seen.next)
  }

  var greatest: Stamp { facts.values.map(\.greatest).max() ?? .unset }
}

// MARK: What writers do

extension HistoryModel {
  /// Inserts a row where none is.
  mutating func insert(_ key: Key, _ values: [String: Value], by author: Author) {
    let shape = HistoryShape.of(key.entity)
    var new = self[key]
    let isFirst = !new.isKnown
    if isFirst {
      new.born = shape.isIdentityKeyed ? .firstLife : author.stamp
    } else {
      new.born = max(author.stamp, new.born.next, new.died.next)
    }
    let written = defaults(of: key.entity)
    new.values = shape.defaults.merging(values) { $1 }
    new.stamps = shape.defaults.mapValues { _ in .unset }
    for name in written.keys { new.stamps[name] = new.born }
    if isFirst, shape.isIdentityKeyed {
      for (name, value) in new.values where value != shape.defaults[name] {
        new.stamps[name] = author.stamp
      }
    }
    facts[key] = new
    note(.insert, key, stamp: isFirst ? author.stamp : new.born)
  }

  /// Does what `INSERT OR REPLACE` does.
  mutating func replace(_ key: Key, _ values: [String: Value], by author: Author) {
    guard self[key].isAlive else { return insert(key, values, by: author) }
    if author.foreignKeys { applyDeleteRules(of: key, by: author) }
    if author.recursiveTriggers {
      end(key, by: author)
      insert(key, values, by: author)
    } else {
      write(key, defaults(of: key.entity).merging(values) { $1 }, by: author)
    }
  }

  mutating func update(_ key: Key, _ values: [String: Value], by author: Author) {
    let old = self[key]
    guard old.isAlive else { return }
    let changed = values.filter { old.values[$0.key] != $0.value }
    if !changed.isEmpty { write(key, changed, by: author) }
  }

  mutating func delete(_ key: Key, by author: Author) {
    guard self[key].isAlive else { return }
    if author.foreignKeys { applyDeleteRules(of: key, by: author) }
    end(key, by: author)
  }

  private mutating func write(_ key: Key, _ values: [String: Value], by author: Author) {
    var new = self[key]
    for (name, value) in values {
      let old = new.stamps[name] ?? new.born
      new.stamps[name] = max(author.stamp, author.isForeign ? old.next : old)
      new.values[name] = value
    }
    facts[key] = new
    let stamp = values.keys.compactMap { new.stamps[$0] }.max() ?? .unset
    note(.update, key, Set(values.keys), stamp: stamp)
  }

  private mutating func end(_ key: Key, by author: Author) {
    var new = self[key]
    let stamp = max(author.stamp, new.born)
    new.death = Death(life: new.born, stamp: stamp)
    new.values = [:]
    new.stamps = [:]
    facts[key] = new
    note(.delete, key, stamp: stamp)
  }

  private mutating func applyDeleteRules(of key: Key, by author: Author) {
    guard key.entity == "Node" else { return }
    for leaf in living("Leaf") where self[leaf].values["node"] == key.id.value {
      delete(leaf, by: author)
    }
    if missing.entities.contains("Note") { return }
    for note in living("Note") where self[note].values["node"] == key.id.value {
      update(note, ["node": .null], by: author)
    }
  }

  private mutating func note(
    _ kind: LogKind, _ key: Key, _ properties: Set<String> = [], stamp: Stamp,
    isExact: Bool = true
  ) {
    log.append(
      Logged(
        change: LoggedChange(
          entity: key.entity, id: key.id, kind: kind, properties: properties, stamp: stamp),
        isExact: isExact))
  }
}

// MARK: What imports do

extension HistoryModel {
  /// Before an import, what waited for a life that has begun here since waits no longer.
  mutating func settleParked() {
    for (key, old) in facts where !missing.entities.contains(key.entity) {
      let ripe = old.parked.filter { $0.key.life <= max(old.born, old.died) }
      guard !ripe.isEmpty else { continue }
      facts[key]?.parked = old.parked.filter { $0.key.life > max(old.born, old.died) }
      let versions = ripe.filter { $0.key.life == old.born && old.isAlive }
      merge(
        RecordDelta(
          key: RecordKey(entity: key.entity, id: key.id),
          versions: Dictionary(uniqueKeysWithValues: versions.map { ($0.key.property, $0.value) })))
    }
  }

  mutating func merge(_ delta: RecordDelta) {
    let key = Key(entity: delta.key.entity, id: delta.key.id)
    let old = self[key]
    var state = old.state
    let outcome = state.merge(delta)
    facts[key] = Facts(state, of: key.entity)
    if outcome.deathRose { note(.delete, key, stamp: state.death?.stamp ?? .unset) }
    if outcome.bornRose && state.isAlive { note(.insert, key, stamp: state.born) }
    if !outcome.parkedAdded.isEmpty { note(.parked, key, stamp: .unset, isExact: false) }
    if outcome.bornRose || outcome.changed.isEmpty { return }
    if missing.entities.contains(key.entity) {
      note(.unknown, key, stamp: delta.greatestStamp)
    } else if state.isAlive {
      let hidden = outcome.changed.filter { missing.hides($0, of: key.entity) }
      let shown = outcome.changed.subtracting(hidden)
      let stamp = shown.compactMap { state.versions[$0]?.stamp }.max() ?? .unset
      if !shown.isEmpty { note(.update, key, shown, stamp: stamp) }
      if !hidden.isEmpty { note(.unknown, key, stamp: state.born) }
    }
  }
}

extension HistoryModel.Facts {
  /// What merges see of the record.
  var state: RecordState {
    var versions: [String: Version] = [:]
    for (name, stamp) in stamps where stamp != .unset {
      versions[name] = Version(life: born, stamp: stamp, value: values[name] ?? .null)
    }
    return RecordState(
      born: born, death: death, versions: isAlive ? versions : [:], parked: parked)
  }

  init(_ state: RecordState, of entity: String) {
    self.init(born: state.born, death: state.death, parked: state.parked)
    guard state.isAlive else { return }
    for (name, fallback) in HistoryShape.of(entity).defaults {
      stamps[name] = state.versions[name]?.stamp ?? .unset
      values[name] = state.versions[name]?.value ?? fallback
    }
  }
}
