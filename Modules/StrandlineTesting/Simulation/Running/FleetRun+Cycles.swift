import Strandline

extension FleetRun {
  static let account = "local"

  /// Lets a device run its cycle to the end, or begin one and do so.
  @discardableResult
  func runCycle(
    _ index: Int, _ random: inout SeededGenerator
  ) async throws -> PeerReport? {
    // Far more steps than any cycle takes.
    try await takeSteps(index, 2000, &random)
  }

  /// Lets a device take some steps of a cycle; it begins one where it is in none.
  ///
  /// - Returns: The report, where the cycle came to its end.
  @discardableResult
  func takeSteps(
    _ index: Int, _ count: Int, _ random: inout SeededGenerator
  ) async throws -> PeerReport? {
    guard let store = devices[index].store else { return nil }
    if devices[index].cycle == nil {
      guard try await store.read({ try $0.syncSwitch().isWanted }) else { return nil }
      devices[index].cycle = try await RunningCycle(
        store: store, transport: devices[index].transport, options: devices[index].options,
        peerID: devices[index].peerID)
    }
    for _ in 0..<count {
      guard var cycle = devices[index].cycle, let effect = cycle.next else { break }
      let before = effect.changesRecords ? try image(of: index) : nil
      let goesOn = await cycle.step()
      devices[index].cycle = cycle
      try note(effect, at: index, before: before)
      if !goesOn { return try await endCycle(index, &random) }
    }
    return nil
  }

  private func endCycle(
    _ index: Int, _ random: inout SeededGenerator
  ) async throws -> PeerReport? {
    guard let cycle = devices[index].cycle else { return nil }
    devices[index].cycle = nil
    let report = try await cycle.end(random: Double.random(in: 0..<1, using: &random))
    trace.add(
      "report \(report.imported) \(report.exported) \(report.setAside) \(report.conflicts) "
        + "\(report.caughtUpAt.map(String.init) ?? "-") \(report.error?.codeName ?? "-")")
    counts.count("cycles")
    if let error = report.error { counts.count("error: " + error.codeName) }
    counts.count("values that lost", report.conflicts)
    counts.count("records set aside", report.setAside)
    counts.count("deletes held", report.heldDeletes)
    try await checkStatus(index, after: report)
    return report
  }

  /// Notes what an effect did to a store.
  private func note(
    _ effect: CycleEffect, at index: Int, before: [RecordKey: RecordState]?
  ) throws {
    trace.add(effect.name)
    if case .correctClock = effect, let before {
      let after = try image(of: index)
      let seen = try devices[index].client?.integer("SELECT seen FROM strandline_clock") ?? 0
      if before != after { counts.count("stamps from the future replaced") }
      ledger.replaceStamps(
        from: before, to: after, by: devices[index].writers, beyond: Stamp(rawValue: seen))
      // A stamp from the future may have stood for a fact that was lost meanwhile with the only one
      // that held it.
      if !met.isDisjoint(with: FleetHazard.thoseThatLose) { try forgetWhatIsLost() }
      return
    }
    if let name = effect.rareName { counts.count(name) }
    if effect.movesProgress { try checkProgress(index) }
    let sends = if case .send = devices[index].cycle?.next { true } else { false }
    if effect.isDurable || (effect.gathers && sends) { try noteDurable(index) }
    guard let before else { return }
    try noteOwnWrites(index, before)
  }

  /// Keeps the store as it is now, where power may fail later.
  func noteDurable(_ index: Int) throws {
    guard plan.hazards.contains(.powerLoss) else { return }
    devices[index].durable = try devices[index].client?.copy()
  }

  /// What an import wrote by itself, such as a record that it inserted again, is this device's.
  private func noteOwnWrites(_ index: Int, _ before: [RecordKey: RecordState]) throws {
    let own = try devices[index].client?.integer(
      "SELECT count(*) FROM strandline_transaction WHERE origin = 0 AND last > ?",
      [.integer(devices[index].headBefore)])
    guard let own, own > 0 else { return }
    ledger.note(from: before, to: try image(of: index), by: devices[index].writer)
    counts.count("writes of an import's own")
  }

  /// All facts that a device's store holds.
  func image(of index: Int) throws -> [RecordKey: RecordState] {
    guard let client = devices[index].client, let store = devices[index].store else { return [:] }
    devices[index].headBefore = try client.integer(
      "SELECT max(last) FROM strandline_transaction")
    return try StoreImage(client, store.catalog).records
  }
}

extension CycleEffect {
  /// The effect without what it carries, which may have random numbers of the system's.
  var name: String {
    switch self {
    case .beginEvent(let kind): "begin \(kind.rawValue)"
    case .endEvent(let kind, let records, let error):
      "end \(kind.rawValue) \(records) \(error?.codeName ?? "-")"
    case .fetch(let request): "fetch \(request.limit)"
    case .apply(let pages): "apply \(pages.count) \(pages.map(\.changes.count))"
    case .send(let page): "send \(page.page) \(page.deltas.count) \(page.isLast)"
    case .gather(let refusals): "gather \(refusals.count)"
    case .acknowledge(let group, let acceptance, let deaths, _):
      "acknowledge \(group.recordCount) \(acceptance.sequence) \(deaths.count)"
    // Written out, a page of records would be as long as it is large.
    default: Mirror(reflecting: self).children.first?.label ?? "\(self)"
    }
  }

  /// The name of an effect that is rare enough to be counted.
  var rareName: String? {
    switch self {
    case .takeNewIdentity: "new identity because of files"
    case .resetForCompare: "full compare"
    case .fetch(let request) where request.cursor == nil: "reading from the beginning"
    case .acknowledge(_, _, let deaths, _) where !deaths.isEmpty: "deaths answered"
    case .apply(let pages) where pages.count > 1: "imports of several pages"
    default: nil
    }
  }

  /// Whether what was committed before it survives a power cut once it is done.
  var isDurable: Bool {
    switch self {
    case .reconcile, .takeNewIdentity, .resetForCompare, .apply, .acknowledge: true
    default: false
    }
  }

  /// Whether it may move a cursor, a proof or an acknowledgement.
  var movesProgress: Bool {
    switch self {
    case .reconcile, .resetForCompare, .apply, .acknowledge: true
    default: false
    }
  }

  /// Whether it makes what it finds durable, if it finds anything to send.
  var gathers: Bool { if case .gather = self { true } else { false } }

  /// Whether it may write records of this device's own.
  var changesRecords: Bool {
    switch self {
    case .apply, .acknowledge, .gather, .correctClock: true
    default: false
    }
  }
}
