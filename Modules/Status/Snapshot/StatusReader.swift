import StrandlineModels
public import StrandlineStorage

extension Store {
  /// Reads the status with every followed peer; one entry with peer `none` where none is.
  ///
  /// - Parameter deviceName: The name under which people know this device.
  /// - Returns: The status with each followed peer, at one moment.
  /// - Throws: Errors of the store.
  public func status(deviceName: String) async throws -> [StatusSnapshot] {
    let holder = SyncLease.holder(ofStoreAt: path)
    let space = freeSpace
    return try await read { transaction in
      let peers = try transaction.peers().filter(\.isFollowed)
      let reader = StatusReader(
        transaction: transaction, device: deviceName, leaseHolder: holder, space: space)
      return peers.isEmpty ? [try reader.withoutPeer()] : try peers.map(reader.snapshot)
    }
  }
}

struct StatusReader {
  let transaction: ReadTransaction
  let device: String
  let leaseHolder: String?
  let space: FreeSpace?

  func withoutPeer() throws -> StatusSnapshot {
    var snapshot = try base(peer: "none")
    snapshot.standing = .off
    return snapshot
  }

  func snapshot(_ peer: PeerRow) throws -> StatusSnapshot {
    var snapshot = try base(peer: peer.specification)
    snapshot.asOf = peer.caughtUp
    snapshot.lastSuccessfulActivity = peer.lastSuccess
    snapshot.setAside = try transaction.setAsideCount(peer: peer.id)
    snapshot.heldDeletes = try transaction.heldDeleteCount(of: peer.id)
    snapshot.isCatchingUp = peer.isCatchingUp
    snapshot.waitingFor = peer.waits
    snapshot.notices = peer.notices
    snapshot.isPublished = peer.isPublished
    snapshot.question = peer.question
    snapshot.purge = try transaction.pendingPurge(of: peer.id)
    snapshot.receipts = try transaction.receiptCounts(at: peer.id)
    try addPending(peer, to: &snapshot)
    snapshot.activities = try activities(of: peer)
    snapshot.phase = Self.phase(snapshot.activities)
    snapshot.isActive = snapshot.isWanted && !peer.isBlocked
    snapshot.standing = standing(peer, snapshot)
    if snapshot.standing == .waiting || snapshot.standing == .blocked {
      snapshot.until = peer.waitingUntil
      snapshot.reason = peer.reason
      snapshot.reasonCode = peer.reasonCode
      snapshot.cure = peer.cure
    } else if snapshot.standing == .working, !peer.waits.isEmpty {
      snapshot.reason = peer.waits.joined(separator: " ")
      snapshot.reasonCode = "waitingForFiles"
    } else if snapshot.standing == .working, snapshot.heldDeletes > 0 {
      snapshot.reason = Wording.held(snapshot.heldDeletes)
      snapshot.reasonCode = "heldDeletes"
      snapshot.cure = "List them with deletes, then apply or refuse them."
    }
    noteFullDisk(&snapshot)
    return snapshot
  }

  /// That the store's own disk is full no table can tell, since nothing can be written to one.
  private func noteFullDisk(_ snapshot: inout StatusSnapshot) {
    guard let space, space.isNone, [.settingUp, .working, .waiting].contains(snapshot.standing)
    else { return }
    snapshot.standing = .waiting
    snapshot.reason = "The disk that holds the store is full (\(space.text) free)."
    snapshot.reasonCode = "diskFull"
    snapshot.cure = "Free some space; syncing goes on by itself, and what was saved stays saved."
  }

  private func base(peer: String) throws -> StatusSnapshot {
    let state = try transaction.switchState()
    return StatusSnapshot(
      device: device, peer: peer, phase: .idle, standing: .off, pendingByEntity: [:],
      setAside: 0, orphans: try transaction.orphanCount(),
      conflicts: try transaction.conflictCount(), parked: try transaction.parkedCount(),
      isCatchingUp: false, isWanted: state.wanted, isActive: false,
      isPurgePending: state.pendingPurge, isAutomatic: state.automatic,
      firstLaunch: try FirstLaunchReader(transaction: transaction).state(),
      leaseHolder: leaseHolder)
  }

  private func addPending(_ peer: PeerRow, to snapshot: inout StatusSnapshot) throws {
    let start = max(peer.acknowledged, peer.examined)
    let counts = try transaction.pendingCounts(
      after: start, for: peer.id, comparingUpTo: peer.compareHead)
    for (number, count) in counts {
      let name = transaction.catalog.layout(number: number)?.entity.name ?? "entity \(number)"
      snapshot.pendingByEntity[name] = count
    }
    if snapshot.pending > 0 {
      snapshot.oldestPending = try transaction.timeOfFirstTransaction(
        after: start, notFrom: peer.id, comparingUpTo: peer.compareHead)
    }
    if let source = try transaction.peerHeldBack(from: peer.id) {
      snapshot.notices.append(
        "What came from \(source) is passed on when that was read to its end.")
    }
  }

  /// An activity without an end runs only while its process lives, which the lease tells; and as
  /// the phases come one after the other, only the latest of a peer can.
  private func activities(of peer: PeerRow) throws -> [StatusSnapshot.Activity] {
    let latest = try transaction.latestPhase(of: peer.id)
    return try StatusSnapshot.Activity.Kind.allCases.compactMap { kind in
      guard let event = EventKind(rawValue: kind.rawValue) else { return nil }
      let row = try transaction.latestEvent(of: peer.id, event)
      return StatusSnapshot.Activity(
        kind, latest: row, lastSuccess: try transaction.lastSuccess(of: peer.id, event),
        mayRun: leaseHolder != nil && row?.id == latest, caughtUp: peer.caughtUp)
    }
  }

  /// What runs; else the latest failure that nothing has made good, of whatever kind.
  static func phase(_ activities: [StatusSnapshot.Activity]) -> StatusSnapshot.Phase {
    if let running = activities.first(where: { $0.outcome == .running }) {
      return switch running.kind {
      case .setup: .settingUp
      case .import: .importing
      case .export: .exporting
      }
    }
    let failed = activities.filter { $0.outcome == .failed }
    let latest = failed.max { ($0.end ?? 0) < ($1.end ?? 0) }
    return latest.map { .failed($0.errorMessage ?? "") } ?? .idle
  }

  private func standing(
    _ peer: PeerRow, _ snapshot: StatusSnapshot
  ) -> StatusSnapshot.Standing {
    if !snapshot.isWanted { return .off }
    if peer.isBlocked { return .blocked }
    if peer.waitingUntil != nil { return .waiting }
    if peer.lastSuccess == nil { return .settingUp }
    let isBehind =
      snapshot.pending > 0 || snapshot.heldDeletes > 0 || peer.isCatchingUp
      || !peer.waits.isEmpty
    return isBehind || peer.caughtUp == nil ? .working : .caughtUp
  }
}
