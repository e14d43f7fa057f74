import Synchronization

extension SyncedStore {
  /// Runs one cycle with each followed peer now, all at once.
  ///
  /// What is imported from one peer goes to the others in the same call. That one of them fails
  /// or is slow changes nothing for another; its report says so.
  ///
  /// - Returns: What was seen with each peer, and the sum.
  /// - Throws: `switchedOff` where no transport is followed or the person switched sync off;
  ///   `leaseHeld` where another process syncs this store; errors of the store where no peer could
  ///   be synced with.
  @discardableResult
  public func syncNow() async throws -> SyncReport {
    let engines = try await readyEngines()
    var reports = try await Self.all(engines) { try await $0.syncNow() }
    // Each round may bring what the next one passes on; a chain of peers is no longer than they
    // are many.
    for _ in engines.dropFirst() {
      let later = try await Self.passOn(engines, after: reports)
      if later.isEmpty { break }
      for (index, report) in later { reports[index].add(report) }
    }
    return SyncReport(peers: reports)
  }

  /// Runs one cycle with one of the followed peers now.
  ///
  /// - Parameter specification: The transport that is meant.
  /// - Returns: What was seen.
  /// - Throws: `switchedOff` where it is not followed or the person switched sync off; `leaseHeld`.
  @discardableResult
  public func syncNow(with specification: TransportSpecification) async throws -> PeerReport {
    let text = specification.description
    let engine = try await readyEngines().first { $0.transport.specification == text }
    guard let engine else {
      throw SyncError(
        .switchedOff, "Could not sync, '\(text)' is not followed.", advice: "Follow it first.")
    }
    return try await engine.syncNow()
  }

  /// Runs cycles until nothing is pending for any peer and everything that each had is here.
  ///
  /// - Returns: What was seen with each peer; with the errors of those that are blocked, since
  ///   waiting for them is of no use.
  /// - Throws: `notCaughtUp`, which names each peer that is behind and what it waits for.
  @discardableResult
  public func waitUntilCaughtUp(timeout: Duration) async throws -> SyncReport {
    let engines = try await readyEngines()
    let end = ContinuousClock.now + timeout
    var reports = engines.map { $0.report() }
    var late: [PeerReport]
    var isMoving: Bool
    repeat {
      let round = try await Self.all(engines) { try await $0.cycle(until: end) }
      for (index, report) in round.enumerated() { reports[index].add(report) }
      late = try await Self.late(engines, reports)
      // What one peer brought may be pending for another that was caught up before.
      isMoving = round.contains { $0.imported > 0 } && !late.isEmpty
    } while isMoving && ContinuousClock.now < end
    guard late.isEmpty else { throw SyncError.notCaughtUp(late) }
    return SyncReport(peers: reports)
  }

  /// The reports of peers that are behind although nothing blocks them.
  private static func late(
    _ engines: [SyncEngine], _ reports: [PeerReport]
  ) async throws -> [PeerReport] {
    var late: [PeerReport] = []
    for (engine, report) in zip(engines, reports) where try await !engine.isBlocked() {
      // A save made meanwhile is no reason to go on; what another peer brought is.
      var isBehind = false
      if engines.count > 1 { isBehind = try await engine.hasSomethingToSend() }
      let isDone = report.caughtUpAt != nil || report.awaitsWord
      if !isDone || isBehind { late.append(report) }
    }
    return late
  }

  private func readyEngines() async throws -> [SyncEngine] {
    let engines = engines
    guard !engines.isEmpty else {
      throw SyncError(
        .switchedOff, "Could not sync, no transport is configured.",
        advice: "Name one; everything is saved on this device until then.")
    }
    guard try await store.read({ try $0.syncSwitch().isWanted }) else {
      throw SyncError(
        .switchedOff, "Could not sync, sync is switched off.",
        advice: "Switch it on; everything is saved on this device until then.")
    }
    return engines
  }

  /// Runs a further cycle with the peers that something imported from another is pending for.
  private static func passOn(
    _ engines: [SyncEngine], after reports: [PeerReport]
  ) async throws -> [(Int, PeerReport)] {
    guard reports.contains(where: { $0.imported + $0.conflicts > 0 }) else { return [] }
    var behind: [Int] = []
    for (index, engine) in engines.enumerated() where reports[index].error == nil {
      if try await engine.hasSomethingToSend() { behind.append(index) }
    }
    guard !behind.isEmpty else { return [] }
    return Array(zip(behind, try await all(behind.map { engines[$0] }) { try await $0.syncNow() }))
  }

  /// Does the same with all engines at once.
  ///
  /// - Returns: A report for each; what one throws is the error of its report.
  /// - Throws: What they throw, where all of them do.
  private static func all(
    _ engines: [SyncEngine], _ body: @escaping @Sendable (SyncEngine) async throws -> PeerReport
  ) async throws -> [PeerReport] {
    if engines.count == 1 { return [try await body(engines[0])] }
    let results = await withTaskGroup(of: (Int, Result<PeerReport, any Error>).self) { group in
      for (index, engine) in engines.enumerated() {
        group.addTask {
          do { return (index, .success(try await body(engine))) } catch {
            return (index, .failure(error))
          }
        }
      }
      var results: [Int: Result<PeerReport, any Error>] = [:]
      for await (index, result) in group { results[index] = result }
      return results
    }
    try Task.checkCancellation()
    if let failure = results[0], !results.values.contains(where: \.isSuccess) {
      _ = try failure.get()
    }
    return try engines.enumerated().map { index, engine in
      switch results[index] {
      case .success(let report): report
      case .failure(let error as any ExplainedError):
        engine.report(error: error)
      case .failure(let error): throw error
      case nil: throw CancellationError()
      }
    }
  }
}

extension Result {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

extension SyncedStore {
  /// Keeps syncing in the background, and tells what was seen, until its task is cancelled.
  ///
  /// - Parameter report: Called for each cycle that ended, with one peer each.
  public func run(_ report: @escaping @Sendable (PeerReport) async -> Void) async {
    // A task group cannot be used again once its tasks were cancelled, so each engine has a task
    // that this one owns: it ends when its peer is no longer followed, and before this function
    // returns.
    var running: [(engine: SyncEngine, task: Task<Void, Never>)] = []
    let notice = LeaseNotice()
    for await engines in engineChanges() {
      let ended = running.filter { one in !engines.contains { $0 === one.engine } }
      running.removeAll { one in ended.contains { $0.engine === one.engine } }
      for one in ended { one.task.cancel() }
      for one in ended { await one.task.value }
      for engine in engines where !running.contains(where: { $0.engine === engine }) {
        running.append((engine, Task { await Self.run(engine, notice, report) }))
      }
    }
    for one in running { one.task.cancel() }
    for one in running { await one.task.value }
  }

  private static func run(
    _ engine: SyncEngine, _ notice: LeaseNotice,
    _ report: @escaping @Sendable (PeerReport) async -> Void
  ) async {
    let reports = await engine.reports()
    await withTaskGroup { group in
      group.addTask {
        for await one in reports { await report(one) }
      }
      group.addTask { await runWhileLeaseIsFree(engine, notice, report) }
      await group.waitForAll()
    }
  }

  /// Another process may have the lease; it is tried again until it is free, and said once for
  /// all peers.
  private static func runWhileLeaseIsFree(
    _ engine: SyncEngine, _ notice: LeaseNotice,
    _ report: @escaping @Sendable (PeerReport) async -> Void
  ) async {
    while !Task.isCancelled {
      do {
        try await engine.run()
        return
      } catch let error as any ExplainedError {
        if await engine.isRetired { return }
        if notice.isFirst(error) {
          await report(engine.report(error: error))
        }
      } catch {
        // Only cancellation is not explained.
        return
      }
      guard await engine.pause(for: .seconds(2)) else { return }
    }
  }

  /// Which errors of beginning to sync were told already.
  private final class LeaseNotice: Sendable {
    private let told = Mutex<Set<String>>([])

    func isFirst(_ error: any ExplainedError) -> Bool {
      told.withLock { $0.insert(error.codeName).inserted }
    }
  }
}
