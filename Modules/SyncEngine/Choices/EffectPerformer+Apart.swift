import StrandlineModels
import StrandlineStorage
import StrandlineTransport

// What was here before the person switched to another zone or account does not go there.
extension EffectPerformer {
  /// Whether anything about a record may be told to a peer.
  func maySend(
    _ record: PendingKey, to peer: PeerRow, _ transaction: ReadTransaction
  ) throws -> Bool {
    try !peer.isApart || !transaction.isListedForFirstSync(record, peer: peer.id)
  }

  /// The pending records that may go: of those that stay apart, the ones that were made anew.
  func sendable(
    _ pending: PendingChanges, for peer: PeerRow, _ transaction: ReadTransaction
  ) throws -> [PendingRecord] {
    guard peer.isApart else { return pending.records }
    return try pending.records.filter {
      try $0.isInserted || maySend($0.key, to: peer, transaction)
    }
  }

  /// Takes records that were made anew off the list of those that stay apart.
  func unlist(_ group: OutgoingGroup, _ transaction: ReadTransaction) throws {
    for delta in group.pages.joined() where delta.birth != nil {
      let number = try transaction.number(ofEntity: delta.key.entity)
      try transaction.unlistForFirstSync(
        PendingKey(entity: number, id: delta.key.id), peer: peerID)
    }
  }
}

// What the zone answers of records that had died there.
extension EffectPerformer {
  /// Applies a death that the zone has answered.
  ///
  /// The device was away when it was told, so what it changed since is a conflict: the zone cannot
  /// know that the device had not read of the delete (C14).
  ///
  /// - Returns: Whether it changed anything.
  func apply(
    _ death: RecordDelta, _ transaction: ImportTransaction, own device: DeviceID, _ now: Int64,
    _ peer: PeerRow, pendingAfter own: Int64
  ) throws -> Bool {
    if peer.hasBegunFirstSync && peer.firstSync == .keepLocal {
      return try !transaction.prevail(over: death).application.outcome.isNothing
    }
    let outcome = try transaction.apply(death).outcome
    let entity = try transaction.number(ofEntity: death.key.entity)
    for loser in outcome.losers where !loser.isIncoming {
      let stamps = loser.version.stamp...Stamp(rawValue: .max)
      let isPending = try transaction.hasOwnChange(
        entity, death.key.id, of: loser.property, after: own, stamps: stamps,
        life: loser.version.life, notFrom: peer.id)
      guard isPending else { continue }
      try transaction.list(
        ConflictEntry(
          key: death.key, property: loser.property, loser: loser.version, device: device),
        peer: peer.id, at: now, isUnsent: true)
    }
    return !outcome.isNothing
  }
}
