import StrandlineModels
package import StrandlineStorage
package import StrandlineTransport

/// One cycle with one peer as a deterministic state machine: an event goes in, effects come out.
///
/// It does no I/O and knows no time, so a test or a simulation drives it step by step.
///
///     setup:   askAccount ─▶ openZone ─▶ reconcile
///     import:  fetch ⟲ until the head ─▶ apply ⟲ while more is there
///     export:  gather ─▶ send ⟲ page by page ─▶ acknowledge ⟲ while more is pending
///     then:    exchangeReceipts ─▶ recordReports ─▶ finish
///
/// Pages are staged and applied in one transaction when the head is reached, so that no
/// transaction shows in part; a catch-up longer than ``Limits/stagedChanges`` goes in pieces,
/// and the peer is marked as catching up until it ends.
package struct CycleMachine {
  /// Bounds of what a cycle holds in memory and of how often it begins again.
  package struct Limits: Sendable {
    package var fetchChanges = 2000
    package var stagedChanges = 50_000
    package var restarts = 3

    package init() {}
  }

  package private(set) var peer: PeerRow
  package private(set) var device: DeviceInfo
  package private(set) var report: PeerReport
  /// What the person has to decide, where the cycle has found that out.
  package private(set) var question: PeerQuestion?
  private let schema: [String: Set<String>]
  private let isEphemeral: Bool
  private let account: String?
  private let limits: Limits
  /// Whether the person asked for the zone to be purged and changed their mind after it was tried:
  /// that it was purged by this device then is no question to them.
  package var hasWithdrawnPurge = false

  private var activity: ActivityKind?
  private var activityRecords = 0
  private var zone = ZoneID(rawValue: "")
  private var staged: [FetchPage] = []
  private var stagedCount = 0
  private var group: OutgoingGroup?
  private var nextPage = 0
  /// How many records a page may have: what the zone said, or less where it refused as many.
  private var pageRecords: Int?
  private var refusals: [Refusal] = []
  private var restarts = 0
  private var isCaughtUp = false

  package init(
    peer: PeerRow, device: DeviceInfo, schema: [String: Set<String>], isEphemeral: Bool,
    account: String? = nil, report: PeerReport? = nil, limits: Limits = Limits()
  ) {
    self.peer = peer
    self.device = device
    self.schema = schema
    self.isEphemeral = isEphemeral
    self.account = account
    self.limits = limits
    self.report = report ?? PeerReport(peer: peer.specification)
  }

  /// Begins the cycle.
  package mutating func start() -> [CycleEffect] {
    begin(.setup) + [.askAccount]
  }

  /// Takes the answer to the last effect.
  package mutating func handle(_ event: CycleEvent) -> [CycleEffect] {
    switch event {
    case .account(.success(let state)): handleAccount(state)
    case .opened(.success(let zone)): handleOpened(zone)
    case .reconciled(let result): handleReconciled(result)
    case .renewed(let peer), .resetForCompare(let peer): restart(with: peer)
    case .identityTaken(let peer, let device): restart(with: peer, as: device)
    case .fetched(.success(let page)): handleFetched(page)
    case .applied(let result): handleApplied(result)
    case .gathered(let group, let peer): handleGathered(group, peer)
    case .sent(.success(let answer)): handleSent(answer)
    case .clockCorrected(let correction): handleCorrection(correction)
    case .acknowledged(let peer, let deaths, let held): handleAcknowledged(peer, deaths, held)
    case .receipts(.success(let reports)): [.recordReports(reports)]
    case .reportsRecorded: conclude()
    case .account(.failure(let error)), .opened(.failure(let error)),
      .fetched(.failure(let error)), .sent(.failure(let error)), .receipts(.failure(let error)):
      handleFailure(error)
    case .storeFailed(let error as SyncError) where error.code == .answered:
      fail(error, .retry(afterMilliseconds: 0))
    case .storeFailed(let error): fail(error, CycleDisposition(ofStore: error))
    }
  }

  // MARK: Activities

  private mutating func begin(_ kind: ActivityKind) -> [CycleEffect] {
    activity = kind
    activityRecords = 0
    return [.beginEvent(kind)]
  }

  private mutating func end(error: (any ExplainedError)? = nil) -> [CycleEffect] {
    guard let kind = activity else { return [] }
    activity = nil
    return [.endEvent(kind, records: activityRecords, error: error)]
  }

  private mutating func fail(
    _ error: any ExplainedError, _ disposition: CycleDisposition
  ) -> [CycleEffect] {
    report.error = error
    return end(error: error) + [.finish(.failed(error, disposition))]
  }

  /// Ends the cycle with a question, if the error is one, and says how to answer it.
  private mutating func failAsking(
    _ error: TransportError, _ disposition: CycleDisposition
  ) -> [CycleEffect] {
    question = peer.zone == nil ? nil : PeerQuestion(error)
    guard let question else { return fail(error, disposition) }
    return fail(error.advising(question.advice(peer: peer.id)), disposition)
  }

  /// Too large a group goes again in smaller pages.
  ///
  /// A zone that was put back or cannot go on from the cursor is compared as a whole; the zone
  /// of a memory that is gone is begun anew; anything else ends the cycle.
  private mutating func handleFailure(_ error: TransportError) -> [CycleEffect] {
    if error.remedy == .split, group != nil, let size = pageRecords, size > 1 {
      pageRecords = size / 2
      return [.gather(excluding: refusals)]
    }
    if error.remedy == .fixClock { return [.correctClock(error)] }
    let isLostZone = error.code == .zoneNotFound || error.code == .zoneReplaced
    if restarts < limits.restarts {
      if isEphemeral && isLostZone && peer.zone != nil {
        restarts += 1
        return end() + [.renewPeer]
      }
      if hasWithdrawnPurge, isOwnPurge(error) {
        restarts += 1
        return end() + [.beginAnew]
      }
      if error.code == .deviceRestored {
        restarts += 1
        return end(error: error) + [.takeNewIdentity]
      }
      if error.remedy == .compareAll {
        restarts += 1
        let keeps = error.code == .cursorExpired
        return end(error: error) + [.resetForCompare(keepsAcknowledgement: keeps)]
      }
    }
    return failAsking(error, CycleDisposition(error.remedy))
  }

  /// Whether a zone was purged by this device, whatever epoch it had then.
  private func isOwnPurge(_ error: TransportError) -> Bool {
    guard error.code == .zonePurged, let who = error.context["device"] else { return false }
    return DeviceID(who)?.device == device.id.device
  }

  /// Stamps from the future were replaced, or are left until clocks are right (C15).
  private mutating func handleCorrection(_ correction: ClockCorrection) -> [CycleEffect] {
    switch correction {
    case .replaced(_, let peer):
      guard restarts < limits.restarts else {
        return fail(TransportError.stampsAtTheEdge, .retry(afterMilliseconds: nil))
      }
      restarts += 1
      return restart(with: peer)
    case .clockIsOff(let error): return fail(error, .blocked)
    case .nobodyIsAtFault(let error): return fail(error, CycleDisposition(error.remedy))
    }
  }

  /// Deletes that were held are an activity of their own, so that the event log has them.
  private mutating func note(held: Int) -> [CycleEffect] {
    guard held > 0 else { return [] }
    report.heldDeletes += held
    return [.beginEvent(.hold), .endEvent(.hold, records: held, error: nil)]
  }

  private mutating func restart(
    with peer: PeerRow, as device: DeviceInfo? = nil
  ) -> [CycleEffect] {
    self.peer = peer
    self.device = device ?? self.device
    staged = []
    stagedCount = 0
    group = nil
    refusals = []
    return end() + start()
  }

  // MARK: Setup

  private mutating func handleAccount(_ state: AccountState) -> [CycleEffect] {
    switch state {
    case .available(let account):
      if let error = unexpected(account) { return fail(error, .blocked) }
      if let known = peer.account, known != account, !isEphemeral {
        return failAsking(accountFrom: known, to: account)
      }
      return [.openZone(openRequest())]
    case .signedOut:
      return fail(
        TransportError(
          .accountUnavailable, "Could not sync, nobody is signed in.",
          advice: "Sign in, or name the file of an access token; everything is saved on this "
            + "device until then.",
          remedy: .waitForAccount), .blocked)
    case .restricted:
      return fail(
        TransportError(
          .accountRestricted, "Could not sync, this account may not use it.",
          advice: "Ask whoever manages the account; everything is saved on this device.",
          remedy: .waitForAccount), .blocked)
    case .undetermined:
      return fail(
        TransportError(
          .accountUndetermined, "Could not sync, the account cannot be told at the moment.",
          advice: "It is tried again by itself.", remedy: .retry(afterMilliseconds: nil)),
        .retry(afterMilliseconds: nil))
    }
  }

  /// What is here may be another person's, so it goes to no account but the one that was named.
  private func unexpected(_ found: String) -> SyncError? {
    guard let account, account != found else { return nil }
    return .wrongAccount(peer.specification, expected: account)
  }

  private func openRequest() -> OpenRequest {
    OpenRequest(
      device: device, zoneName: peer.zoneName,
      environment: ZoneEnvironment(rawValue: peer.environment) ?? .development,
      expected: peer.zone.map(ZoneID.init), schema: schema, proof: proof,
      acknowledged: peer.sentUpTo)
  }

  private var proof: Proof? {
    peer.proof.map {
      Proof(incarnation: $0.incarnation, sequence: $0.sequence, nonce: $0.nonce)
    }
  }

  /// Another account or another zone is never synced with unasked: what is here may be another
  /// person's.
  private mutating func handleOpened(_ found: ZoneDescription) -> [CycleEffect] {
    if let error = unexpected(found.account) { return fail(error, .blocked) }
    if let known = peer.account, known != found.account, !isEphemeral {
      return failAsking(accountFrom: known, to: found.account)
    }
    if let known = peer.zone, known != found.zone.rawValue {
      question = .zoneReplaced
      return fail(
        SyncError(
          .zoneReplaced,
          "Could not sync with '\(peer.specification)', another zone stands where the known one "
            + "was.",
          advice: PeerQuestion.zoneReplaced.advice(peer: peer.id)), .blocked)
    }
    zone = found.zone
    pageRecords = max(1, min(pageRecords ?? .max, found.limits.pageRecords))
    return [.reconcile(found)]
  }

  private mutating func failAsking(accountFrom known: String, to found: String) -> [CycleEffect] {
    let asked = PeerQuestion.accountChanged(from: known, to: found)
    question = asked
    return fail(
      SyncError(
        .accountChanged,
        "Could not sync with '\(peer.specification)', another account is signed in.",
        advice: asked.advice(peer: peer.id)), .blocked)
  }

  private mutating func handleReconciled(_ result: Reconciliation) -> [CycleEffect] {
    peer = result.peer
    device = result.device
    if result.hasNewIdentity {
      restarts += 1
      guard restarts <= limits.restarts else {
        return fail(
          TransportError(
            .damaged, "Could not settle this device's identity with '\(peer.specification)'.",
            advice: "Check that no copy of this store is open elsewhere.", remedy: .ask), .blocked)
      }
      return [.openZone(openRequest())]
    }
    return end() + begin(.import) + [fetch()]
  }

  // MARK: Import

  private func fetch() -> CycleEffect {
    let cursor = staged.last?.cursor ?? peer.cursor.map(Cursor.init)
    return .fetch(
      FetchRequest(
        device: device, zone: zone, proof: staged.last?.proof ?? proof, cursor: cursor,
        limit: limits.fetchChanges))
  }

  private mutating func handleFetched(_ page: FetchPage) -> [CycleEffect] {
    staged.append(page)
    stagedCount += page.changes.count
    if page.headReached || stagedCount >= limits.stagedChanges { return [.apply(staged)] }
    return [fetch()]
  }

  private mutating func handleApplied(_ result: ApplyResult) -> [CycleEffect] {
    let headReached = staged.last?.headReached ?? true
    staged = []
    stagedCount = 0
    peer = result.peer
    activityRecords += result.changed
    report.imported += result.changed
    report.conflicts += result.conflicts
    report.setAside += result.setAside
    report.waitingFor = peer.waits
    report.notices = peer.notices
    if !headReached { return [fetch()] }
    return end() + note(held: result.held) + [.gather(excluding: [])]
  }

  // MARK: Export

  private mutating func handleGathered(
    _ gathered: OutgoingGroup?, _ peer: PeerRow
  ) -> [CycleEffect] {
    self.peer = peer
    group = gathered?.paged(by: pageRecords ?? TransportLimits().pageRecords)
    group?.sender = device.id
    nextPage = 0
    guard gathered != nil else {
      isCaughtUp = true
      return end() + receipts()
    }
    let started = activity == .export ? [] : begin(.export)
    return started + [sendNext()].compactMap(\.self)
  }

  private mutating func sendNext() -> CycleEffect? {
    guard let group, nextPage < group.pages.count else { return nil }
    let page = SendPage(
      device: device, zone: zone, proof: proof, cursor: peer.cursor.map(Cursor.init),
      group: group.header, page: nextPage, isLast: nextPage == group.pages.count - 1,
      deltas: group.pages[nextPage], conflicts: nextPage == 0 ? group.conflicts : [])
    nextPage += 1
    return .send(page)
  }

  private mutating func handleSent(_ answer: SendAnswer) -> [CycleEffect] {
    if !answer.refused.isEmpty {
      // The group goes again without the refused records, which are set aside in the
      // transaction that records the acknowledgement.
      refusals += answer.refused
      return [.gather(excluding: refusals)]
    }
    guard let group else { return conclude() }
    if let acceptance = answer.acceptance {
      return [.acknowledge(group, acceptance, deaths: answer.deaths, refusals: refusals)]
    }
    if let next = sendNext() { return [next] }
    return fail(
      TransportError(
        .damaged, "Could not export, '\(peer.specification)' did not accept a complete group.",
        advice: "It is tried again by itself.", remedy: .retry(afterMilliseconds: nil)),
      .retry(afterMilliseconds: nil))
  }

  private mutating func handleAcknowledged(
    _ peer: PeerRow, _ deaths: Int, _ held: Int
  ) -> [CycleEffect] {
    self.peer = peer
    let sent = group?.recordCount ?? 0
    let more = group.map { $0.header.isPartOfUpload || $0.leavesConflicts } ?? false
    activityRecords += sent
    report.exported += sent
    report.imported += deaths
    report.setAside += refusals.count
    group = nil
    refusals = []
    // A record that had died there may have been inserted again, which is this device's own change.
    if more || deaths > 0 { return note(held: held) + [.gather(excluding: [])] }
    isCaughtUp = true
    return end() + note(held: held) + receipts()
  }

  // MARK: Receipts

  private func receipts() -> [CycleEffect] {
    guard let cursor = peer.cursor else {
      return [.finish(.completed(caughtUp: isCaughtUp && peer.lacksNothing))]
    }
    return [
      .exchangeReceipts(
        Receipt(device: device, zone: zone, proof: proof, cursor: Cursor(bytes: cursor)))
    ]
  }

  private mutating func conclude() -> [CycleEffect] {
    end() + [.finish(.completed(caughtUp: isCaughtUp && peer.lacksNothing))]
  }
}

extension PeerRow {
  /// Whether the zone was read to its head and is not known to lack anything (C24).
  fileprivate var lacksNothing: Bool { !isCatchingUp && waits.isEmpty }
}
