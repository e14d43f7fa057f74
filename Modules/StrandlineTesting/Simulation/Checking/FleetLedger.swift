import Strandline

/// Knows every fact that was ever made in a run, by reading back what was written.
///
/// It merges nothing. A fact is certain until nobody is left who holds it: a device that is put
/// back takes with it what it alone had.
struct FleetLedger {
  /// What is known of one fact.
  struct Entry {
    var isCertain = true
    /// Whether somebody who saw it replaced or deleted it.
    var isReplacedKnowingly = false
    /// The number of the device that made it.
    var writer: Int
  }

  /// The facts about one record.
  struct Facts {
    var births: [Stamp: Entry] = [:]
    var deaths: [Stamp: Entry] = [:]
    var versions: [String: [Version: Entry]] = [:]
  }

  private(set) var records: [RecordKey: Facts] = [:]
  /// How many facts were lost with the only one that held them.
  private(set) var lost = 0

  /// Notes what one transaction of a device changed.
  mutating func note(
    from before: [RecordKey: RecordState], to after: [RecordKey: RecordState], by writer: Int
  ) {
    for (key, state) in after {
      let old = before[key] ?? RecordState()
      guard old != state else { continue }
      note(key, from: old, to: state, by: writer)
    }
  }

  private mutating func note(
    _ key: RecordKey, from old: RecordState, to new: RecordState, by writer: Int
  ) {
    var facts = records[key] ?? Facts()
    let isOver = new.died > old.died || new.born > old.born
    if isOver {
      for (property, version) in old.versions {
        facts.versions[property]?[version]?.isReplacedKnowingly = true
      }
    }
    if new.died > old.died { facts.deaths[new.died] = Entry(writer: writer) }
    if new.born > old.born, new.isAlive { facts.births[new.born] = Entry(writer: writer) }
    for (property, version) in new.versions where old.versions[property] != version {
      if let replaced = old.versions[property] {
        facts.versions[property]?[replaced]?.isReplacedKnowingly = true
      }
      if facts.versions[property]?[version] == nil {
        facts.versions[property, default: [:]][version] = Entry(writer: writer)
      }
    }
    records[key] = facts
  }

  /// Marks as lost what none of these holds any more.
  mutating func keepOnly(heldBy holders: [[RecordKey: RecordState]]) {
    for (key, facts) in records {
      let states = holders.compactMap { $0[key] }
      var facts = facts
      for (birth, entry) in facts.births
      where entry.isCertain && !states.contains(where: { $0.covers(birth: birth) }) {
        facts.births[birth]?.isCertain = false
        lost += 1
      }
      for (life, entry) in facts.deaths
      where entry.isCertain && !states.contains(where: { $0.covers(death: life) }) {
        facts.deaths[life]?.isCertain = false
        lost += 1
      }
      for (property, versions) in facts.versions {
        for (version, entry) in versions
        where entry.isCertain && !states.contains(where: { $0.covers(version, of: property) }) {
          facts.versions[property]?[version]?.isCertain = false
          lost += 1
        }
      }
      records[key] = facts
    }
  }

  /// Notes that a device has replaced the stamps of what it had not sent to anybody.
  mutating func replaceStamps(
    from before: [RecordKey: RecordState], to after: [RecordKey: RecordState],
    by writers: Set<Int>, beyond latest: Stamp
  ) {
    for key in records.keys {
      records[key]?.withdraw(beyond: latest, by: writers)
    }
    for (key, state) in after where before[key] != state {
      var facts = records[key] ?? Facts()
      let entry = Entry(writer: writers.max() ?? 0)
      if state.died != .unset, facts.deaths[state.died] == nil {
        facts.deaths[state.died] = entry
      }
      if state.isAlive, facts.births[state.born] == nil { facts.births[state.born] = entry }
      for (property, version) in state.versions where facts.versions[property]?[version] == nil {
        facts.versions[property, default: [:]][version] = entry
      }
      records[key] = facts
    }
  }

  /// The facts of one device that a state of the zone does not cover yet.
  func pending(of writer: Int, beyond zone: [RecordKey: RecordState]) -> [RecordKey] {
    records.compactMap { key, facts in
      let state = zone[key] ?? RecordState()
      let isPending =
        facts.births.contains { $1.isOpen(writer) && !state.covers(birth: $0) }
        || facts.deaths.contains { $1.isOpen(writer) && !state.covers(death: $0) }
        || facts.versions.contains { property, versions in
          versions.contains { $1.isOpen(writer) && !state.covers($0, of: property) }
        }
      return isPending ? key : nil
    }
  }
}

extension FleetLedger.Facts {
  /// Takes back what some writers have stamped beyond what they have now.
  fileprivate mutating func withdraw(beyond latest: Stamp, by writers: Set<Int>) {
    for (birth, entry) in births where birth > latest && writers.contains(entry.writer) {
      births[birth] = nil
    }
    for (life, entry) in deaths where life > latest && writers.contains(entry.writer) {
      deaths[life] = nil
    }
    for (property, entries) in versions {
      versions[property] = entries.filter { version, entry in
        max(version.stamp, version.life) <= latest || !writers.contains(entry.writer)
      }
    }
  }
}

extension FleetLedger.Entry {
  fileprivate func isOpen(_ writer: Int) -> Bool { isCertain && self.writer == writer }
}
