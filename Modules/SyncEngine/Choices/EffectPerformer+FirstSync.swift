import StrandlineModels
package import StrandlineStorage
import StrandlineTransport

// A store that has data already meets a zone for the first time.
extension EffectPerformer {
  /// Begins a first sync whose policy is not to merge, with the opening of the zone.
  ///
  /// - Parameters:
  ///   - peer: The peer.
  ///   - transaction: The transaction that records the opened zone.
  ///   - needsNewIdentity: Set where the store must go on under a new identity: a folder tells a
  ///     device by files that may hold what is not to be sent.
  /// - Throws: `firstSyncRefused`; errors of the store.
  func beginFirstSync(
    with peer: inout PeerRow, _ transaction: ReadTransaction, _ needsNewIdentity: inout Bool
  ) throws {
    guard let policy = peer.firstSync, policy != .union, !peer.hasBegunFirstSync else { return }
    if policy == .keepCloud { try transaction.requireNoOtherPeer(than: peer) }
    try transaction.listForFirstSync(peer: peer.id)
    peer.hasBegunFirstSync = true
    guard policy == .keepCloud else { return }
    try transaction.leaveUnsent(&peer)
    if peer.isPublished { needsNewIdentity = true }
  }

  /// Applies one change by what the person has decided of the two sides.
  ///
  /// - Returns: What it did; values that lost by the decision are listed already.
  func meet(
    _ change: FetchedChange, _ transaction: ImportTransaction, own device: DeviceID, _ now: Int64,
    _ result: inout ApplyResult
  ) throws -> ImportTransaction.Application {
    let peer = result.peer
    guard peer.isApart || peer.hasBegunFirstSync else { return try transaction.apply(change.delta) }
    let record = PendingKey(
      entity: try transaction.number(ofEntity: change.delta.key.entity), id: change.delta.key.id)
    guard try transaction.isListedForFirstSync(record, peer: peer.id) else {
      return try transaction.apply(change.delta)
    }
    if peer.hasBegunFirstSync && peer.firstSync == .keepLocal {
      let meeting = try transaction.prevail(over: change.delta)
      for (property, version) in meeting.overridden {
        try list(version, property, change, by: change.device, now, transaction, isUnsent: true)
        result.conflicts += 1
      }
      var application = meeting.application
      // What prevails has not lost.
      application.outcome.forgetLosers {
        !$0.isIncoming && meeting.overridden[$0.property] != nil
      }
      return application
    }
    let meeting = try transaction.yield(to: change.delta)
    for (property, version) in meeting.overridden {
      // Nobody else is told of what was never sent.
      try list(version, property, change, by: device, now, transaction, isUnsent: false)
      result.conflicts += 1
    }
    if change.delta.birth != nil || change.delta.death != nil {
      try transaction.unlistForFirstSync(record, peer: peer.id)
    }
    return meeting.application
  }

  private func list(
    _ version: Version, _ property: String, _ change: FetchedChange, by device: DeviceID,
    _ now: Int64, _ transaction: ImportTransaction, isUnsent: Bool
  ) throws {
    try transaction.list(
      ConflictEntry(
        key: change.delta.key, property: property, loser: version, device: device),
      peer: peerID, at: now, isUnsent: isUnsent)
  }

  /// The changes of all pages, with the facts of one record together where one side counts alone.
  func changes(of pages: [FetchPage], for peer: PeerRow) -> [FetchedChange] {
    let all = pages.flatMap(\.changes)
    guard peer.isApart || peer.hasBegunFirstSync && peer.firstSync == .keepCloud else { return all }
    var places: [RecordKey: Int] = [:]
    var gathered: [FetchedChange] = []
    for change in all {
      if let place = places[change.delta.key] {
        gathered[place].delta.add(change.delta)
        gathered[place].device = change.device
      } else {
        places[change.delta.key] = gathered.count
        gathered.append(change)
      }
    }
    return gathered
  }

  /// Ends the first sync when the zone's head is reached.
  ///
  /// - Parameters:
  ///   - peer: The peer.
  ///   - isZoneEmpty: Whether nothing at all was read.
  ///   - transaction: The transaction of the import.
  ///   - now: The time.
  /// - Throws: `firstSyncRefused` for an empty zone, where all that is here would go.
  func concludeFirstSync(
    _ peer: inout PeerRow, isZoneEmpty: Bool, _ transaction: ImportTransaction, at now: Int64
  ) throws {
    switch peer.firstSync {
    // These go on until the zone has answered what this device has.
    case .union, .keepLocal, nil: break
    case .keepCloud:
      let left = try transaction.listedForFirstSync(peer: peer.id)
      if isZoneEmpty && !left.isEmpty { throw SyncError.emptyZone(peer) }
      try transaction.requireNoOtherPeer(than: peer)
      let event = try transaction.beginEvent(
        peer: peer.id, kind: "firstSync", process: store.process, at: now)
      var count = 0
      for record in left where try transaction.layAside(record) { count += 1 }
      try transaction.endEvent(event, at: now, records: count, error: nil)
      if count > 0 { try transaction.readOthersAnew(than: peer.id) }
      try transaction.endFirstSync(&peer)
    }
  }
}

extension ReadTransaction {
  /// Refuses to lay anything aside while another peer is followed: it would go there too.
  package func requireNoOtherPeer(than peer: PeerRow) throws {
    let other = try peers().first { $0.id != peer.id && $0.isFollowed }
    if let other { throw SyncError.firstSyncBeside(other.specification, peer) }
  }

  /// Lets other known peers be read from the beginning when they are followed again, since what
  /// was laid aside may stand there.
  fileprivate func readOthersAnew(than peer: Int64) throws {
    for var other in try peers() where other.id != peer && other.cursor != nil {
      other.cursor = nil
      try update(other)
    }
  }
}

extension RecordDelta {
  /// Adds facts about the same record, of each property the greatest version.
  fileprivate mutating func add(_ other: RecordDelta) {
    birth = [birth, other.birth].compactMap(\.self).max()
    death = [death, other.death].compactMap(\.self).max()
    versions.merge(other.versions) { max($0, $1) }
  }
}

extension SyncError {
  static func firstSyncBeside(_ other: String, _ peer: PeerRow) -> SyncError {
    SyncError(
      .firstSyncRefused,
      "Could not begin with '\(peer.specification)', what only this device has would be laid aside "
        + "and the store follows '\(other)' too.",
      advice: "Remove one of the two, or remove this one and add it again with the first sync "
        + "union or local; nothing was changed.")
  }

  static func emptyZone(_ peer: PeerRow) -> SyncError {
    SyncError(
      .firstSyncRefused,
      "Could not begin with '\(peer.specification)', nothing is there and all that this device has "
        + "would be laid aside.",
      advice: "Check its address and its zone, or remove it and add it again with the first sync "
        + "union or local; nothing was changed.")
  }

  static func answered(_ peer: String) -> SyncError {
    SyncError(
      .answered, "Could not go on with '\(peer)', a question about it was answered meanwhile.",
      advice: "It goes on by itself.")
  }

  static func kept(_ peer: String) -> SyncError {
    SyncError(
      .switchedOff, "Could not sync with '\(peer)', everything was to stay on this device.",
      advice: "To follow it all the same, forget it first; to follow it again is a first sync.")
  }
}
