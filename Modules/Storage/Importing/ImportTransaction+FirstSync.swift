package import StrandlineModels

// How a zone's facts meet a store that has data already, where they are not simply merged.
extension ImportTransaction {
  /// What a delta did where one side's facts count alone.
  package struct Meeting {
    package var application: Application
    /// The versions that do not show although a merge might show them, by property.
    package var overridden: [String: Version] = [:]
  }

  /// Lets the zone's facts about a record count alone: this store's own are as if they had never
  /// been, but stand in history with all their values.
  ///
  /// - Parameter delta: All that the zone told of the record.
  /// - Returns: What it did, with this store's versions that lost.
  /// - Throws: Errors of the store.
  package func yield(to delta: RecordDelta) throws -> Meeting {
    guard let layout = catalog.layout(key: delta.key.entity),
      delta.birth != nil || delta.death != nil
    else { return Meeting(application: try apply(delta)) }
    observe(delta.greatestStamp)
    let before = try loadReader().load(layout, delta.key.id)
    // That an earlier life was deleted stays known; the zone does not tell of it.
    let death = before.state.death.flatMap { $0.life < delta.birth ?? .unset ? $0 : nil }
    var after = RecordState(death: death, parked: before.state.parked)
    let lost = delta.versions.filter { !Affinity.isKept($0.value.value) }.keys
    let outcome = after.merge(delta.without(lost))
    guard after != before.state else {
      return Meeting(
        application: Application(
          outcome: unchanged(before.state, delta.key),
          unstorable: Self.unstorable(delta.key, lost: lost)))
    }
    let id = delta.key.id
    let unfit = Self.unfit(after, for: layout)
    try writer.write(layout, id, from: before, to: after, outcome, besides: unfit)
    if !after.isAlive { try dropCarried(layout.number, id) }
    let unknown = outcome.changed.filter { layout.index(ofKey: $0) == nil }
    let unstorable = outcome.changed.intersection(unfit)
    try finish(layout.number, id, after, outcome, carried: unknown.union(unstorable))
    let life = try logLife(layout.number, id, after, outcome)
    if before.state.isAlive, let place = life.death ?? life.birth {
      try writer.preserve(layout.columns, at: place, from: before.state, evenIfNotAsked: true)
    }
    return Meeting(
      application: Application(
        outcome: outcome,
        unstorable: Self.unstorable(delta.key, carried: unstorable, lost: lost)),
      overridden: before.state.versions.filter { after.versions[$0]?.value != $1.value })
  }

  /// The outcome of facts that were all known.
  private func unchanged(_ state: RecordState, _ key: RecordKey) -> MergeOutcome {
    var same = state
    return same.merge(RecordDelta(key: key))
  }

  private func dropCarried(_ entity: Int64, _ id: RecordID) throws {
    try connection.run(
      "DELETE FROM strandline_unknown_value WHERE record = ? AND entity = ?",
      [id.value, .integer(entity)])
  }

  /// Merges a delta, and lets this store's values of a record that lives here win all the same.
  ///
  /// - Parameter delta: What the zone told.
  /// - Returns: What it did, with the zone's versions that lost.
  /// - Throws: Errors of the store.
  package func prevail(over delta: RecordDelta) throws -> Meeting {
    guard let layout = catalog.layout(key: delta.key.entity) else {
      return Meeting(application: try apply(delta))
    }
    let before = try loadReader().load(layout, delta.key.id).state
    var meeting = Meeting(application: try apply(delta))
    guard before.isAlive, !meeting.application.outcome.isNothing else { return meeting }
    let after = try loadReader().load(layout, delta.key.id).state
    for (property, version) in before.versions {
      let winner = after.versions[property]
      if after.isAlive && winner?.value == version.value { continue }
      if kept[delta.key]?[property] == nil {
        kept[delta.key, default: [:]][property] = version.value
      }
      meeting.overridden[property] = winner
    }
    return meeting
  }

  /// Writes the values that prevail with a stamp of this store, as its own change.
  func writeKept(at stamp: Stamp) throws {
    for (key, values) in kept {
      guard let layout = catalog.layout(key: key.entity) else { continue }
      let state = try loadReader().load(layout, key.id).state
      let life = state.isAlive ? state.born : stamp
      let versions = values.filter { !state.isAlive || state.versions[$0]?.value != $1 }
        .mapValues { Version(life: life, stamp: stamp, value: $0) }
      guard !versions.isEmpty else { continue }
      try apply(
        RecordDelta(key: key, birth: state.isAlive ? nil : stamp, versions: versions))
    }
  }

  /// Takes a record away that the zone lacks, as if it had never been, and keeps all its values in
  /// history.
  ///
  /// - Returns: Whether there was one.
  package func layAside(_ record: PendingKey) throws -> Bool {
    guard let layout = catalog.layout(number: record.entity) else { return false }
    let before = try loadReader().load(layout, record.id)
    guard before.state.isAlive, before.hasRow else { return false }
    let place = try writer.log(layout.number, record.id, .delete, stamp: before.state.born)
    try writer.preserve(layout.columns, at: place, from: before.state, evenIfNotAsked: true)
    try connection.run("DELETE FROM \(layout.table) WHERE id = ?", [record.id.value])
    // That an earlier life was deleted stays known.
    let forget =
      before.state.death == nil
      ? "DELETE FROM \(layout.shadow) WHERE id = ?"
      : "UPDATE \(layout.shadow) SET born = 0 WHERE id = ?"
    try connection.run(forget, [record.id.value])
    try dropCarried(layout.number, record.id)
    return true
  }
}
