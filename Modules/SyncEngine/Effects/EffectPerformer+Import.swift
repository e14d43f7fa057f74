import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTransport

extension EffectPerformer {
  /// Applies fetched pages and moves the cursor, in one durable transaction.
  func apply(_ pages: [FetchPage]) async throws -> ApplyResult {
    let now = store.clock.milliseconds
    return try await store.importChanges(from: peerID) { transaction in
      var result = ApplyResult(
        peer: try present(transaction), changed: 0, conflicts: 0, setAside: 0)
      let device = try transaction.deviceID()
      let isZoneEmpty = result.peer.cursor == nil && pages.allSatisfy(\.changes.isEmpty)
      let changes = changes(of: pages, for: result.peer)
      let gate = try DeleteGate(
        transaction, DeleteGate.candidates(in: changes),
        limit: deleteLimit, isEnd: pages.last?.headReached ?? true, now: now)
      result.held = gate.newlyHeld
      for delete in gate.released {
        let change = FetchedChange(delta: delete.delta, device: delete.device ?? device)
        try apply(change, transaction, own: device, now, &result)
      }
      for var change in changes {
        guard let delta = gate.passing(change.delta) else { continue }
        change.delta = delta
        try apply(change, transaction, own: device, now, &result)
      }
      for page in pages {
        for entry in page.conflicts {
          let isNew = try transaction.list(entry, peer: peerID, at: now, isUnsent: false)
          if isNew { result.conflicts += 1 }
        }
      }
      try transaction.dropIdleHeldDeletes()
      try transaction.clearStoredValues(peer: peerID)
      result.conflicts -= try transaction.saveInserts(
        pendingAfter: result.peer.ownAcknowledged)
      if let last = pages.last {
        result.peer.cursor = last.cursor.bytes
        result.peer.proof = PeerRow.ProofRow(last.proof)
        try note(last, in: &result.peer, transaction)
        if pages.contains(where: \.isOfferWanted) {
          result.peer.offerEverything(upTo: try transaction.logHead())
        }
        if last.headReached {
          try concludeFirstSync(
            &result.peer, isZoneEmpty: isZoneEmpty, transaction, at: now)
        }
        try transaction.update(result.peer)
      }
      if result.conflicts > 0 {
        try transaction.recordEvent(
          .conflict, peer: peerID, process: store.process, at: now, records: result.conflicts)
      }
      return result
    }
  }

  /// Notes what the last page says of the zone.
  private func note(
    _ page: FetchPage, in peer: inout PeerRow, _ transaction: ImportTransaction
  ) throws {
    peer.isZoneUploading = !page.uploading.isEmpty
    peer.isCatchingUp = !page.headReached || peer.isZoneUploading
    peer.waits = page.waitingFor
    peer.notices = page.notices
    // From here on what is imported is not passed on to others until the head is reached (C27).
    let start = try peer.heldAfter ?? transaction.sealedHead()?.sequence ?? 0
    peer.heldAfter = page.headReached ? nil : start
  }

  private func apply(
    _ change: FetchedChange, _ transaction: ImportTransaction, own device: DeviceID, _ now: Int64,
    _ result: inout ApplyResult
  ) throws {
    let applied = try meet(change, transaction, own: device, now, &result)
    if !applied.outcome.isNothing { result.changed += 1 }
    for item in applied.unstorable {
      try transaction.setAside(
        peer: peerID, entity: try transaction.number(ofEntity: item.key.entity),
        record: item.key.id.value, sequence: 0,
        code: item.isCarried ? SetAsideRow.carriedCode : "cannotStore",
        message: "The value of \(item.property) is of a kind that this model cannot hold.",
        at: now)
      result.setAside += 1
    }
    for loser in applied.outcome.losers {
      guard
        let entry = try conflict(
          loser, change, transaction, own: device,
          acknowledged: result.peer.ownAcknowledged)
      else { continue }
      let isNew = try transaction.list(entry, peer: peerID, at: now, isUnsent: true)
      if isNew { result.conflicts += 1 }
    }
  }

  /// A version that lost is a conflict where one side had not known of the other: the writer had
  /// not read this store's change, or this store's change had not been sent.
  private func conflict(
    _ loser: MergeOutcome.Loser, _ change: FetchedChange, _ transaction: ImportTransaction,
    own device: DeviceID, acknowledged: Int64
  ) throws -> ConflictEntry? {
    var property: String? = loser.property
    switch loser.cause {
    case .version(let winner) where winner.value == loser.version.value: return nil
    case .version: break
    case .death, .laterLife: if loser.isIncoming { property = nil }
    }
    let entity = try transaction.number(ofEntity: change.delta.key.entity)
    let stamp = loser.version.stamp
    // An own earlier value that comes back, after a lost answer or with the next fetch, has not
    // lost to anybody else. Two values of one stamp are from two devices, whose clocks had both
    // been lifted over what a third one wrote (C22); so are an edit and the birth of another life.
    // The first life of a record with an identity is older than the insert that began it (C13).
    let life = loser.version.life.rawValue > 1 ? loser.version.life : nil
    let isOwn =
      try change.device == device
      || !loser.isTie
        && transaction.hasOwnChange(
          entity, change.delta.key.id, of: loser.property, after: 0, stamps: stamp...stamp,
          inLife: life, notFrom: peerID)
    if loser.isIncoming && isOwn { return nil }
    let isConcurrent = try transaction.hasOwnChange(
      entity, change.delta.key.id, of: property, after: change.seenOfReader ?? acknowledged,
      stamps: (loser.isIncoming ? .unset : stamp)...Stamp(rawValue: .max),
      life: loser.isIncoming ? .unset : loser.version.life, notFrom: peerID)
    guard try isConcurrent || isBeyondMemory(loser, change, transaction) else { return nil }
    return ConflictEntry(
      key: change.delta.key, property: loser.property, loser: loser.version,
      device: loser.isIncoming ? change.device : device)
  }
}

extension MergeOutcome.Loser {
  /// Whether it has the stamp of what it lost to, so that the values decided.
  fileprivate var isTie: Bool {
    if case .version(let winner) = cause { winner.stamp == version.stamp } else { false }
  }
}

extension EffectPerformer {
  /// Whether the version of this store was written in a part of history that is pruned, and the
  /// other's writer had not read that part.
  ///
  /// Nobody can tell any more whether the two were concurrent, so the loser is listed: nothing
  /// is lost silently.
  private func isBeyondMemory(
    _ loser: MergeOutcome.Loser, _ change: FetchedChange, _ transaction: ImportTransaction
  ) throws -> Bool {
    guard let seen = change.seenOfReader, case .version(let winner) = loser.cause else {
      return false
    }
    let own = loser.isIncoming ? winner.stamp : loser.version.stamp
    return try seen < transaction.prunedSequence() && own <= transaction.prunedStamp()
  }
}

extension ImportTransaction {
  /// Lists a value that lost, and tells whether it was new.
  @discardableResult
  func list(_ entry: ConflictEntry, peer: Int64, at time: Int64, isUnsent: Bool) throws -> Bool {
    try addConflict(
      peer: peer, entity: try number(ofEntity: entry.key.entity), record: entry.key.id,
      property: entry.property, loser: entry.loser, device: entry.device.description, at: time,
      isUnsent: isUnsent)
  }
}
