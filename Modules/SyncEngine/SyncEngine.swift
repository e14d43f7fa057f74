public import StrandlineHistory
import StrandlineModels
import StrandlineSettings
public import StrandlineStorage
public import StrandlineTransport

/// Syncs one store with one peer.
///
/// Local saves never wait for it. One process at a time syncs a store; ``start()`` takes the
/// store's lease and throws where another process has it. ``run()`` keeps syncing until its task
/// is cancelled; ``syncNow()`` runs one cycle.
///
/// The decisions of a cycle are in `CycleMachine`, which does no I/O; this actor does what that
/// asks for, one cycle at a time.
public actor SyncEngine {
  /// How and when an engine syncs.
  public struct Options: Sendable {
    /// The zone's name.
    public var zoneName: String
    /// The environment.
    public var environment: ZoneEnvironment
    /// The name under which people know this device.
    public var deviceName: String
    /// How long saves are gathered after a cycle.
    public var debounce: Duration
    /// How often a cycle runs without any other reason.
    public var interval: Duration
    /// How many records a group may have before an upload goes in several under a mark.
    public var uploadLimit: Int
    /// How long history is kept; the engine prunes it once a day, after a cycle.
    public var retention: RetentionPolicy

    /// Makes options.
    public init(
      zoneName: String = "default", environment: ZoneEnvironment = .development,
      deviceName: String, debounce: Duration = .milliseconds(300),
      interval: Duration = .seconds(60), uploadLimit: Int = 50_000,
      retention: RetentionPolicy = .standard
    ) {
      self.zoneName = zoneName
      self.environment = environment
      self.deviceName = deviceName
      self.debounce = debounce
      self.interval = interval
      self.uploadLimit = uploadLimit
      self.retention = retention
    }
  }

  /// The store.
  public nonisolated let store: Store
  /// The transport.
  public nonisolated let transport: any Transport
  private let options: Options
  private let clock: any Clock<Duration>
  private let backOff = BackOff()
  private var lease: SyncLease?
  private var peerID: Int64?
  private var isCycling = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var listeners: [Int: AsyncStream<SyncReport>.Continuation] = [:]
  private var nextListener = 0
  /// When a background cycle is due without any other reason, in milliseconds since 1970.
  private var nextDue: Int64?

  /// Makes an engine, which does nothing yet.
  public init(
    store: Store, transport: any Transport, options: Options,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.store = store
    self.transport = transport
    self.options = options
    self.clock = clock
  }

  // MARK: Lifetime

  /// Takes the store's lease and follows the peer; to do so again changes nothing.
  ///
  /// - Throws: `leaseHeld`, naming the process that syncs this store.
  public func start() async throws {
    if lease == nil { lease = try SyncLease.take(for: store) }
    if peerID == nil {
      let specification = transport.specification
      let options = options
      peerID = try await store.administer(durable: true) { transaction in
        let peer = try transaction.followPeer(
          specification: specification, zoneName: options.zoneName,
          environment: options.environment.rawValue)
        return peer.id
      }
    }
  }

  /// Waits for the running cycle, and gives the lease back.
  public func stop() async {
    await turn()
    lease = nil
    peerID = nil
    finishTurn()
    for listener in listeners.values { listener.finish() }
    listeners = [:]
  }

  /// Tells what cycles were seen to do, as long as it is listened to.
  public func reports() -> AsyncStream<SyncReport> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: SyncReport.self, bufferingPolicy: .bufferingNewest(64))
    let id = nextListener
    nextListener += 1
    listeners[id] = continuation
    continuation.onTermination = { [weak self] _ in
      // The stream's end may come from any thread; the actor forgets it in its own time.
      Task { await self?.forget(id) }
    }
    return stream
  }

  private func forget(_ listener: Int) {
    listeners[listener] = nil
  }

  // MARK: Cycles

  /// Runs one cycle: setup, import, export, receipts.
  ///
  /// - Returns: What was seen, with the error of a cycle that did not come to its end.
  /// - Throws: `leaseHeld`, where another process syncs this store; errors of the store.
  @discardableResult
  public func syncNow() async throws -> SyncReport {
    try await start()
    await turn()
    defer { finishTurn() }
    return try await cycle()
  }

  private func cycle() async throws -> SyncReport {
    guard let peerID else {
      throw SyncError(
        .switchedOff, "Could not sync, the engine was stopped.", advice: "Start it again.")
    }
    let performer = EffectPerformer(
      store: store, transport: transport, peerID: peerID, deviceName: options.deviceName,
      uploadLimit: options.uploadLimit)
    let (peer, device) = try await store.read {
      (try performer.present($0), try $0.deviceID())
    }
    var machine = CycleMachine(
      peer: peer, device: DeviceInfo(id: device, name: options.deviceName),
      schema: store.schema.syncedKeys, isEphemeral: transport.traits.isEphemeral)
    var log = EventLog()
    var effects = machine.start()
    var conclusion = CycleConclusion.completed(caughtUp: false)
    while !effects.isEmpty {
      let effect = effects.removeFirst()
      if case .finish(let end) = effect { conclusion = end }
      if let event = await performer.perform(effect, &log) { effects += machine.handle(event) }
    }
    let report = try await record(conclusion, of: machine.report, peerID)
    if case .failed(_, .retry) = conclusion {
      nextDue = try await store.read { try $0.peer(peerID)?.waitingUntil }
    }
    for listener in listeners.values { listener.yield(report) }
    // After the report: to prune is no part of what the cycle did.
    if report.error == nil { try await store.pruneIfDue(options.retention) }
    return report
  }

  /// Writes how the cycle ended where every process can see it.
  private func record(
    _ conclusion: CycleConclusion, of report: SyncReport, _ peerID: Int64
  ) async throws -> SyncReport {
    let now = store.clock.milliseconds
    let backOff = backOff
    let jitter = Double.random(in: 0..<1)
    return try await store.administer { transaction in
      var report = report
      guard var peer = try transaction.peer(peerID) else { return report }
      switch conclusion {
      case .completed(let caughtUp):
        peer.lastSuccess = now
        if caughtUp {
          peer.caughtUp = now
          report.caughtUpAt = now
        }
        peer.clearTrouble()
      case .failed(let error, let disposition):
        peer.attempts += 1
        peer.reasonCode = error.codeName
        peer.reason = error.message
        peer.cure = error.advice
        switch disposition {
        case .blocked:
          peer.isBlocked = true
          peer.waitingUntil = nil
        case .retry(let told):
          peer.isBlocked = false
          let wait = backOff.wait(afterFailures: peer.attempts, random: jitter)
          peer.waitingUntil = now + max(told ?? 0, wait)
        }
      }
      try transaction.update(peer)
      return report
    }
  }

  /// Runs cycles until everything that is here is acknowledged and what the peer had is here.
  ///
  /// - Returns: What all cycles together were seen to do; with the error where the peer is
  ///   blocked and waiting is of no use.
  /// - Throws: `notCaughtUp` with what it waits for, when the time is over.
  public func waitUntilCaughtUp(timeout: Duration) async throws -> SyncReport {
    let start = ContinuousClock.now
    var total = SyncReport(peer: transport.specification)
    while true {
      let report = try await syncNow()
      total.imported += report.imported
      total.exported += report.exported
      total.setAside += report.setAside
      total.conflicts += report.conflicts
      total.caughtUpAt = report.caughtUpAt
      total.error = report.error
      if report.caughtUpAt != nil { return total }
      // Trying again does not help until something outside changes.
      if try await isBlocked() { return total }
      guard ContinuousClock.now - start < timeout else {
        throw SyncError(
          .notCaughtUp,
          "Could not catch up with '\(transport.specification)' in time"
            + (report.error.map { ": " + $0.message } ?? "."),
          advice: report.error?.advice ?? "Try again, or wait longer.")
      }
      try await clock.sleep(for: .milliseconds(100))
    }
  }

  private func isBlocked() async throws -> Bool {
    guard let peerID else { return false }
    return try await store.read { try $0.peer(peerID)?.isBlocked ?? false }
  }

  /// One cycle at a time; others wait here.
  private func turn() async {
    while isCycling { await withCheckedContinuation { waiting.append($0) } }
    isCycling = true
  }

  private func finishTurn() {
    isCycling = false
    let resumed = waiting
    waiting = []
    for continuation in resumed { continuation.resume() }
  }
}

extension SyncEngine {
  /// What makes a background cycle run.
  private enum Trigger: Sendable {
    case saved
    case hint
    case time
  }

  /// Keeps syncing until its task is cancelled.
  ///
  /// A cycle runs after a save of this or any other process (at once when the engine was idle,
  /// else when saves have been gathered for a while), after a hint of the transport, when a wait is over, and now and then
  /// as a safety net. Nothing runs while the person has switched sync off.
  public func run() async throws {
    try await start()
    let (triggers, trigger) = AsyncStream.makeStream(
      of: Trigger.self, bufferingPolicy: .bufferingNewest(1))
    let changes = store.changes()
    let hints = transport.hints()
    let peer = peerID
    await withTaskGroup { group in
      group.addTask {
        for await change in changes where change.peer == nil || change.peer != peer {
          trigger.yield(.saved)
        }
      }
      group.addTask {
        for await _ in hints { trigger.yield(.hint) }
      }
      group.addTask { await self.cycle(on: triggers) }
      group.addTask {
        // A second's grain is fine for waits that begin at half a second and have jitter.
        while await self.sleep(.seconds(1)) {
          if await self.isDue() { trigger.yield(.time) }
        }
        trigger.finish()
      }
      trigger.yield(.time)
      // Cancelling the task ends all of them.
      await group.waitForAll()
    }
  }

  private func cycle(on triggers: AsyncStream<Trigger>) async {
    for await _ in triggers {
      await runIfWanted()
      // Saves that come now are gathered; the first save after a pause goes at once.
      guard await sleep(options.debounce) else { return }
    }
  }

  private func isDue() -> Bool {
    guard let nextDue else { return false }
    return store.clock.milliseconds >= nextDue
  }

  private func runIfWanted() async {
    do {
      let (isWanted, wait) = try await store.read { transaction in
        let state = try transaction.syncSwitch()
        let until = try self.peerWait(transaction)
        return (state.isWanted && state.isAutomatic, until)
      }
      let now = store.clock.milliseconds
      nextDue = wait > now ? wait : now + options.interval.milliseconds
      if isWanted && wait <= now { try await syncNow() }
    } catch {
      // The store could not be read or written. What that hides from the status no table can
      // tell, so the listeners hear of it, and the safety net tries again.
      var report = SyncReport(peer: transport.specification)
      report.error = error as? any ExplainedError
      for listener in listeners.values { listener.yield(report) }
    }
  }

  private nonisolated func peerWait(_ transaction: ReadTransaction) throws -> Int64 {
    try transaction.peers().first { $0.specification == transport.specification }?.waitingUntil ?? 0
  }

  /// Waits by the engine's clock; false where the task was cancelled.
  package nonisolated func pause(for duration: Duration) async -> Bool {
    await sleep(duration)
  }

  private nonisolated func sleep(_ duration: Duration) async -> Bool {
    do {
      try await clock.sleep(for: duration)
      return true
    } catch {
      return false
    }
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}

extension PeerRow {
  /// Forgets why the last cycle failed, since this one did not.
  fileprivate mutating func clearTrouble() {
    attempts = 0
    waitingUntil = nil
    isBlocked = false
    reasonCode = nil
    reason = nil
    cure = nil
  }
}
