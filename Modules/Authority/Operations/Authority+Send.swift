import StrandlineModels
package import StrandlineTransport

extension Authority {
  /// Takes one page of a group, and with the last page the whole group.
  ///
  /// Pages are staged and nobody sees them; the group is merged and numbered in one transaction
  /// at its end (C4). A page may be sent again, and so may a group that was accepted.
  ///
  /// - Throws: `invalidRequest` for a group that does not add up, `tooLarge` for too many records,
  ///   `clockSkew` for stamps from the future, `schemaRefused`, and what the checks of proof and
  ///   cursor find.
  package mutating func send(
    _ page: SendPage, account: String
  ) throws(TransportError) -> SendAnswer {
    try transact(.durable) { (authority) throws(TransportError) in
      try authority.sendInTransaction(page, account: account)
    }
  }

  private mutating func sendInTransaction(
    _ page: SendPage, account: String
  ) throws(TransportError) -> SendAnswer {
    let zone = try zone(page.zone, of: account)
    try check(page.proof, of: zone)
    var place: ZonePlace?
    if let cursor = page.cursor { place = try self.place(cursor, in: zone) }
    let heard = try hear(page.device, in: zone)
    if let memo = try storage.memo(of: heard.device.id, in: zone.id),
      memo.header.token == page.group.token
    {
      let answer = try answer(repeated: page, memo: memo, in: zone)
      try remember(heard, in: zone)
      return answer
    }
    try checkStamps(of: page)
    let (group, begun) = try group(with: page, of: heard.device.id, in: zone)
    if page.isLast { try checkWhole(group, last: page.page) }
    try admit(names(in: page.deltas), to: zone.environment)
    // Nothing is refused from here on, so writing begins.
    if begun == nil { try storage.dropStagedGroup(of: heard.device.id, in: zone.id) }
    if page.isLast, group.refused.isEmpty {
      let deltas = try allDeltas(of: group, last: page, in: zone)
      return try accept(group, deltas, of: heard, place: place, in: zone)
    }
    try remember(heard, in: zone)
    try stage(page, of: group, in: zone)
    guard page.isLast else {
      return SendAnswer(refused: group.pages[page.page]?.refused ?? [])
    }
    // The pages stay until another group begins, so that a repeated last page is answered alike.
    return SendAnswer(refused: group.refused)
  }

  /// The group as it is with one more page, and as it was if it had begun (C4).
  private func group(
    with page: SendPage, of device: DeviceID, in zone: Zone
  ) throws(TransportError) -> (StagedGroup, begun: StagedGroup?) {
    let header = page.group
    guard header.recordCount >= 0, header.base <= header.sequence, page.page >= 0,
      page.page <= header.recordCount
    else { throw .invalid("Could not take the group, its counts do not make sense.") }
    guard page.deltas.count <= limits.transport.pageRecords,
      page.conflicts.count <= limits.transport.pageRecords,
      header.recordCount <= limits.groupRecords
    else { throw .tooManyRecords(limits) }
    var begun = try storage.stagedGroup(of: device, in: zone.id)
    if begun?.header.token != header.token { begun = nil }
    var group = begun ?? StagedGroup(header: header)
    let check = RecordCheck(limits: limits)
    let sizes = page.deltas.map { check.byteCount(of: $0) }
    group.pages[page.page] = StagedGroup.PageSummary(
      recordCount: page.deltas.count, byteCount: sizes.reduce(0, +),
      refused: zip(page.deltas, sizes).compactMap { check.refusal(of: $0, byteCount: $1) },
      conflicts: page.conflicts)
    guard group.header == header, group.recordCount <= header.recordCount else {
      throw .brokenGroup(group)
    }
    guard group.byteCount <= limits.groupBytes else { throw .tooManyRecords(limits) }
    return (group, begun)
  }

  /// Refuses a group that ends while a page of it is missing.
  private func checkWhole(_ group: StagedGroup, last: Int) throws(TransportError) {
    guard (0...last).allSatisfy({ group.pages[$0] != nil }), group.pages.count == last + 1,
      group.recordCount == group.header.recordCount
    else { throw .brokenGroup(group) }
  }

  /// Keeps a page until its group ends; one with a refused record is kept without its records,
  /// since it has to come again.
  private mutating func stage(
    _ page: SendPage, of group: StagedGroup, in zone: Zone
  ) throws(TransportError) {
    let isTaken = group.pages[page.page]?.refused.isEmpty ?? false
    try storage.stage(
      group, page: page.page, deltas: isTaken ? page.deltas : [], of: page.device.id,
      in: zone.id)
  }

  /// The records of a whole group; those of a single page need not be kept to be read again.
  private mutating func allDeltas(
    of group: StagedGroup, last: SendPage, in zone: Zone
  ) throws(TransportError) -> [RecordDelta] {
    guard last.page > 0 else { return last.deltas }
    try stage(last, of: group, in: zone)
    return try storage.stagedDeltas(of: last.device.id, in: zone.id)
  }

  /// Refuses stamps that would win for as long as they lie ahead (C15).
  private func checkStamps(of page: SendPage) throws(TransportError) {
    let greatest = page.deltas.map(\.greatestStamp).max() ?? .unset
    let ahead = greatest.milliseconds - now
    if ahead > limits.futureMilliseconds {
      throw .clockSkew(aheadBy: ahead, now: now, bound: limits.futureMilliseconds)
    }
  }

  private func names(in deltas: [RecordDelta]) -> [String: Set<String>] {
    var names: [String: Set<String>] = [:]
    for delta in deltas { names[delta.key.entity, default: []].formUnion(delta.versions.keys) }
    return names
  }
}

extension Authority {
  /// Answers a page of the group that was accepted last as it was answered then.
  private func answer(
    repeated page: SendPage, memo: AcceptedMemo, in zone: Zone
  ) throws(TransportError) -> SendAnswer {
    guard page.group == memo.header else {
      throw .invalid("Could not take the group, another one has come under its token.")
    }
    guard page.isLast else { return SendAnswer() }
    return SendAnswer(
      acceptance: Acceptance(
        sequence: memo.header.sequence, position: memo.position, proof: try proof(of: zone)),
      deaths: try deaths(of: memo.deadKeys, in: zone))
  }

  /// Merges and numbers a whole group and remembers it.
  private mutating func accept(
    _ group: StagedGroup, _ deltas: [RecordDelta], of heard: HeardDevice, place: ZonePlace?,
    in zone: Zone
  ) throws(TransportError) -> SendAnswer {
    let header = group.header
    var (zone, heard) = (zone, heard)
    let id = heard.device.id
    try storage.dropStagedGroup(of: id, in: zone.id)
    let headBefore = zone.head
    var judge = ConflictJudge(sender: id, read: place?.sequence ?? 0)
    var memo = AcceptedMemo(header: header, position: 0, deadKeys: [])
    for delta in deltas {
      try merge(delta, judge: &judge, into: &zone)
      if try isStale(delta, deathsRead: place?.deathsRead, in: zone) {
        memo.deadKeys.append(delta.key)
      }
    }
    try list(group.conflicts, in: &zone)
    memo.position = zone.head
    if zone.head > headBefore {
      try storage.addNonce(draw(), of: zone.head, in: zone.id)
      try storage.save(zone)
    }
    heard.device.lastAccepted = AcceptedGroup(
      sequence: header.sequence, transactionToken: header.transactionToken)
    heard.device.isUploading = header.isPartOfUpload
    heard.device.incomplete = header.incomplete
    try remember(heard, in: zone)
    try storage.save(memo, deltas: deltas, of: id, in: zone.id)
    return SendAnswer(
      acceptance: Acceptance(
        sequence: header.sequence, position: memo.position, proof: try proof(of: zone)),
      deaths: try deaths(of: memo.deadKeys, in: zone))
  }

  /// Merges one record's facts; what is new gets the next numbers, the conflicts after it.
  private mutating func merge(
    _ delta: RecordDelta, judge: inout ConflictJudge, into zone: inout Zone
  ) throws(TransportError) {
    let before = try storage.record(delta.key, in: zone.id) ?? ZoneRecord(key: delta.key)
    var after = before
    let outcome = after.merge(delta, sequence: zone.head + 1, device: judge.sender)
    if !outcome.isNothing {
      zone.head += 1
      try storage.save(after, in: zone.id)
    }
    if judge.needsRepeated(outcome) {
      judge.repeated = try storage.writtenFacts(of: judge.sender, in: zone.id)
    }
    try list(judge.conflicts(of: outcome, before: before, after: after), in: &zone)
  }

  /// Numbers values that lost, those that the zone does not list yet.
  private mutating func list(
    _ conflicts: [ConflictEntry], in zone: inout Zone
  ) throws(TransportError) {
    for conflict in conflicts where try !storage.holds(conflict, in: zone.id) {
      zone.head += 1
      try storage.add(conflict, at: zone.head, in: zone.id)
    }
  }

  /// Whether a delta speaks of a life whose death the sender will not be told by a fetch (C6).
  ///
  /// Only a death that its cursor has passed is answered: what came later is fetched together
  /// with the rest of its transaction (C4).
  private func isStale(
    _ delta: RecordDelta, deathsRead: Int64?, in zone: Zone
  ) throws(TransportError) -> Bool {
    guard let death = try storage.record(delta.key, in: zone.id)?.death,
      (delta.death?.life ?? .unset) < death.fact.life,
      death.sequence <= deathsRead ?? .max
    else { return false }
    return (delta.birth.map { $0 <= death.fact.life } ?? false)
      || delta.versions.values.contains { $0.life <= death.fact.life }
  }

  private func deaths(of keys: [RecordKey], in zone: Zone) throws(TransportError) -> [RecordDelta] {
    var deltas: [RecordDelta] = []
    for key in keys {
      guard let death = try storage.record(key, in: zone.id)?.death else { continue }
      deltas.append(RecordDelta(key: key, death: death.fact))
    }
    return deltas
  }
}
