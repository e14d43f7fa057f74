extension Store {
  /// Where the person's switch stands, and what it waits for; any process gets the same answer.
  public func switchState() async throws -> SwitchState {
    let holder = SyncLease.holder(ofStoreAt: path).flatMap {
      SyncLease.isThisProcess($0) ? nil : $0
    }
    return try await read { transaction in
      let peers = try transaction.peers().filter(\.isFollowed).map { row in
        var peer = SwitchState.Peer(id: row.id, specification: row.specification)
        peer.isBlocked = row.isBlocked
        peer.reasonCode = row.reasonCode
        peer.reason = row.reason
        peer.cure = row.cure
        peer.lastSuccess = row.lastSuccess
        peer.isRunning = try transaction.latestEvent(of: row.id).map { $0.ended == nil } ?? false
        return peer
      }
      return SwitchState(try transaction.syncSwitch(), peers: peers, otherHolder: holder)
    }
  }

  /// What the marks on the store's files say to backup programs; nil for a store in memory.
  public func backupState() -> BackupState? {
    isInMemory ? nil : BackupExclusion(storeAt: path).state()
  }

  /// Tells what a change of the switch would do; nothing is changed by it.
  ///
  /// - Parameter change: The change.
  /// - Returns: What would follow, from the store's tables at one moment.
  /// - Throws: Errors of the store.
  public func consequences(of change: SwitchChange) async throws -> SwitchConsequences {
    let known = try await knownDevices()
    return try await read { transaction in
      var found = SwitchConsequences(change)
      let state = try transaction.syncSwitch()
      let peers = try transaction.peers().filter(\.isFollowed)
      found.records = try transaction.recordCount()
      found.unsent = try transaction.unsentCount(by: peers)
      found.conflicts = try transaction.conflicts(limit: .max).count
      found.heldDeletes = try peers.reduce(0) {
        try $0 + transaction.heldDeleteCount(of: $1.id)
      }
      found.pendingPurges = state.purges.map(\.specification)
      found.zones = peers.map { peer in
        SwitchConsequences.Zone(
          peer: peer.specification, hasCopy: peer.zone != nil, isFolder: peer.isPublished,
          devices: known.filter { $0.peer == peer.specification }.map {
            .init(name: $0.name, lastHeard: $0.lastReport)
          })
      }
      found.changesAnything =
        switch change {
        case .on: !state.isWanted
        case .off: state.isWanted
        case .offWithPurge:
          state.isWanted
            || peers.contains { peer in
              peer.zone != nil && !state.purges.contains { $0.peer == peer.id }
            }
        }
      return found
    }
  }
}

extension ReadTransaction {
  /// How many records that may leave the device are here.
  fileprivate func recordCount() throws -> Int {
    try catalog.layouts.filter { $0.entity.configuration == .synced }.reduce(0) {
      try $0 + Int(connection.integer("SELECT count(*) FROM \($1.table)"))
    }
  }

  /// How many records have changes that none of the peers has acknowledged.
  fileprivate func unsentCount(by peers: [PeerRow]) throws -> Int {
    var unsent: Set<PendingKey>?
    for peer in peers {
      let keys = try Set(
        pendingChanges(
          after: max(peer.acknowledged, peer.examined), for: peer.id,
          comparingUpTo: peer.compareHead
        ).records.map(\.key))
      unsent = unsent.map { $0.intersection(keys) } ?? keys
    }
    return unsent?.count ?? 0
  }
}
