import StrandlineModels
import StrandlineStorage
import StrandlineTransport

extension EffectPerformer {
  /// Gathers everything that the peer has not acknowledged into one group.
  ///
  /// A sequence is made durable before it is published: if power fails afterwards, this store
  /// must not use the number again for something else.
  func gather(excluding refusals: [Refusal]) async throws -> CycleEvent {
    if let peer = try await peerWithNothingPending() { return .gathered(nil, peer) }
    var unsealed = true
    var gathered: (OutgoingGroup?, PeerRow)?
    while unsealed {
      // The transaction seals what other clients wrote, and its commit syncs all before it.
      try await store.administer(durable: true) { try $0.update(try present($0)) }
      gathered = try await store.read { transaction in
        if try transaction.hasUnsealedRows() { return nil }
        return try outgoing(transaction, excluding: refusals)
      }
      unsealed = gathered == nil
    }
    guard let (group, peer) = gathered else { throw CancellationError() }
    if let group {
      try await setAside(refusals, at: group.header.sequence)
      return .gathered(group, peer)
    }
    try await store.administer { try $0.update(peer) }
    return .gathered(nil, peer)
  }

  /// Sets refused records aside before the rest is sent.
  ///
  /// The answer may be lost: the next setup then moves the acknowledgement past them without
  /// knowing of the refusals (C17). One that is not passed goes out again and is taken back then.
  private func setAside(_ refusals: [Refusal], at sequence: Int64) async throws {
    guard !refusals.isEmpty else { return }
    let now = store.clock.milliseconds
    try await store.administer(durable: true) { transaction in
      for refusal in refusals {
        try transaction.setAside(
          peer: peerID, entity: try transaction.number(ofEntity: refusal.key.entity),
          record: refusal.key.id.value, sequence: sequence, code: refusal.code,
          message: refusal.message, at: now)
      }
    }
  }

  private func peerWithNothingPending() async throws -> PeerRow? {
    try await store.read { transaction in
      let peer = try present(transaction)
      let head = try transaction.sealedHead()?.sequence ?? 0
      let isQuiet =
        try !transaction.hasUnsealedRows() && head <= max(peer.acknowledged, peer.examined)
      // Values that lost in an import are told even where nothing else is left to send.
      let hasNews =
        try head > peer.acknowledged && !transaction.unsentConflicts(to: peer.id).isEmpty
      return isQuiet && !hasNews ? peer : nil
    }
  }

  private func outgoing(
    _ transaction: ReadTransaction, excluding refusals: [Refusal]
  ) throws -> (OutgoingGroup?, PeerRow) {
    var peer = try present(transaction)
    let pending = try transaction.pendingChanges(
      after: max(peer.acknowledged, peer.examined), for: peer.id, comparingUpTo: peer.compareHead,
      limit: uploadLimit)
    let refused = Set(refusals.map(\.key))
    let reader = try DeltaReader(transaction)
    let lacking = try transaction.refusedRecords(peer: peer.id)
    let all = try pending.records.compactMap { record in
      try reader.delta(for: lacking.contains(record.key) ? record.whole : record)
    }
    let deltas = all.filter { !refused.contains($0.key) }
    let conflicts = try transaction.unsentConflicts(to: peer.id)
    var end = (sequence: pending.head, token: pending.headToken)
    if all.isEmpty && pending.isAll {
      guard let head = try transaction.sealedHead(), head.sequence > peer.acknowledged,
        !conflicts.isEmpty
      else {
        peer.examined = max(peer.examined, pending.head)
        return (nil, peer)
      }
      end = head
    }
    let header = GroupHeader(
      token: UInt64.random(in: .min ... .max), base: peer.acknowledged, sequence: end.sequence,
      transactionToken: end.token, recordCount: deltas.count,
      incomplete: all.count - deltas.count, isPartOfUpload: !pending.isAll,
      isOffer: peer.acknowledged < peer.compareHead)
    let entries = conflicts.compactMap { transaction.entry($0) }
    return (
      OutgoingGroup(
        header: header, pages: Self.pages(of: deltas), conflicts: entries,
        lastConflict: conflicts.last?.id ?? 0), peer
    )
  }

  private static func pages(of deltas: [RecordDelta]) -> [[RecordDelta]] {
    guard !deltas.isEmpty else { return [[]] }
    let size = TransportLimits().pageRecords
    return stride(from: 0, to: deltas.count, by: size).map {
      Array(deltas[$0..<min($0 + size, deltas.count)])
    }
  }

  /// Records an acknowledgement with what the peer said of the group, in one transaction.
  func acknowledge(
    _ group: OutgoingGroup, _ acceptance: Acceptance, deaths: [RecordDelta], refusals: [Refusal]
  ) async throws -> CycleEvent {
    let now = store.clock.milliseconds
    return try await store.importChanges(from: peerID) { transaction in
      var peer = try present(transaction)
      let before = peer.acknowledged
      peer.acknowledged = max(peer.acknowledged, acceptance.sequence)
      peer.proof = PeerRow.ProofRow(acceptance.proof)
      try transaction.addDelivery(
        peer: peer.id, sequence: acceptance.sequence, position: acceptance.position, at: now)
      try transaction.markConflictsSent(to: peer.id, upTo: group.lastConflict)
      let hadSetAside = try transaction.setAsideCount(peer: peer.id) > 0
      for delta in group.pages.joined() where hadSetAside {
        try transaction.clearSetAside(
          peer: peer.id, entity: try transaction.number(ofEntity: delta.key.entity),
          record: delta.key.id.value)
      }
      for refusal in refusals {
        try transaction.setAside(
          peer: peer.id, entity: try transaction.number(ofEntity: refusal.key.entity),
          record: refusal.key.id.value, sequence: acceptance.sequence, code: refusal.code,
          message: refusal.message, at: now)
      }
      var applied = 0
      for death in deaths where try !transaction.apply(death).outcome.isNothing { applied += 1 }
      try transaction.saveInserts(pendingAfter: before)
      try transaction.update(peer)
      return .acknowledged(peer, appliedDeaths: applied)
    }
  }

  /// Records what other devices reported to hold.
  func record(_ reports: [DeviceReport]) async throws -> CycleEvent {
    let now = store.clock.milliseconds
    let known = try await store.read { try $0.latestReceipts(at: peerID) }
    let news = reports.filter { report in
      !known.contains {
        $0.device == report.device.id.description && $0.position >= report.position
      }
    }
    guard !news.isEmpty else { return .reportsRecorded }
    try await store.administer { transaction in
      for report in news {
        try transaction.addReceipt(
          peer: peerID,
          ReceiptRow(
            device: report.device.id.description, name: report.device.name,
            position: report.position, reported: report.reportedAt), at: now)
      }
    }
    return .reportsRecorded
  }
}

extension ReadTransaction {
  func entry(_ row: ConflictRow) -> ConflictEntry? {
    guard let device = DeviceID(row.device), let layout = catalog.layout(number: row.entity) else {
      return nil
    }
    return ConflictEntry(
      key: RecordKey(entity: layout.entity.key, id: row.record), property: row.property,
      loser: row.loser, device: device)
  }
}
