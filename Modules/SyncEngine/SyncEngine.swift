public import StrandlineHistory
package import StrandlineModels
import StrandlineSettings
public import StrandlineStorage
public import StrandlineTransport

/// Syncs one store with one peer; a store that follows several has an engine for each.
///
/// Local saves never wait for it. One process at a time syncs a store; ``start()`` takes the
/// store's lease, which all engines of the store share, and throws where another process has it.
/// ``run()`` keeps syncing until its task is cancelled; ``syncNow()`` runs one cycle.
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
    /// How many records one catch-up may delete here before the person is asked.
    public var deleteLimit: DeleteLimit
    /// How many fetched changes are held in memory before a long catch-up goes on in pieces.
    package var stagedChanges = CycleMachine.Limits().stagedChanges
    /// How long history is kept; the engine prunes it once a day, after a cycle.
    public var retention: RetentionPolicy

    /// Makes options.
    public init(
      zoneName: String = "default", environment: ZoneEnvironment = .development,
      deviceName: String, debounce: Duration = .milliseconds(300),
      interval: Duration = .seconds(60), uploadLimit: Int = 50_000,
      retention: RetentionPolicy = .standard, deleteLimit: DeleteLimit = .standard
    ) {
      self.zoneName = zoneName
      self.environment = environment
      self.deviceName = deviceName
      self.debounce = debounce
      self.interval = interval
      self.uploadLimit = uploadLimit
      self.retention = retention
      self.deleteLimit = deleteLimit
    }
  }

  /// The store.
  public nonisolated let store: Store
  /// The transport.
  public nonisolated let transport: any Transport
  let options: Options
  let clock: any Clock<Duration>
  /// The account that must be found at the peer, if the person named one.
  let account: String?
  /// How long after a cycle that a full disk stopped the next one comes, in milliseconds.
  private static let waitForSpace: Int64 = 3000
  private let lease: StoreLease
  private let followsByItself: Bool
  private var hasLease = false
  /// Whether it was stopped for good, since its peer is no longer followed through it.
  package private(set) var isRetired = false
  var peerID: Int64?
  private var isCycling = false
  private var isCycleByItself = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var listeners: [Int: AsyncStream<PeerReport>.Continuation] = [:]
  private var nextListener = 0
  /// The cycle that runs now.
  private var running: Task<PeerReport, any Error>?
  /// The purge that is asked for now.
  var purging: Task<PurgeOutcome?, any Error>?
  /// What the switch was when it was looked at last.
  var seenSwitch: SwitchView?
  /// Whether cycles may begin by themselves.
  var control: EngineControl
  /// When a background cycle is due without any other reason.
  var nextDue: DueTime?
  /// Whether the next background cycle does not wait for the end of a back-off.
  var isRefreshWanted = false
  /// After what waits it is still asked whether other devices have what was sent.
  var receiptWaits: [Int64] = []
  /// Wakes ``run()``.
  var wake: AsyncStream<Trigger>.Continuation?

  /// Makes an engine, which does nothing yet.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - transport: The transport.
  ///   - options: How and when it syncs.
  ///   - account: The account that must be found at the peer; nil takes the one that is there.
  ///   - clock: Measures waits.
  public init(
    store: Store, transport: any Transport, options: Options, account: String? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(
      store: store, transport: transport, options: options, account: account, clock: clock,
      lease: StoreLease(store))
  }

  /// Makes an engine that shares the store's lease with others.
  ///
  /// One that does not follow its peer by itself begins only while somebody else follows it, so
  /// that a peer which is forgotten meanwhile is not followed anew.
  package init(
    store: Store, transport: any Transport, options: Options, account: String? = nil,
    clock: any Clock<Duration> = ContinuousClock(), lease: StoreLease, followsByItself: Bool = true,
    control: EngineControl = EngineControl()
  ) {
    self.store = store
    self.transport = transport
    self.options = options
    self.account = account
    self.clock = clock
    self.lease = lease
    self.followsByItself = followsByItself
    self.control = control
  }

  // MARK: Lifetime

  /// Takes the store's lease and follows the peer; to do so again changes nothing.
  ///
  /// - Throws: `leaseHeld`, naming the process that syncs this store.
  public func start() async throws {
    guard !isRetired else { throw SyncError.notFollowed }
    if !hasLease {
      try lease.take()
      hasLease = true
    }
    try await confirmLease()
    guard hasLease else { throw SyncError.notFollowed }
    if peerID == nil {
      let found = try await findPeer()
      // It may have been stopped meanwhile.
      guard hasLease else { throw SyncError.notFollowed }
      peerID = found
    }
  }

  private func confirmLease() async throws {
    do {
      try await lease.confirm()
    } catch let error as StorageError where error.code == .diskFull {
      throw store.fullDisk(doing: "sync", error)
    }
  }

  private func findPeer() async throws -> Int64 {
    let (transport, options, follows) = (transport, options, followsByItself)
    let (name, environment) = (options.zoneName, options.environment.rawValue)
    if !follows {
      let known = try await store.read {
        try $0.peer(
          specification: transport.specification, zoneName: name, environment: environment)
      }
      guard let known else { throw SyncError.notFollowed }
      return known.id
    }
    return try await store.administer(durable: true) { transaction in
      try transaction.followPeer(
        specification: transport.specification, zoneName: name, environment: environment,
        isPublished: transport.traits.acknowledgement == .published
      ).id
    }
  }

  /// Ends the running cycle between two of its steps, and gives the lease back.
  ///
  /// Nothing is lost by that: what was not acknowledged stays pending, and what was not imported is
  /// fetched again.
  public func stop() async {
    running?.cancel()
    purging?.cancel()
    await turn()
    if hasLease { lease.giveBack() }
    hasLease = false
    peerID = nil
    finishTurn()
    for listener in listeners.values { listener.finish() }
    listeners = [:]
  }

  /// Stops for good: nothing follows the peer through this engine any more.
  package func retire() async {
    isRetired = true
    await stop()
  }

  /// Tells what cycles were seen to do, as long as it is listened to.
  public func reports() -> AsyncStream<PeerReport> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PeerReport.self, bufferingPolicy: .bufferingNewest(64))
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

  func tell(_ report: PeerReport) {
    for listener in listeners.values { listener.yield(report) }
  }

  /// A report of nothing seen yet.
  package nonisolated func report(error: (any ExplainedError)? = nil) -> PeerReport {
    PeerReport(
      peer: transport.specification,
      isPublished: transport.traits.acknowledgement == .published, error: error)
  }

  // MARK: Cycles

  /// Runs one cycle: setup, import, export, receipts.
  ///
  /// - Returns: What was seen, with the error of a cycle that did not come to its end.
  /// - Throws: `leaseHeld`, where another process syncs this store; `interrupted`, where the engine
  ///   was stopped or the task cancelled meanwhile; errors of the store.
  @discardableResult
  public func syncNow() async throws -> PeerReport {
    try await start()
    await turn()
    defer { finishTurn() }
    return try await cycle()
  }

  /// Runs one cycle unless the engine was stopped or paused meanwhile.
  func syncIfMay() async throws -> PeerReport? {
    await turn()
    defer { finishTurn() }
    guard peerID != nil, control.allowsCycles else { return nil }
    isCycleByItself = true
    defer { isCycleByItself = false }
    return try await cycle()
  }

  /// Returns when no cycle that began by itself runs any more; it is ended between two steps.
  func endOwnCycle() async {
    guard isCycleByItself else { return }
    running?.cancel()
    await turn()
    finishTurn()
  }

  private func cycle() async throws -> PeerReport {
    guard let peerID else {
      throw SyncError(
        .switchedOff, "Could not sync, the engine was stopped.", advice: "Start it again.")
    }
    // A task of its own, so that stopping the engine can end it however it was begun.
    let task = Task { try await takeSteps(with: peerID) }
    running = task
    defer { running = nil }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func takeSteps(with peerID: Int64) async throws -> PeerReport {
    var cycle = try await RunningCycle(
      store: store, transport: transport, options: options, account: account, peerID: peerID)
    while !Task.isCancelled, await cycle.step() {}
    if Task.isCancelled, !cycle.isCompleted {
      try await cycle.abandon()
      throw SyncError.interrupted(transport.specification)
    }
    let report = try await cycle.end(random: Double.random(in: 0..<1))
    if case .failed(_, .retry) = cycle.conclusion {
      let now = store.clock.milliseconds
      let wait = try await store.read { try $0.peer(peerID)?.wait(at: now) }
      nextDue = wait.map { DueTime($0, after: now) }
    }
    if report.error?.codeName == StorageError.Code.diskFull.rawValue {
      // What could not be written down is the wait, too.
      nextDue = DueTime(Self.waitForSpace, after: store.clock.milliseconds)
    }
    tell(report)
    // After the report: to prune is no part of what the cycle did.
    if report.error == nil { try await store.pruneIfDue(options.retention) }
    return report
  }

  private nonisolated func performer(_ peerID: Int64) -> EffectPerformer {
    EffectPerformer(
      store: store, transport: transport, peerID: peerID, deviceName: options.deviceName,
      uploadLimit: options.uploadLimit, deleteLimit: options.deleteLimit)
  }

  /// Whether a cycle would have something to send, as far as the store can tell.
  package func hasSomethingToSend() async throws -> Bool {
    guard let peerID else { return false }
    return try await performer(peerID).peerWithNothingToSend() == nil
  }

  /// Runs cycles until everything that is here is acknowledged and what the peer had is here.
  ///
  /// - Returns: What all cycles together were seen to do; with the error where the peer is
  ///   blocked and waiting is of no use, as it is where held deletes wait for the person.
  /// - Throws: `notCaughtUp` with what it waits for, when the time is over.
  public func waitUntilCaughtUp(timeout: Duration) async throws -> PeerReport {
    let report = try await cycle(until: ContinuousClock.now + timeout)
    if report.caughtUpAt == nil, !report.awaitsWord, try await !isBlocked() {
      throw SyncError.notCaughtUp([report])
    }
    return report
  }

  /// Runs cycles until the peer is caught up or blocked, or the time is over.
  package func cycle(until end: ContinuousClock.Instant) async throws -> PeerReport {
    var total = report()
    while true {
      total.add(try await syncNow())
      if total.caughtUpAt != nil || total.awaitsWord { return total }
      // Trying again does not help until something outside changes.
      if try await isBlocked() || ContinuousClock.now >= end { return total }
      try await clock.sleep(for: .milliseconds(100))
    }
  }

  /// Whether nothing is tried with the peer until somebody does something.
  package func isBlocked() async throws -> Bool {
    guard let peerID else { return false }
    return try await store.read { try $0.peer(peerID)?.isBlocked ?? false }
  }

  /// One cycle at a time; others wait here.
  func turn() async {
    while isCycling { await withCheckedContinuation { waiting.append($0) } }
    isCycling = true
  }

  func finishTurn() {
    isCycling = false
    let resumed = waiting
    waiting = []
    for continuation in resumed { continuation.resume() }
  }
}
