package import StrandlineModels
package import StrandlineStorage
package import StrandlineTransport

/// What the cycle learns: the answer to the effect that it asked for.
package enum CycleEvent {
  case account(Result<AccountState, TransportError>)
  case opened(Result<ZoneDescription, TransportError>)
  /// The opened zone was compared with the store, and the result recorded.
  case reconciled(Reconciliation)
  /// The store took a new identity, since another one writes under its old one.
  case identityTaken(PeerRow, DeviceInfo)
  /// The peer was begun anew: its zone ended with another process.
  case renewed(PeerRow)
  /// Everything will be compared, both ways.
  case resetForCompare(PeerRow)
  case fetched(Result<FetchPage, TransportError>)
  case applied(ApplyResult)
  case gathered(OutgoingGroup?, PeerRow)
  /// A zone had refused stamps from the future, which was looked into.
  case clockCorrected(ClockCorrection)
  case sent(Result<SendAnswer, TransportError>)
  case acknowledged(PeerRow, appliedDeaths: Int, held: Int = 0)
  case receipts(Result<[DeviceReport], TransportError>)
  case reportsRecorded
  /// The store could not do what an effect needed.
  case storeFailed(any ExplainedError)
}

/// What recording an opened zone found.
package struct Reconciliation: Sendable {
  package var peer: PeerRow
  /// The device's identity, a new one where the store turned out to be restored or cloned.
  package var device: DeviceInfo
  /// Whether the identity is new, so that the zone is opened again under it.
  package var hasNewIdentity: Bool

  package init(peer: PeerRow, device: DeviceInfo, hasNewIdentity: Bool) {
    self.peer = peer
    self.device = device
    self.hasNewIdentity = hasNewIdentity
  }
}

/// What applying fetched pages did.
package struct ApplyResult: Sendable {
  package var peer: PeerRow
  package var changed: Int
  package var conflicts: Int
  package var setAside: Int
  /// How many deletes were held, and wait for the person's word now.
  package var held: Int

  package init(
    peer: PeerRow, changed: Int = 0, conflicts: Int = 0, setAside: Int = 0, held: Int = 0
  ) {
    self.held = held
    self.peer = peer
    self.changed = changed
    self.conflicts = conflicts
    self.setAside = setAside
  }
}

/// A group that is ready to be sent, in pages.
package struct OutgoingGroup: Sendable {
  package var header: GroupHeader
  package var pages: [[RecordDelta]]
  package var conflicts: [ConflictEntry]
  /// The identity under which it is sent, once that is known.
  package var sender: DeviceID?
  /// The number of the last conflict in the store's list that goes along.
  package var lastConflict: Int64
  /// The imports in it that earlier groups had left out, by the end of their transaction.
  package var released: [Int64]
  /// The number of each conflict in the store's list.
  package var conflictNumbers: [Int64]
  /// Whether conflicts are left for another group, since a page takes no more.
  package private(set) var leavesConflicts = false

  package init(
    header: GroupHeader, pages: [[RecordDelta]], conflicts: [ConflictEntry] = [],
    conflictNumbers: [Int64] = [], lastConflict: Int64 = 0, released: [Int64] = []
  ) {
    self.conflictNumbers = conflictNumbers
    self.header = header
    self.pages = pages
    self.conflicts = conflicts
    self.lastConflict = lastConflict
    self.released = released
  }

  /// The same group in pages of at most so many records; pages that fit stay as they are.
  ///
  /// All conflicts go with the first page; those that it does not take go with a later group.
  package func paged(by size: Int) -> OutgoingGroup {
    var paged = self
    if conflicts.count > size, conflictNumbers.count == conflicts.count {
      paged.conflicts = Array(conflicts.prefix(max(1, size)))
      paged.conflictNumbers = Array(conflictNumbers.prefix(max(1, size)))
      paged.lastConflict = paged.conflictNumbers.last ?? lastConflict
      paged.leavesConflicts = true
    }
    guard pages.contains(where: { $0.count > size }) else { return paged }
    let deltas = Array(pages.joined())
    paged.pages = stride(from: 0, to: deltas.count, by: max(1, size)).map {
      Array(deltas[$0..<min($0 + max(1, size), deltas.count)])
    }
    return paged
  }

  package var recordCount: Int { pages.reduce(0) { $0 + $1.count } }
}
