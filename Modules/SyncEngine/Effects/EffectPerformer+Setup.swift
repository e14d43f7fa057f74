import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTransport

extension EffectPerformer {
  /// Records an opened zone, and finds out whether this store is what the zone takes it for.
  ///
  /// The zone remembers the last group that it accepted from this device. If that lies beyond
  /// the recorded acknowledgement and the log holds it, only an answer was lost. If the log does
  /// not hold it, the store was restored from a backup or cloned: it takes a new identity, so
  /// that two histories never use one name, and imports before it sends.
  func reconcile(_ zone: ZoneDescription) async throws -> Reconciliation {
    let name = deviceName
    return try await store.administer(durable: true) { transaction in
      try correctPublishedStamps(transaction)
      var peer = try present(transaction)
      // What was known is there: nothing is left to be asked.
      peer.question = nil
      let others = try transaction.peers().filter { $0.id != peer.id && $0.isFollowed }
      if let same = others.first(where: { $0.zone == zone.zone.rawValue }) {
        // Both would write under this device's name there, each without the other's knowledge.
        throw SyncError.sameZone(peer.specification, as: same.specification)
      }
      peer.account = zone.account
      peer.zone = zone.zone.rawValue
      var isRestored = try zone.held.contains { try transaction.isForeign($0) }
      if let accepted = zone.lastAccepted, accepted.sequence > peer.acknowledged {
        let token = try transaction.transactionToken(endingAt: accepted.sequence)
        let isPruned = try token == nil && accepted.sequence <= transaction.prunedSequence()
        if isPruned
          || (token == accepted.transactionToken && isToBeHeardAgain(accepted, from: peer))
        {
          // It was accepted before a full compare began, or may have been: it proves nothing of
          // what the zone holds now. Nor does what history no longer holds: all known peers had
          // acknowledged more than that.
        } else if token == accepted.transactionToken {
          try transaction.clearSetAside(
            peer: peer.id, sentAfter: peer.acknowledged, upTo: accepted.sequence)
          peer.acknowledged = accepted.sequence
          try transaction.addDelivery(
            peer: peer.id, sequence: accepted.sequence, position: zone.proof.sequence,
            at: store.clock.milliseconds)
        } else {
          isRestored = true
        }
      }
      try beginFirstSync(with: &peer, transaction, &isRestored)
      if isRestored {
        try transaction.beginUnderNewIdentity()
        try recordEvent(.identity, transaction, "the peer knows another store by this name")
        // A folder may have been put back with the store, and lack what others had read.
        if transport.traits.acknowledgement == .published {
          peer.offerEverything(upTo: try transaction.logHead())
        }
      }
      if peer.proof == nil { peer.proof = PeerRow.ProofRow(zone.proof) }
      try transaction.update(peer)
      return Reconciliation(
        peer: peer, device: DeviceInfo(id: try transaction.deviceID(), name: name),
        hasNewIdentity: isRestored)
    }
  }

  /// Whether a group goes again although the zone accepted it, since its answer counts.
  ///
  /// A zone that was read from its beginning tells of deaths only in its answers to what had died
  /// there. An answer that was lost is asked for again, or the dead would live on here (C6, C14). A
  /// folder tells all deaths to its readers.
  private func isToBeHeardAgain(_ accepted: AcceptedGroup, from peer: PeerRow) -> Bool {
    if peer.isPublished { return accepted.sequence <= peer.compareHead }
    return peer.acknowledged < peer.compareHead || peer.firstSync != nil
  }

  /// Begins a peer anew whose zone was in the memory of a process that has ended.
  func renewPeer() async throws -> PeerRow {
    try await store.administer(durable: true) { transaction in
      let old = try present(transaction)
      try transaction.forgetContents(of: old.id)
      return try present(transaction)
    }
  }

  /// Takes a new identity, since files that this store did not write stand under the old one.
  ///
  /// What it had published under the old identity is read like another device's. Everything that
  /// the store holds goes out under the new one, since nobody can tell what of it the zone still
  /// has.
  func takeNewIdentity() async throws -> CycleEvent {
    let name = deviceName
    return try await store.administer(durable: true) { transaction in
      try transaction.beginUnderNewIdentity()
      try recordEvent(.identity, transaction, "files of another store stand under this name")
      var peer = try present(transaction)
      peer.offerEverything(upTo: try transaction.logHead())
      try transaction.update(peer)
      return .identityTaken(
        try present(transaction), DeviceInfo(id: try transaction.deviceID(), name: name))
    }
  }

  /// Makes the next stages read everything and offer everything.
  ///
  /// The zone answers what died there with its death, since it keeps the deaths for good, so
  /// nothing that was deleted comes back.
  ///
  /// - Parameter keepsAcknowledgement: Whether what was acknowledged has reached the zone and is no
  ///   news there; a zone that was put back may have lost it.
  /// - Returns: The peer as it is then.
  /// - Throws: Errors of the store.
  func resetForCompare(keepsAcknowledgement: Bool) async throws -> PeerRow {
    try await store.administer(durable: true) { transaction in
      var peer = try present(transaction)
      peer.compareBase = keepsAcknowledgement ? peer.ownAcknowledged : 0
      peer.offerEverything(upTo: try transaction.logHead())
      peer.cursor = nil
      peer.proof = nil
      peer.isCatchingUp = true
      try transaction.clearHeld(for: peer.id, transaction.releasedImports(for: peer.id))
      try transaction.update(peer)
      try recordEvent(
        .compare, transaction,
        keepsAcknowledgement ? "the place in the zone's changes expired" : "the zone was put back")
      return peer
    }
  }

  /// What is done beside the phases stands in the event log, too.
  func recordEvent(
    _ kind: EventKind, _ transaction: ReadTransaction, records: Int = 0, _ detail: String
  ) throws {
    try transaction.recordEvent(
      kind, peer: peerID, process: store.process, at: store.clock.milliseconds, records: records,
      detail: detail)
  }
}

extension PeerRow.ProofRow {
  init(_ proof: Proof) {
    self.init(incarnation: proof.incarnation, sequence: proof.sequence, nonce: proof.nonce)
  }
}

extension ReadTransaction {
  /// Whether a group that stands under this device's identity was written by another store: a copy
  /// of this one, or this one before it was put back.
  fileprivate func isForeign(_ group: AcceptedGroup) throws -> Bool {
    if let token = try transactionToken(endingAt: group.sequence) {
      return token != group.transactionToken
    }
    return try group.sequence > prunedSequence()
  }
}
