import Foundation
public import StrandlineModels

/// A local store of records in one SQLite file.
///
/// A save commits the data, its stamps and its history in one SQLite transaction and waits for
/// nothing else. Reads run on snapshots and never wait for a writer. Any SQLite client may read
/// and write the file at the same time; what it changes is recorded too.
///
/// ```swift
/// let schema = try Schema([TodoItem.self, TodoList.self])
/// let store = try await Store.open(.file("notes.sqlite"), schema: schema)
/// try await store.write { try $0.save(TodoItem(name: "Buy milk")) }
/// let open = try await store.read { try $0.fetch(TodoItem.self, where: #Predicate { !$0.done }) }
/// ```
public final class Store: Sendable {
  /// The file; for a store in memory, the file in its private folder.
  public let path: String
  /// The model.
  public let schema: Schema
  /// The store's own identity, made with it.
  public let id: String
  /// The identity under which it writes.
  public let device: DeviceID
  /// The time of day that it uses.
  public let clock: WallClock
  /// Whether it is open for reading only.
  public let isReadOnly: Bool
  /// A random number that is this opening's alone.
  package let process: Int64

  // Let go of in this order: the last connection to close takes the log into the file and removes it,
  // which one that only reads cannot do.
  private let readers: ReaderPool
  private let writer: Writer?
  private let changeListeners: StoreChanges
  private let pins = PinLimit()
  private let folder: MemoryFolder?
  /// Whether it is in a folder of this process alone.
  package var isInMemory: Bool { folder != nil }
  package let catalog: Catalog

  private init(
    path: String, catalog: Catalog, prepared: sending Connection?, options: StoreOptions,
    process: Int64, folder: MemoryFolder?
  ) throws {
    self.path = path
    self.catalog = catalog
    self.folder = folder
    schema = catalog.schema
    clock = options.clock
    isReadOnly = options.isReadOnly
    self.process = process
    let source = try ReadSource(path: path, isReadOnly: options.isReadOnly)
    let identity = try Self.readIdentity(source, path)
    id = identity.store
    device = identity.device
    changeListeners = StoreChanges(
      WatchedStore(
        path: path, isReadOnly: options.isReadOnly, wall: options.clock, process: process,
        pacing: options.watching), after: identity.head)
    if let prepared {
      writer = try Writer(
        path: path, prepared: prepared, catalog: catalog, wall: options.clock, process: process,
        changes: changeListeners)
    } else {
      writer = nil
    }
    readers = try ReaderPool(
      path: path, first: source, catalog: catalog, count: options.readerCount,
      isReadOnly: options.isReadOnly)
  }

  deinit {
    changeListeners.finish()
  }

  /// Opens a store, and makes it where none is and that is allowed.
  ///
  /// A failed open neither makes nor changes anything. A model that differs from the stored one
  /// is migrated to: properties and entities are added, renamed by `renamedFrom`, or carried
  /// unseen where the model no longer has them. That and the steps of
  /// ``StoreOptions/dataMigrations`` are one transaction.
  ///
  /// - Throws: `storeNotFound`, `anotherStoreBeside`, `notADatabase`, `notAStore`, `newerFormat`,
  ///   `olderFormat`, `damaged`, `cannotOpen`, `diskFull`, `busy`, `nameTaken`,
  ///   `dataMigrationFailed`.
  public static func open(
    _ location: StoreLocation, schema: Schema, options: StoreOptions = StoreOptions()
  ) async throws -> Store {
    let executor = OpeningActor()
    return try await executor.run {
      switch location {
      case .file(let path): return try open(StoreFile.resolved(path), schema, options, folder: nil)
      case .memory:
        let folder = try MemoryFolder()
        return try open(folder.storePath, schema, options, folder: folder)
      }
    }
  }

  private static func open(
    _ path: String, _ schema: Schema, _ options: StoreOptions, folder: MemoryFolder?
  ) throws -> Store {
    let process = Int64.random(in: 1 ... .max)
    let prepared = try StorePreparation(
      path: path, schema: schema, options: options, process: process
    ).run()
    return try Store(
      path: path, catalog: prepared.catalog, prepared: prepared.connection, options: options,
      process: process, folder: folder)
  }

  private static func readIdentity(
    _ source: ReadSource, _ path: String
  ) throws -> (store: String, device: DeviceID, head: Int64) {
    let (values, head) = try source.read { connection in
      let values = try connection.map(
        "SELECT key, value FROM strandline_meta WHERE key IN ('store', 'device')"
      ) { ($0.text(0), $0.text(1)) }
      let head = try connection.integer(
        "SELECT coalesce(max(last), 0) FROM strandline_transaction")
      return (values, head)
    }
    let found = Dictionary(values) { first, _ in first }
    guard let store = found["store"], let device = found["device"].flatMap({ DeviceID($0) }) else {
      throw StorageError(
        .damaged, "Could not open '\(path)', its identity is missing.",
        advice: "Restore the file from a backup, or sync into a new store.")
    }
    return (store, device, head)
  }

  // MARK: Reading and writing

  /// Runs reads on one snapshot.
  public func read<T: Sendable>(
    _ body: @Sendable (ReadTransaction) throws -> T
  ) async throws -> T {
    try await readers.read(body)
  }

  /// Makes a reader that can hold a snapshot; it holds none yet.
  package func pinnedReader() throws -> PinnedReader {
    PinnedReader(path: path, store: id, catalog: catalog, place: try pins.take())
  }

  /// Runs changes as one transaction, which is committed when the body returns.
  ///
  /// - Parameters:
  ///   - author: Who makes the changes, for history.
  ///   - context: What the changes are part of, for history.
  ///   - body: The changes; when it throws, nothing is changed.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws, and `readOnly`, `busy`, `diskFull`, `constraint`.
  @discardableResult
  public func write<T: Sendable>(
    author: String? = nil, context: String? = nil,
    _ body: @Sendable (WriteTransaction) throws -> T
  ) async throws -> T {
    try await writable().write(TransactionAuthor(author: author, context: context), body)
  }

  /// Tells of commits as long as it is listened to.
  ///
  /// Commits of other processes are noticed too, as is what other SQLite clients write; where
  /// this store may write, that is put into history first. While nobody listens, the file is not
  /// watched; the first listener is told once of what others committed since the store was opened
  /// or was last listened to. A slow listener may miss some; what changed stands in history.
  ///
  /// - Returns: A stream that ends with ``close()`` or with the store.
  public func changes() -> AsyncStream<StoreChange> {
    changeListeners.stream()
  }

  /// A wake-up for each commit of anybody, also of one that changes no record.
  ///
  /// The engine's events, the switch and the peers stand in Strandline's own tables, and so does
  /// whatever else a status is made of. Several commits may cause one wake-up, and a wake-up may
  /// come without a change; the first comes once the file was looked at. The store's lease, which a
  /// process may take or lose, causes one as well.
  ///
  /// - Returns: A stream that ends with ``close()`` or with the store.
  public func observations() -> AsyncStream<Void> {
    changeListeners.observations()
  }

  /// Whether a thread watches the store's file for commits of other processes now.
  package var isWatched: Bool { changeListeners.isWatched }

  /// Why the last look for commits of other processes failed, if it did.
  package var watchFailure: (any Error)? { changeListeners.failure }

  /// Ends the streams of ``changes()``; files close when the store is released.
  public func close() {
    changeListeners.finish()
  }

  private func writable() throws -> Writer {
    guard let writer else {
      throw StorageError(
        .readOnly, "Could not change the store, it is open for reading only.",
        advice: "Open it without the read-only option.")
    }
    return writer
  }
}

extension Store {
  /// Begins a transaction that stays open between calls; other writes wait for its end.
  public func begin(author: String? = nil, context: String? = nil) async throws {
    try await writable().beginOpen(TransactionAuthor(author: author, context: context))
  }

  /// Runs a step of the open transaction; a step that throws is undone by itself.
  @discardableResult
  public func step<T: Sendable>(
    _ body: @Sendable (WriteTransaction) throws -> T
  ) async throws -> T {
    try await writable().step(body)
  }

  /// Commits the open transaction.
  public func commit() async throws {
    try await writable().commitOpen()
  }

  /// Undoes the open transaction.
  public func rollback() async throws {
    try await writable().rollbackOpen()
  }
}

extension Store {
  /// Applies what a peer sent, as one durable transaction of that peer.
  @discardableResult
  package func importChanges<T: Sendable>(
    from peer: Int64, _ body: @Sendable (ImportTransaction) throws -> T
  ) async throws -> T {
    try await writable().importChanges(peer, body)
  }

  /// Puts what other SQLite clients wrote into history; a store that is read only has no need.
  package func sealOtherClients() async throws {
    try await writer?.sealOtherClients()
  }

  /// Changes Strandline's own tables; a durable change survives a power cut once this returns,
  /// and so does everything that was committed before it.
  @discardableResult
  package func administer<T: Sendable>(
    durable: Bool = false, _ body: @Sendable (ReadTransaction) throws -> T
  ) async throws -> T {
    try await writable().administer(durable: durable, body)
  }
}

/// Opens stores off the cooperative pool.
private actor OpeningActor {
  private let executor = QueueExecutor(label: "strandline.open")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func run<T: Sendable>(_ body: @Sendable () throws -> T) throws -> T { try body() }
}
