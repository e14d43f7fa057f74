import StrandlineModels
import StrandlineStorage
import StrandlineTransport

/// Decides in one import which deletes are applied and which are held (C25).
///
/// All deletes between a cursor and the head are judged together. While a catch-up goes on in
/// pieces, none of them is applied; the last piece judges what all of them brought. What waits for
/// the person already counts too, so that a deletion which goes on elsewhere is not let through
/// in small portions.
///
/// A delete that is held has no row in the history, so it goes to no other peer; the record can be
/// read and edited as before. A later birth makes it void.
struct DeleteGate {
  /// A delete with who made it.
  struct Candidate {
    let delta: RecordDelta
    let device: DeviceID?
  }

  private let transaction: ImportTransaction
  private let now: Int64
  /// The deletes that are not applied, by the record; what is known of each is held.
  private var held: [RecordKey: Death] = [:]
  /// How many deletes wait for the person since this import.
  private(set) var newlyHeld = 0
  /// What earlier pieces of the catch-up had held and what is not held any more.
  ///
  /// All of it is few enough. It is imported like the rest, so that edits which end with it are
  /// listed.
  private(set) var released: [Candidate] = []

  /// Judges the deletes of an import before it is applied.
  ///
  /// - Parameters:
  ///   - transaction: The import.
  ///   - candidates: Everything that is imported.
  ///   - limit: How many deletes are too many.
  ///   - isEnd: Whether the head is reached, so that all deletes are known.
  ///   - now: The time of day.
  /// - Throws: Errors of the store.
  init(
    _ transaction: ImportTransaction, _ candidates: [Candidate], limit: DeleteLimit, isEnd: Bool,
    now: Int64
  ) throws {
    self.transaction = transaction
    self.now = now
    let before = try transaction.heldDeletes()
    let ending = try Self.endings(candidates, in: transaction)
    let own = before.filter { $0.peer == transaction.peer && !$0.awaitsWord }
    guard !ending.isEmpty || !before.isEmpty else { return }
    let keys = try Set(before.compactMap(transaction.key)).union(ending.keys)
    let isTooMany = try limit.isExceeded(by: keys.count) { try transaction.syncedRecordCount() }
    // What waits already is decided by nobody but the person.
    for row in before where row.awaitsWord || !isEnd || isTooMany {
      if let key = try transaction.key(row) { held[key] = row.death }
    }
    guard isTooMany || !isEnd else {
      try release(own, ending)
      return
    }
    for (key, candidate) in ending {
      try hold(key, candidate, awaitsWord: isEnd)
    }
    if isEnd {
      newlyHeld =
        own.count
        + ending.keys.count { key in
          !before.contains { $0.record == key.id && $0.peer == transaction.peer }
        }
      try transaction.askAboutHeldDeletes(of: transaction.peer)
    }
  }

  /// What the gate has to look at; nothing where no record was deleted, as is usual.
  static func candidates(in changes: [FetchedChange]) -> [Candidate] {
    guard changes.contains(where: { $0.delta.death != nil }) else { return [] }
    return changes.filter { $0.delta.death != nil || $0.delta.birth != nil }
      .map { Candidate(delta: $0.delta, device: $0.device) }
  }

  /// A delta without a delete that is held; nil where nothing is left of it.
  func passing(_ delta: RecordDelta) -> RecordDelta? {
    guard let death = delta.death, let held = held[delta.key], death.life <= held.life else {
      return delta
    }
    var rest = delta
    rest.death = nil
    return rest.isEmpty ? nil : rest
  }

  private mutating func hold(
    _ key: RecordKey, _ candidate: Candidate, awaitsWord: Bool
  ) throws {
    guard let death = candidate.delta.death else { return }
    held[key] = max(held[key] ?? death, death)
    try transaction.hold(
      HeldDeleteRow(
        peer: transaction.peer, entity: try transaction.number(ofEntity: key.entity),
        record: key.id, death: death, time: now, device: candidate.device?.description,
        awaitsWord: awaitsWord))
  }

  private mutating func release(
    _ rows: [HeldDeleteRow], _ ending: [RecordKey: Candidate]
  ) throws {
    for row in rows {
      guard let key = try transaction.key(row) else { continue }
      try transaction.clearHeldDelete(of: row.record, in: row.entity)
      guard ending[key] == nil else { continue }
      released.append(
        Candidate(
          delta: RecordDelta(key: key, death: row.death),
          device: row.device.flatMap { DeviceID($0) }))
    }
  }

  /// The deletes that would end a life here, each record once.
  private static func endings(
    _ candidates: [Candidate], in transaction: ImportTransaction
  ) throws -> [RecordKey: Candidate] {
    var ending: [RecordKey: Candidate] = [:]
    for candidate in candidates {
      guard let death = candidate.delta.death else { continue }
      let known = ending[candidate.delta.key]?.delta.death
      if known.map({ $0 < death }) ?? true { ending[candidate.delta.key] = candidate }
    }
    guard !ending.isEmpty else { return [:] }
    for candidate in candidates {
      // A record that is born again in the same import is not lost.
      guard let birth = candidate.delta.birth,
        let death = ending[candidate.delta.key]?.delta.death, birth > death.life
      else { continue }
      ending[candidate.delta.key] = nil
    }
    return try ending.filter { key, candidate in
      guard let layout = transaction.catalog.layout(key: key.entity),
        layout.entity.configuration == .synced, let death = candidate.delta.death,
        let born = try transaction.livingBirth(of: key.id, in: layout)
      else { return false }
      return born <= death.life
    }
  }
}

extension ReadTransaction {
  /// The record of a held delete; nil where the model has its entity no longer.
  func key(_ row: HeldDeleteRow) throws -> RecordKey? {
    catalog.layout(number: row.entity).map { RecordKey(entity: $0.entity.key, id: row.record) }
  }
}
