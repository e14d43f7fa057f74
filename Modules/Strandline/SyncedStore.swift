/// A store together with the peers that it follows, which can be changed while it is open.
///
/// ```swift
/// let notes = try await SyncedStore.open(
///   .file("notes.sqlite"), schema: schema, registry: Registry([.directory]),
///   options: SyncEngine.Options(deviceName: "laptop"))
/// try await notes.use(TransportConfiguration(specification: .init("directory:/mnt/share")))
/// try await notes.follow(TransportConfiguration(specification: .init("directory:/media/stick")))
/// try await notes.store.write { try $0.save(TodoItem(name: "Buy milk")) }
/// try await notes.syncNow()
/// ```
///
/// Saving and reading go to ``store`` and need no transport, no network and no account. A store
/// that follows several peers passes on to each what it imported from the others.
public actor SyncedStore {
  /// A transport to follow.
  public struct Peer: Sendable {
    /// The transport.
    public var transport: any Transport
    /// The account that must be found there; nil takes the one that is there.
    public var account: String?
    /// What counts in the first sync with it where both sides have data; nil merges both.
    public var firstSync: FirstSync?

    /// Names a transport to follow.
    public init(
      _ transport: any Transport, account: String? = nil, firstSync: FirstSync? = nil
    ) {
      self.transport = transport
      self.account = account
      self.firstSync = firstSync
    }
  }

  /// The local store.
  public nonisolated let store: Store
  let registry: Registry
  private let options: SyncEngine.Options
  private let lease: StoreLease
  package private(set) var engines: [SyncEngine] = []
  private var listeners: [Int: AsyncStream<[SyncEngine]>.Continuation] = [:]
  private var nextListener = 0
  var control = EngineControl()
  private var isChanging = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Wraps a store that follows no transport yet.
  public init(store: Store, registry: Registry, options: SyncEngine.Options) {
    self.store = store
    self.registry = registry
    self.options = options
    lease = StoreLease(store)
  }

  /// Opens a store for local use at once; a transport is named later.
  public static func open(
    _ location: StoreLocation, schema: Schema, registry: Registry,
    options: SyncEngine.Options, storeOptions: StoreOptions = StoreOptions()
  ) async throws -> SyncedStore {
    let store = try await Store.open(location, schema: schema, options: storeOptions)
    return SyncedStore(store: store, registry: registry, options: options)
  }

  /// The transports that are followed, in the order in which they were named.
  public var transports: [any Transport] { engines.map(\.transport) }

  /// The transport that is followed, the first of several; nil for none.
  public var transport: (any Transport)? { engines.first?.transport }

  // MARK: Swapping

  /// Follows this transport instead of all others, or none, from now on.
  ///
  /// The peers that were followed before keep their places, so that coming back resumes where
  /// it was. To name a transport that this store has not followed yet is the person's consent
  /// to sync, and switches sync on.
  ///
  /// - Throws: `unknownTransport` and what the transport itself throws; nothing has changed then.
  public func use(
    _ configuration: TransportConfiguration, firstSync: FirstSync? = nil
  ) async throws {
    let made = try await registry.make(configuration)
    try await use(
      made.map { [Peer($0, account: configuration.account, firstSync: firstSync)] } ?? [])
  }

  /// Follows a transport that the caller made instead of all others, or none.
  public func use(_ transport: (any Transport)?, firstSync: FirstSync? = nil) async throws {
    try await use(transport.map { [Peer($0, firstSync: firstSync)] } ?? [])
  }

  /// Follows exactly these peers from now on, each once, instead of those before.
  ///
  /// The others keep their places and hold history back until they are forgotten (see
  /// ``forget(_:)``).
  public func use(_ peers: [Peer]) async throws {
    try await change {
      for engine in engines { await engine.retire() }
      // If the store cannot be written now, it follows nothing until somebody tries again.
      publish([])
      if peers.isEmpty && store.isReadOnly { return }
      let chosen = peers.firstOfEach { $0.transport.specification }
      publish(try await record(chosen, isAll: true).map(engine))
    }
    await updateBackupExclusion()
  }

  // MARK: Several peers

  /// Follows one more transport beside those that are followed already.
  ///
  /// - Parameters:
  ///   - configuration: The transport.
  ///   - firstSync: What counts in the first sync with it; it says nothing of a peer that was
  ///     synced with before.
  /// - Returns: Whether it is followed only now; one that is followed already stays as it is, and so
  ///   does one of which the person decided to stay on this device.
  /// - Throws: `unknownTransport` and what the transport itself throws; nothing has changed then.
  @discardableResult
  public func follow(
    _ configuration: TransportConfiguration, firstSync: FirstSync? = nil
  ) async throws -> Bool {
    guard let made = try await registry.make(configuration) else { return false }
    return try await follow(made, account: configuration.account, firstSync: firstSync)
  }

  /// Follows one more transport, which the caller made.
  ///
  /// - Parameters:
  ///   - transport: The transport.
  ///   - account: The account that must be found there; nil takes the one that is there.
  ///   - firstSync: What counts in the first sync with it; it says nothing of a peer that was
  ///     synced with before.
  /// - Returns: Whether it is followed only now; one that is followed already stays as it is, and so
  ///   does one of which the person decided to stay on this device.
  /// - Throws: `firstSyncRefused`; errors of the store.
  @discardableResult
  public func follow(
    _ transport: any Transport, account: String? = nil, firstSync: FirstSync? = nil
  ) async throws -> Bool {
    try await change {
      let isFollowed = engines.contains {
        $0.transport.specification == transport.specification
      }
      if isFollowed { return false }
      let peer = Peer(transport, account: account, firstSync: firstSync)
      let followed = try await record([peer], isAll: false)
      publish(engines + followed.map(engine))
      await updateBackupExclusion()
      return !followed.isEmpty
    }
  }

  /// Forgets a peer, followed or not, with its place in this store's history (C19).
  ///
  /// What was imported from it stays, and nothing is deleted there. History is no longer kept for
  /// it, and to follow it again is a first sync: everything is compared both ways.
  ///
  /// - Parameter id: The peer's number, as ``Store/peerItems()`` tells it.
  /// - Throws: Errors of the store.
  public func forget(_ id: PeerItem.ID) async throws {
    try await change {
      let peer = try await store.read { try $0.peer(id) }
      guard let peer else { return }
      // An engine follows one zone of its transport; a peer of another zone has none here.
      let isHere =
        peer.zoneName == options.zoneName && peer.environment == options.environment.rawValue
      let ended = engines.first { isHere && $0.transport.specification == peer.specification }
      await ended?.retire()
      publish(engines.filter { $0 !== ended })
      try await store.administer(durable: true) { try $0.forgetPeer(id) }
      await updateBackupExclusion()
    }
  }

  /// Records in the store what is followed.
  ///
  /// - Returns: The peers that are followed now; not those that the person decided to leave.
  private func record(_ peers: [Peer], isAll: Bool) async throws -> [Peer] {
    let options = options
    let now = store.clock.milliseconds
    return try await store.administer(durable: true) { transaction in
      let known = Set(try transaction.peers().map(\.specification))
      let rows = try peers.map { peer in
        try transaction.followPeer(
          specification: peer.transport.specification, zoneName: options.zoneName,
          environment: options.environment.rawValue,
          isPublished: peer.transport.traits.acknowledgement == .published,
          firstSync: peer.firstSync)
      }
      if isAll { try transaction.unfollowPeers(except: Set(rows.map(\.id))) }
      // Of several that are named at once, the cycle tells which cannot begin.
      for row in rows where !isAll && row.firstSync == .keepCloud && row.cursor == nil {
        try transaction.requireNoOtherPeer(than: row)
      }
      // With the peer in one transaction: a process that is killed between two would leave a peer
      // that is no longer new, and a switch that nobody turned.
      if peers.contains(where: { !known.contains($0.transport.specification) }) {
        try transaction.handleSwitch(.turnOn, at: now)
      }
      return zip(peers, rows).filter(\.1.isFollowed).map(\.0)
    }
  }

  // MARK: Questions

  /// Answers what a peer asks, so that the next cycle goes on.
  ///
  /// What is asked is told by ``Store/peerItems(deviceName:)`` and stands in the store, so any
  /// process may answer. ``PeerAnswer`` says what each answer does. Where the person brings back
  /// what was known, nothing is to be answered.
  ///
  /// - Parameters:
  ///   - question: The question as the person was shown it.
  ///   - id: The number of the peer that asks.
  ///   - answer: The answer.
  /// - Throws: `questionChanged` where the peer asks something else by now; errors of the store.
  public func answer(
    _ question: PeerQuestion, of id: PeerItem.ID, with answer: PeerAnswer
  ) async throws {
    try await change {
      try await store.administer(durable: true) { try $0.answer(answer, to: question, of: id) }
      let specification = try await store.read { try $0.peer(id)?.specification }
      let engine = engines.first { $0.transport.specification == specification }
      guard answer == .keep else {
        await engine?.refresh()
        return
      }
      await engine?.retire()
      publish(engines.filter { $0 !== engine })
    }
  }

  private func engine(for peer: Peer) -> SyncEngine {
    SyncEngine(
      store: store, transport: peer.transport, options: options, account: peer.account,
      lease: lease, followsByItself: false, control: control)
  }

  private func publish(_ engines: [SyncEngine]) {
    self.engines = engines
    for listener in listeners.values { listener.yield(engines) }
  }

  /// One change of what is followed at a time.
  private func change<T>(_ body: () async throws -> T) async throws -> T {
    while isChanging { await withCheckedContinuation { waiting.append($0) } }
    isChanging = true
    defer {
      isChanging = false
      let resumed = waiting
      waiting = []
      for continuation in resumed { continuation.resume() }
    }
    return try await body()
  }

  // MARK: Lifetime

  /// The engines now and after each change, as long as it is listened to.
  func engineChanges() -> AsyncStream<[SyncEngine]> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: [SyncEngine].self, bufferingPolicy: .bufferingNewest(1))
    let id = nextListener
    nextListener += 1
    listeners[id] = continuation
    continuation.yield(engines)
    return stream
  }

  /// Stops syncing; the store's files close when it is released.
  public func close() async {
    let ended = engines
    publish([])
    for engine in ended { await engine.retire() }
    for listener in listeners.values { listener.finish() }
    listeners = [:]
    store.close()
  }
}

extension Array {
  /// The elements without those whose key came before.
  fileprivate func firstOfEach<Key: Hashable>(_ key: (Element) -> Key) -> [Element] {
    var seen: Set<Key> = []
    return filter { seen.insert(key($0)).inserted }
  }
}
