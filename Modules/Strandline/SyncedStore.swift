/// A store together with the transport that it follows, which can be swapped while it is open.
///
/// ```swift
/// let notes = try await SyncedStore.open(
///   .file("notes.sqlite"), schema: schema, registry: Registry([.directory]),
///   options: SyncEngine.Options(deviceName: "laptop"))
/// try await notes.use(TransportConfiguration(specification: .init("directory:/mnt/share")))
/// try await notes.store.write { try $0.save(TodoItem(name: "Buy milk")) }
/// try await notes.syncNow()
/// ```
///
/// Saving and reading go to ``store`` and need no transport, no network and no account.
public actor SyncedStore {
  /// The local store.
  public nonisolated let store: Store
  private let registry: Registry
  private let options: SyncEngine.Options
  private var engine: SyncEngine?
  private var listeners: [Int: AsyncStream<SyncEngine?>.Continuation] = [:]
  private var nextListener = 0

  /// Wraps a store that follows no transport yet.
  public init(store: Store, registry: Registry, options: SyncEngine.Options) {
    self.store = store
    self.registry = registry
    self.options = options
  }

  /// Opens a store for local use at once; a transport is named later.
  public static func open(
    _ location: StoreLocation, schema: Schema, registry: Registry,
    options: SyncEngine.Options, storeOptions: StoreOptions = StoreOptions()
  ) async throws -> SyncedStore {
    let store = try await Store.open(location, schema: schema, options: storeOptions)
    return SyncedStore(store: store, registry: registry, options: options)
  }

  /// The transport that is followed; nil for none.
  public var transport: (any Transport)? { engine?.transport }

  /// Follows another transport, or none, from now on.
  ///
  /// The peers that were followed before keep their places, so that coming back resumes where
  /// it was. To name a transport that this store has not followed yet is the person's consent
  /// to sync, and switches sync on.
  ///
  /// - Throws: `unknownTransport` and what the transport itself throws; nothing has changed then.
  public func use(_ configuration: TransportConfiguration) async throws {
    try await use(try await registry.make(configuration))
  }

  /// Follows a transport that the caller made, or none.
  public func use(_ transport: (any Transport)?) async throws {
    guard let transport else {
      await replaceEngine(with: nil)
      if !store.isReadOnly { try await store.administer { try $0.unfollowPeers() } }
      return
    }
    let known = try await store.read { try $0.peers().map(\.specification) }
    await replaceEngine(
      with: SyncEngine(store: store, transport: transport, options: options))
    let options = options
    try await store.administer(durable: true) { transaction in
      let peer = try transaction.followPeer(
        specification: transport.specification, zoneName: options.zoneName,
        environment: options.environment.rawValue)
      try transaction.unfollowPeers(except: peer.id)
    }
    if !known.contains(transport.specification) { try await store.handleSwitch(.turnOn) }
  }

  private func replaceEngine(with engine: SyncEngine?) async {
    let old = self.engine
    self.engine = engine
    for listener in listeners.values { listener.yield(engine) }
    await old?.stop()
  }

  // MARK: Syncing

  /// Runs one cycle now.
  ///
  /// - Throws: `switchedOff` where no transport is followed or the person switched sync off;
  ///   `leaseHeld` where another process syncs this store.
  @discardableResult
  public func syncNow() async throws -> SyncReport {
    try await readyEngine().syncNow()
  }

  /// Runs cycles until nothing is pending and everything that the peer had is here.
  @discardableResult
  public func waitUntilCaughtUp(timeout: Duration) async throws -> SyncReport {
    try await readyEngine().waitUntilCaughtUp(timeout: timeout)
  }

  private func readyEngine() async throws -> SyncEngine {
    guard let engine else {
      throw SyncError(
        .switchedOff, "Could not sync, no transport is configured.",
        advice: "Name one; everything is saved on this device until then.")
    }
    guard try await store.read({ try $0.syncSwitch().isWanted }) else {
      throw SyncError(
        .switchedOff, "Could not sync, sync is switched off.",
        advice: "Switch it on; everything is saved on this device until then.")
    }
    return engine
  }

  /// Keeps syncing in the background, and tells what was seen, until its task is cancelled.
  ///
  /// - Parameter report: Called for each cycle that ended.
  public func run(_ report: @escaping @Sendable (SyncReport) async -> Void) async {
    // A task group cannot be used again once its tasks were cancelled, so each engine has a task
    // that this one owns: it ends before the next begins, and before this function returns.
    var running: Task<Void, Never>?
    for await engine in engineChanges() {
      running?.cancel()
      await running?.value
      running = engine.map { engine in Task { await Self.run(engine, report) } }
    }
    running?.cancel()
    await running?.value
  }

  private static func run(
    _ engine: SyncEngine, _ report: @escaping @Sendable (SyncReport) async -> Void
  ) async {
    let reports = await engine.reports()
    await withTaskGroup { group in
      group.addTask {
        for await one in reports { await report(one) }
      }
      group.addTask { await runWhileLeaseIsFree(engine, report) }
      await group.waitForAll()
    }
  }

  /// Another process may have the lease; it is tried again until it is free, and said once.
  private static func runWhileLeaseIsFree(
    _ engine: SyncEngine, _ report: @escaping @Sendable (SyncReport) async -> Void
  ) async {
    var isTold = false
    while !Task.isCancelled {
      do {
        try await engine.run()
        return
      } catch let error as any ExplainedError {
        if !isTold {
          await report(SyncReport(peer: engine.transport.specification, error: error))
          isTold = true
        }
      } catch {
        // Only cancellation is not explained.
        return
      }
      guard await engine.pause(for: .seconds(2)) else { return }
    }
  }

  private func engineChanges() -> AsyncStream<SyncEngine?> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: SyncEngine?.self, bufferingPolicy: .bufferingNewest(1))
    let id = nextListener
    nextListener += 1
    listeners[id] = continuation
    continuation.yield(engine)
    return stream
  }

  /// Stops syncing; the store's files close when it is released.
  public func close() async {
    await replaceEngine(with: nil)
    for listener in listeners.values { listener.finish() }
    listeners = [:]
    store.close()
  }
}
