package import StrandlineModels

/// A transaction that applies what a peer sent.
///
/// Every delta is merged by the one pure merge; what changes is written with the stamps that it
/// came with, and history records it as the peer's. An import that changes nothing writes no
/// history, so that devices which bridge two peers fall silent.
package final class ImportTransaction: ReadTransaction {
  package let peer: Int64
  private(set) var clock: HybridClock
  private var reader: StateReader?
  let writer: StateWriter
  /// Whether all values of a record that ends are kept beside its death, and not only those that
  /// the model preserves.
  package var keepsAllValues = false
  private var unknownEntities: [String: Int64] = [:]

  init(connection: Connection, catalog: Catalog, peer: Int64, clock: HybridClock) {
    self.peer = peer
    self.clock = clock
    writer = StateWriter(connection: connection)
    super.init(connection: connection, catalog: catalog)
  }

  /// Identity-keyed records that the import ended although they were written after the delete.
  private var lostInserts: [RecordKey: [String: Value]] = [:]
  /// Those of them that are inserted again in a new life, when the import is recorded.
  private var insertedAgain: [RecordKey: [String: Value]] = [:]
  /// Values of this store that count although the peer's won; they are written again when the
  /// import is recorded.
  var kept: [RecordKey: [String: Value]] = [:]

  /// A value that this store's column would change, which is carried where SQLite can hold it.
  package struct Unstorable: Sendable {
    package let key: RecordKey
    package let property: String
    /// Whether it is carried beside its column; else it is lost, since nothing can hold it.
    package let isCarried: Bool
  }

  /// What applying a delta did.
  package struct Application {
    package var outcome: MergeOutcome
    package var unstorable: [Unstorable]
  }

  /// Applies what was parked for a life that has begun here since, and drops what is too late.
  ///
  /// A writer other than an import begins a life without a look at what is parked: an
  /// identity-keyed record's first life, or one that is later than all that was parked.
  func settleParked() throws {
    guard try loadReader().hasParked else { return }
    for layout in catalog.layouts {
      let ids = try connection.map(
        """
        SELECT DISTINCT p.record FROM strandline_parked AS p
        JOIN \(layout.shadow) AS s ON s.id = p.record
        WHERE p.entity = ? AND p.life <= max(s.born, s.died)
        """, [.integer(layout.number)]
      ) { RecordID($0.value(0)) }
      for case .some(let id) in ids { try settle(layout, id) }
    }
  }

  private func settle(_ layout: EntityLayout, _ id: RecordID) throws {
    let before = try loadReader().load(layout, id)
    let known = max(before.state.born, before.state.died)
    let ripe = before.state.parked.filter { $0.key.life <= known }
    try writer.deleteParked(layout.number, id, upTo: known)
    guard before.state.isAlive else { return }
    var delta = RecordDelta(key: RecordKey(entity: layout.entity.key, id: id))
    for (key, version) in ripe where key.life == before.state.born {
      delta.versions[key.property] = version
    }
    try apply(delta)
  }

  /// Merges a delta into the store.
  @discardableResult
  package func apply(_ delta: RecordDelta) throws -> Application {
    clock.observe(delta.greatestStamp)
    guard let layout = catalog.layout(key: delta.key.entity) else {
      return Application(outcome: try applyUnknown(delta), unstorable: [])
    }
    let before = try loadReader().load(layout, delta.key.id)
    var after = before.state
    let lost = delta.versions.filter { !Affinity.isKept($0.value.value) }.keys
    let outcome = after.merge(delta.without(lost))
    guard !outcome.isNothing else {
      return Application(outcome: outcome, unstorable: Self.unstorable(delta.key, lost: lost))
    }
    let unfit = Self.unfit(after, for: layout)
    try writer.write(layout, delta.key.id, from: before, to: after, outcome, besides: unfit)
    let unknown = outcome.changed.filter { layout.index(ofKey: $0) == nil }
    let unstorable = outcome.changed.intersection(unfit)
    try finish(
      layout.number, delta.key.id, after, outcome, carried: unknown.union(unstorable))
    try log(layout, delta.key.id, from: before.state, after, outcome, carried: !unknown.isEmpty)
    if layout.isIdentityKeyed { noteLostInsert(delta.key, before.state, after, outcome) }
    return Application(
      outcome: outcome, unstorable: Self.unstorable(delta.key, carried: unstorable, lost: lost))
  }

  static func unstorable(
    _ key: RecordKey, carried: Set<String> = [], lost: some Sequence<String>
  ) -> [Unstorable] {
    carried.sorted().map { Unstorable(key: key, property: $0, isCarried: true) }
      + lost.sorted().map { Unstorable(key: key, property: $0, isCarried: false) }
  }

  private func applyUnknown(_ delta: RecordDelta) throws -> MergeOutcome {
    let number = try entityNumber(delta.key.entity)
    let before = try loadReader().loadUnknown(number, delta.key.id)
    var after = before.state
    let outcome = after.merge(delta)
    guard !outcome.isNothing else { return outcome }
    try writer.writeUnknownRecord(number, delta.key.id, after)
    try finish(number, delta.key.id, after, outcome, carried: outcome.changed)
    try logLife(number, delta.key.id, after, outcome)
    if !outcome.bornRose && !outcome.changed.isEmpty {
      try writer.log(number, delta.key.id, .unknown, stamp: delta.greatestStamp)
    }
    return outcome
  }

  func finish(
    _ entity: Int64, _ id: RecordID, _ state: RecordState, _ outcome: MergeOutcome,
    carried: Set<String>
  ) throws {
    if reader?.hasUnknown == true || !carried.isEmpty {
      try writer.writeUnknownValues(entity, id, carried.sorted(), state, outcome)
      reader?.hasUnknown = true
    }
    if !outcome.parkedAdded.isEmpty || !outcome.parkedDropped.isEmpty {
      try writer.writeParked(entity, id, state, outcome)
      reader?.hasParked = true
    }
  }

  private func log(
    _ layout: EntityLayout, _ id: RecordID, from before: RecordState, _ state: RecordState,
    _ outcome: MergeOutcome, carried: Bool
  ) throws {
    let life = try logLife(layout.number, id, state, outcome)
    if before.isAlive {
      if let ended = life.death, before.born <= state.died {
        try writer.preserve(
          layout.columns, at: ended, from: before, evenIfNotAsked: keepsAllValues)
      } else if let begun = life.birth {
        // A later life took the place of one that nobody had deleted.
        try writer.preserve(layout.columns, at: begun, from: before)
      }
    }
    guard !outcome.bornRose, state.isAlive else { return }
    for (bank, mask) in layout.masks(of: outcome.changed).sorted(by: { $0.key < $1.key }) {
      let stamps = layout.keys(in: mask, bank: bank).compactMap { state.versions[$0]?.stamp }
      let sequence = try writer.log(
        layout.number, id, .update, properties: mask, bank: bank,
        stamp: stamps.max() ?? state.born)
      let written = layout.columns.filter { $0.bank == bank && $0.bit & mask != 0 }
      try writer.preserve(written, at: sequence, from: before)
    }
    if carried { try writer.log(layout.number, id, .unknown, stamp: state.born) }
  }

  /// Writes the log rows of a death and of a birth.
  ///
  /// - Returns: Their sequences.
  @discardableResult
  func logLife(
    _ entity: Int64, _ id: RecordID, _ state: RecordState, _ outcome: MergeOutcome
  ) throws -> (death: Int64?, birth: Int64?) {
    var death: Int64?
    var birth: Int64?
    if outcome.deathRose {
      death = try writer.log(entity, id, .delete, stamp: state.death?.stamp ?? state.died)
    }
    if outcome.bornRose && state.isAlive {
      birth = try writer.log(entity, id, .insert, stamp: state.born)
    }
    if !outcome.parkedAdded.isEmpty {
      try writer.log(entity, id, .parked, stamp: clock.seen)
    }
    return (death, birth)
  }

  func loadReader() throws -> StateReader {
    if let reader { return reader }
    let made = try StateReader(connection: connection)
    reader = made
    return made
  }

  private func entityNumber(_ key: String) throws -> Int64 {
    if let known = unknownEntities[key] { return known }
    let number = try Catalog.entityNumber(of: key, on: connection)
    unknownEntities[key] = number
    return number
  }

  /// The properties whose value their column would convert.
  ///
  /// Such a value is carried beside its column, which shows what it showed before: it counts in
  /// merges, goes on to other peers, and moves into the column when a model can hold it.
  static func unfit(_ state: RecordState, for layout: EntityLayout) -> Set<String> {
    Set(
      state.versions.compactMap { key, version in
        guard let index = layout.index(ofKey: key),
          !Affinity.stores(version.value, in: layout.columns[index].property)
        else { return nil }
        return key
      })
  }

  // MARK: Records that all devices share

  /// Remembers a record that a person inserted after the delete that ends it now (C13).
  ///
  /// All devices give an identity-keyed record one first life, so a delete that was made
  /// before an insert, by a device that did not know of it, ends the insert's life as well. Where
  /// somebody has begun a later life since, that counts, or what they wrote would be gone unseen.
  private func noteLostInsert(
    _ key: RecordKey, _ before: RecordState, _ after: RecordState, _ outcome: MergeOutcome
  ) {
    if outcome.isAlive { lostInserts[key] = nil }
    guard outcome.wasAlive, !outcome.isAlive, let death = after.death else { return }
    // A seed's properties have the stamp of the life itself, which no delete is older than.
    let isNewer = before.versions.values.contains { $0.stamp > death.stamp }
    if isNewer { lostInserts[key] = before.versions.mapValues(\.value) }
  }

  /// Saves those of the remembered records whose insert the peer had not acknowledged.
  ///
  /// - Returns: How many values that were listed as lost are not lost after all.
  @discardableResult
  package func saveInserts(pendingAfter sequence: Int64) throws -> Int {
    var kept = 0
    for (key, values) in lostInserts {
      let isPending = try connection.first(
        """
        SELECT 1 FROM strandline_log AS l JOIN strandline_transaction AS t
          ON t.last = (SELECT min(last) FROM strandline_transaction WHERE last >= l.sequence)
        WHERE l.record = ? AND l.entity = ? AND l.kind = \(LogKind.insert.rawValue)
          AND l.sequence > ? AND t.origin <> ?
        """,
        [
          key.id.value, .integer(try number(ofEntity: key.entity)), .integer(sequence),
          .integer(peer),
        ]
      ) { _ in true }
      guard isPending != nil else { continue }
      insertedAgain[key] = values
      for (property, value) in values {
        kept += try connection.run(
          """
          DELETE FROM strandline_conflict WHERE record = ? AND entity = ? AND property = ?
            AND value IS ? AND unsent = 1
          """,
          [key.id.value, .integer(try number(ofEntity: key.entity)), .text(property), value])
      }
    }
    return kept
  }

  /// Ends a record's life as the peer says, and has it inserted again with the values that it
  /// shows, in a new life that is this store's own change.
  package func insertAgain(_ key: RecordKey, afterDeath death: Death) throws {
    guard let layout = catalog.layout(key: key.entity) else { return }
    let before = try loadReader().load(layout, key.id).state
    guard before.isAlive, before.born <= death.life else { return }
    try apply(RecordDelta(key: key, death: death))
    insertedAgain[key] = before.versions.mapValues(\.value)
  }

  /// Inserts the remembered records in a new life; they are this store's own changes.
  func insertAgain(now: Int64) throws -> Bool {
    guard !insertedAgain.isEmpty || !kept.isEmpty else { return false }
    let life = clock.mint(now: now)
    for (key, values) in insertedAgain {
      let versions = values.mapValues { Version(life: life, stamp: life, value: $0) }
      try apply(RecordDelta(key: key, birth: life, versions: versions))
    }
    try writeKept(at: life)
    return true
  }

  /// Lifts the clock over a stamp of a change that is applied otherwise.
  func observe(_ stamp: Stamp) { clock.observe(stamp) }

  /// Lifts the store's clock over every stamp that was imported.
  func finish() throws {
    try connection.run(
      "UPDATE strandline_clock SET seen = max(seen, ?)", [.integer(clock.seen.rawValue)])
  }
}

extension RecordDelta {
  func without(_ properties: some Collection<String>) -> RecordDelta {
    guard !properties.isEmpty else { return self }
    var rest = self
    for property in properties { rest.versions[property] = nil }
    return rest
  }
}
