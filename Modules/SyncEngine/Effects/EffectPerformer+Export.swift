import StrandlineModels
import StrandlineStorage
import StrandlineTransport

extension EffectPerformer {
  /// Gathers everything that the peer has not acknowledged into one group.
  ///
  /// A sequence is made durable before it is published: if power fails afterwards, this store
  /// must not use the number again for something else.
  func gather(excluding refusals: [Refusal]) async throws -> CycleEvent {
    if let peer = try await peerWithNothingToSend() { return .gathered(nil, peer) }
    var gathered: Gathered?
    while gathered == nil {
      // The transaction seals what other clients wrote, and its commit syncs all before it.
      try await store.administer(durable: true) { try prepareGroup($0) }
      gathered = try await store.read { transaction in
        let peer = try present(transaction)
        let isPrepared =
          try !transaction.hasUnsealedRows()
          && !transaction.hasHeldToNote(for: peer.id, after: Self.start(of: peer))
        return isPrepared ? try outgoing(transaction, peer, excluding: refusals) : nil
      }
    }
    guard let gathered else { throw CancellationError() }
    let sequence = gathered.group?.header.sequence ?? max(1, gathered.peer.examined)
    try await setAside(refusals, gathered.damaged, at: sequence)
    if let group = gathered.group { return .gathered(group, gathered.peer) }
    return .gathered(nil, try await noteExamined(gathered))
  }

  /// What a snapshot held for the peer.
  private struct Gathered {
    /// What is sent; nil where there is nothing to say.
    var group: OutgoingGroup?
    var peer: PeerRow
    /// The imports among it that earlier groups had left out.
    var released: [Int64]
    /// What cannot be read, which must not keep the rest.
    var damaged: [DamagedRow]
  }

  /// Up to where everything is acknowledged or came from the peer itself.
  private static func start(of peer: PeerRow) -> Int64 { max(peer.acknowledged, peer.examined) }

  /// Seals what is there, notes what is left out, and takes a sequence for what has none.
  private func prepareGroup(_ transaction: ReadTransaction) throws {
    let peer = try present(transaction)
    try transaction.update(peer)
    try transaction.noteHeld(for: peer.id, after: Self.start(of: peer))
    let head = try transaction.sealedHead()?.sequence ?? 0
    if head > 0, head <= peer.acknowledged, try hasNews(for: peer, transaction) {
      try transaction.takeSequence(process: store.process, at: store.clock.milliseconds)
    }
  }

  /// Whether the peer is to be told something that stands in no log row beyond its
  /// acknowledgement: values that lost, what was left out before, that an upload has ended, a
  /// record that it refused and that is offered once more.
  private func hasNews(for peer: PeerRow, _ transaction: ReadTransaction) throws -> Bool {
    let now = store.clock.milliseconds
    if try !transaction.dueRecords(peer: peer.id, at: now).isEmpty { return true }
    if try !transaction.unsentConflicts(to: peer.id).isEmpty { return true }
    if try !transaction.releasedImports(for: peer.id).isEmpty { return true }
    return try peer.isMarked && !transaction.isOtherZoneUploading(besides: peer.id)
  }

  private func noteExamined(_ gathered: Gathered) async throws -> PeerRow {
    try await store.administer { transaction in
      var peer = try present(transaction)
      peer.examined = max(peer.examined, gathered.peer.examined)
      try transaction.update(peer)
      try transaction.clearHeld(for: peer.id, gathered.released)
      return peer
    }
  }

  /// Sets refused records aside before the rest is sent.
  ///
  /// The answer may be lost: the next setup then moves the acknowledgement past them without
  /// knowing of the refusals (C17). One that is not passed goes out again and is taken back then.
  private func setAside(
    _ refusals: [Refusal], _ damaged: [DamagedRow], at sequence: Int64
  ) async throws {
    guard !refusals.isEmpty || !damaged.isEmpty else { return }
    let now = store.clock.milliseconds
    try await store.administer(durable: true) { transaction in
      for refusal in refusals {
        try transaction.setAside(
          peer: peerID, entity: try transaction.number(ofEntity: refusal.key.entity),
          record: refusal.key.id.value, sequence: sequence, code: refusal.code,
          message: refusal.message, at: now, wait: RetryQueue.wait(afterAttempts:))
      }
      for row in damaged {
        try transaction.setAside(
          peer: peerID, entity: row.entity, record: row.record, sequence: sequence,
          code: DamagedRow.code, message: row.message, at: now,
          wait: row.fault == .noID ? { _ in nil } : RetryQueue.wait(afterAttempts:))
      }
    }
  }

  /// The peer, where a group for it would hold nothing; nil where there is something to send.
  func peerWithNothingToSend() async throws -> PeerRow? {
    try await store.read { transaction in
      let peer = try present(transaction)
      let head = try transaction.sealedHead()?.sequence ?? 0
      let isQuiet = try !transaction.hasUnsealedRows() && head <= Self.start(of: peer)
      return try isQuiet && !hasNews(for: peer, transaction) ? peer : nil
    }
  }

  private func outgoing(
    _ transaction: ReadTransaction, _ present: PeerRow, excluding refusals: [Refusal]
  ) throws -> Gathered {
    var peer = present
    let pending = try transaction.pendingChanges(
      after: Self.start(of: peer), for: peer.id, comparingUpTo: peer.compareHead,
      releasing: transaction.releasedImports(for: peer.id), limit: uploadLimit)
    let refused = Set(refusals.map(\.key))
    let (all, damaged) = try deltas(
      of: sendable(pending, for: peer, transaction), damaged: pending.unreadable, transaction)
    let deltas = all.filter { !refused.contains($0.key) }
    let unsent = try transaction.unsentConflicts(to: peer.id)
    let conflicts = try unsent.filter {
      try maySend(PendingKey(entity: $0.entity, id: $0.record), to: peer, transaction)
    }
    // An offer is whole once all that was there when it began is sent, whatever came since.
    let isOffer = peer.acknowledged < peer.compareHead
    let isUnsettled = try !isOffer && transaction.isOtherZoneUploading(besides: peer.id)
    let isMarking = !pending.isAll || isUnsettled
    var end = (sequence: pending.head, token: pending.headToken)
    if let head = try transaction.sealedHead(), pending.isAll { end = head }
    let hasNews = !conflicts.isEmpty || (peer.isMarked && !isMarking)
    let endsOffer = isOffer && end.sequence >= peer.compareHead
    // What was refused again and was only offered once more needs no group to go without it.
    let isOnlyRetried = deltas.isEmpty && pending.records.isEmpty
    guard (!all.isEmpty && !isOnlyRetried) || !pending.isAll || hasNews || endsOffer,
      end.sequence > peer.acknowledged
    else {
      peer.examined = max(peer.examined, pending.head)
      return Gathered(group: nil, peer: peer, released: pending.released, damaged: damaged)
    }
    let header = GroupHeader(
      token: UInt64.random(in: .min ... .max), base: peer.sentUpTo, sequence: end.sequence,
      transactionToken: end.token, recordCount: deltas.count,
      incomplete: all.count - deltas.count + damaged.count, isPartOfUpload: isMarking,
      isOffer: isOffer,
      endsOffer: endsOffer)
    let entries = conflicts.compactMap { row in transaction.entry(row).map { (row.id, $0) } }
    let group = OutgoingGroup(
      header: header, pages: [deltas], conflicts: entries.map(\.1),
      conflictNumbers: entries.map(\.0),
      lastConflict: unsent.last?.id ?? 0, released: pending.released)
    return Gathered(group: group, peer: peer, released: pending.released, damaged: damaged)
  }

  /// The facts of what is pending, and of refused records that are due.
  private func deltas(
    of pending: [PendingRecord], damaged unreadable: [DamagedRow], _ transaction: ReadTransaction
  ) throws -> (deltas: [RecordDelta], damaged: [DamagedRow]) {
    let reader = try DeltaReader(transaction)
    let lacking = try transaction.refusedRecords(peer: peerID)
    var records = pending.map { lacking.contains($0.key) ? $0.whole : $0 }
    let known = Set(records.map(\.key))
    let due = try transaction.dueRecords(peer: peerID, at: store.clock.milliseconds)
      .filter { !known.contains($0) }.prefix(RetryQueue.recordsInGroup)
    records += due.map(\.whole)
    var damaged = unreadable
    var deltas: [RecordDelta] = []
    for record in records {
      switch try reader.reading(of: record) {
      case .delta(let delta): deltas.append(delta)
      case .damaged(let row): damaged.append(row)
      // What was refused and is gone without a trace has its wait too, instead of none.
      case .nothing where due.contains(record.key):
        damaged.append(DamagedRow(record.entity, record.id.value, .noStamps))
      case .nothing: break
      }
    }
    return (deltas, damaged)
  }

  /// Records an acknowledgement with what the peer said of the group, in one transaction.
  func acknowledge(
    _ group: OutgoingGroup, _ acceptance: Acceptance, deaths: [RecordDelta], refusals: [Refusal]
  ) async throws -> CycleEvent {
    let now = store.clock.milliseconds
    let name = deviceName
    return try await store.importChanges(from: peerID) { transaction in
      var peer = try present(transaction)
      let device = try transaction.deviceID()
      if let sender = group.sender, sender != device {
        // Another peer's engine took a new identity meanwhile, under which all goes out again.
        return .identityTaken(peer, DeviceInfo(id: device, name: name))
      }
      let before = peer.acknowledged
      let own = peer.ownAcknowledged
      peer.acknowledged = max(peer.acknowledged, acceptance.sequence)
      peer.proof = PeerRow.ProofRow(acceptance.proof)
      try transaction.addDelivery(
        peer: peer.id, sequence: acceptance.sequence, position: acceptance.position, at: now)
      try transaction.markConflictsSent(to: peer.id, upTo: group.lastConflict)
      try transaction.clearHeld(for: peer.id, group.released)
      peer.conflictsTold = max(peer.conflictsTold, group.lastConflict)
      peer.isMarked = group.header.isPartOfUpload
      let hadSetAside = try transaction.setAsideCount(peer: peer.id) > 0
      for delta in group.pages.joined() where hadSetAside {
        try transaction.clearSetAside(
          peer: peer.id, entity: try transaction.number(ofEntity: delta.key.entity),
          record: delta.key.id.value)
      }
      for refusal in refusals {
        try transaction.markSetAside(
          peer: peer.id, entity: try transaction.number(ofEntity: refusal.key.entity),
          record: refusal.key.id.value, sequence: acceptance.sequence)
      }
      if peer.isApart { try unlist(group, transaction) }
      let gate = try DeleteGate(
        transaction, deaths.map { .init(delta: $0, device: nil) }, limit: deleteLimit,
        isEnd: !group.header.isPartOfUpload, now: now)
      var applied = 0
      for death in gate.released.map(\.delta) + deaths.compactMap(gate.passing)
      where try apply(death, transaction, own: device, now, peer, pendingAfter: own) {
        applied += 1
      }
      try transaction.dropIdleHeldDeletes()
      try transaction.saveInserts(pendingAfter: before)
      try transaction.update(peer)
      return .acknowledged(peer, appliedDeaths: applied, held: gate.newlyHeld)
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
