import StrandlineModels

/// The one place where the store is written: one transaction at a time, off the cooperative pool.
///
/// It owns two connections. Records that people save go through one whose triggers capture every
/// change; imports go through one without triggers and write their own history. The first also
/// owns checkpoints, since SQLite before 3.51.3 can lose pages to two that run at once.
actor Writer {
  private let executor = QueueExecutor(label: "strandline.writer")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let path: String
  private var local: Connection
  /// Opened with the first import; a program that only saves or shows needs none.
  private var importing: Connection?
  /// Whether the disk failed to keep what was written, and nobody knows what of it is there.
  private var isDoubtful = false
  private let catalog: Catalog
  private let wall: WallClock
  private let process: Int64
  private let changes: StoreChanges
  private var open: OpenTransaction?
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// A transaction that stays open between calls, for a person who types `begin`.
  private struct OpenTransaction {
    let frame: TransactionFrame
    let start: TransactionFrame.Start
    let clock: TransactionClock
    let transaction: WriteTransaction
    let author: TransactionAuthor
  }

  init(
    path: String, prepared: sending Connection, catalog: Catalog, wall: WallClock,
    process: Int64, changes: StoreChanges
  ) throws {
    self.path = path
    try Self.configureLocal(prepared)
    local = prepared
    self.catalog = catalog
    self.wall = wall
    self.process = process
    self.changes = changes
  }

  // Once one statement of a transaction touched more than a few pages, SQLite would write every
  // page that a later one changes to a temporary file as well; in memory it gives them up with
  // the statement. So both connections keep such things in memory.

  private static func configureLocal(_ local: Connection) throws {
    try local.execute(
      "PRAGMA temp_store = MEMORY; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
  }

  private func importConnection() throws -> Connection {
    if let importing { return importing }
    let connection = try Connection(path: path, readOnly: false)
    // An import is durable when it is committed, since its cursor is reported to others.
    try connection.execute(
      "PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF; "
        + "PRAGMA wal_autocheckpoint = 0")
    connection.setTriggers(false)
    importing = connection
    return connection
  }

  /// Notes whether an error leaves it open what is on the disk.
  private func note(_ error: any Error) {
    if (error as? StorageError)?.isFailedSync == true { isDoubtful = true }
  }

  /// Looks the store over and writes all of its log anew, after a sync to the disk has failed.
  ///
  /// To sync again would prove nothing, since the system may have dropped what it could not write.
  /// So the store is opened anew and checked, and what the log holds is copied into the file,
  /// which is synced then. Nothing is durable before that has succeeded.
  private func settleDoubt() throws {
    guard isDoubtful else { return }
    let fresh = try Connection(path: path, readOnly: false)
    try Self.configureLocal(fresh)
    (local, importing) = (fresh, nil)
    let finding = try local.first("PRAGMA quick_check(1)") { $0.text(0) }
    guard finding == "ok" else {
      throw StorageError(
        .damaged, "Could not go on after the disk failed, the database is damaged.",
        advice: "Keep the file, and restore it from a backup or sync into a new store.",
        context: ["finding": finding ?? "none"])
    }
    let isBusy = try local.integer("PRAGMA wal_checkpoint(FULL)") != 0
    guard !isBusy else {
      throw StorageError(
        .busy, "Could not go on after the disk failed, a long read holds the store.",
        advice: "End it; syncing goes on by itself.")
    }
    isDoubtful = false
  }

  // MARK: Transactions

  func write<T: Sendable>(
    _ author: TransactionAuthor, _ body: @Sendable (WriteTransaction) throws -> T
  ) async throws -> T {
    await turn()
    let opened = try beginLocal(author)
    do {
      let result = try body(opened.transaction)
      try commit(opened)
      return result
    } catch {
      opened.frame.rollback()
      throw error
    }
  }

  /// Runs a transaction that applies what a peer sent, and is durable when this returns.
  func importChanges<T: Sendable>(
    _ peer: Int64, _ body: @Sendable (ImportTransaction) throws -> T
  ) async throws -> T {
    await turn()
    try settleDoubt()
    let importing = try importConnection()
    let frame = TransactionFrame(connection: importing, wall: wall, process: process)
    do {
      let start = try frame.begin()
      let transaction = ImportTransaction(
        connection: importing, catalog: catalog, peer: peer, clock: start.clock)
      try assertFit(importing)
      try transaction.settleParked()
      let result = try body(transaction)
      let head = try frame.record(from: start, TransactionAuthor(origin: .peer(peer)))
      var own: Int64?
      if try transaction.insertAgain(now: wall.milliseconds) {
        let next = TransactionFrame.Start(head: head ?? start.head, clock: start.clock)
        own = try frame.record(from: next, TransactionAuthor(context: "inserted again"))
      }
      try transaction.finish()
      try OrphanIndex(connection: importing, catalog: catalog).settle()
      try frame.commit()
      if let head { changes.post(StoreChange(sequence: head, origin: .peer(peer))) }
      if let own { changes.post(StoreChange(sequence: own, origin: .local)) }
      return result
    } catch {
      frame.rollback()
      note(error)
      throw error
    }
  }

  /// Runs a transaction on Strandline's own tables, which changes no record.
  func administer<T: Sendable>(
    durable: Bool, _ body: @Sendable (ReadTransaction) throws -> T
  ) async throws -> T {
    await turn()
    if durable { try settleDoubt() }
    let connection = durable ? try importConnection() : local
    let frame = TransactionFrame(connection: connection, wall: wall, process: process)
    do {
      _ = try frame.begin()
      let result = try body(ReadTransaction(connection: connection, catalog: catalog))
      try OrphanIndex(connection: connection, catalog: catalog).settleIfWorthwhile()
      try frame.commit()
      changes.observe()
      return result
    } catch {
      frame.rollback()
      note(error)
      throw error
    }
  }

  /// Puts what other SQLite clients wrote into a transaction of its own.
  ///
  /// A transaction that stays open did so when it began, and keeps others from writing since.
  func sealOtherClients() async throws {
    if open == nil { try await administer(durable: false) { _ in } }
  }

  private func beginLocal(_ author: TransactionAuthor) throws -> OpenTransaction {
    let frame = TransactionFrame(connection: local, wall: wall, process: process)
    let start = try frame.begin()
    let clock = TransactionClock(
      connection: local, wall: wall, hybrid: start.clock, head: start.head)
    let transaction = WriteTransaction(connection: local, catalog: catalog, clock: clock)
    return OpenTransaction(
      frame: frame, start: start, clock: clock, transaction: transaction, author: author)
  }

  private func commit(_ opened: OpenTransaction) throws {
    try opened.clock.end()
    let head = try opened.frame.record(from: opened.start, opened.author)
    try opened.frame.commit()
    if let head { changes.post(StoreChange(sequence: head, origin: opened.author.origin)) }
  }

  /// Triggers and foreign keys on this connection would write history twice, and cascade unseen.
  private func assertFit(_ importing: Connection) throws {
    guard try importing.integer("PRAGMA foreign_keys") == 0 else {
      throw StorageError(
        .damaged, "Could not import, foreign keys are enforced on the import connection.",
        advice: "Open the store again.")
    }
  }

  // MARK: A transaction that stays open

  func beginOpen(_ author: TransactionAuthor) async throws {
    await turn()
    let opened = try beginLocal(author)
    do {
      // The stamp is set before the first step, so that a step which is undone cannot take it.
      try opened.clock.begin()
    } catch {
      opened.frame.rollback()
      throw error
    }
    open = opened
  }

  /// Runs a step of the open transaction; a step that throws is undone by itself.
  func step<T: Sendable>(_ body: @Sendable (WriteTransaction) throws -> T) throws -> T {
    let open = try presentTransaction()
    try local.execute("SAVEPOINT step")
    do {
      let result = try body(open.transaction)
      try local.execute("RELEASE step")
      return result
    } catch {
      try local.execute("ROLLBACK TO step; RELEASE step")
      throw error
    }
  }

  /// Commits the open transaction; one that is refused stays open as it was.
  func commitOpen() throws {
    let open = try presentTransaction()
    try local.execute("SAVEPOINT ending")
    do {
      try commit(open)
    } catch {
      if local.isInTransaction { try local.execute("ROLLBACK TO ending; RELEASE ending") }
      throw error
    }
    finishOpen()
  }

  func rollbackOpen() throws {
    guard let open else { throw Self.noOpenTransaction }
    open.frame.rollback()
    finishOpen()
  }

  /// The open transaction, unless SQLite has undone it by itself, as after a full disk.
  private func presentTransaction() throws -> OpenTransaction {
    guard let open else { throw Self.noOpenTransaction }
    guard local.isInTransaction else { throw TransactionClock.ended }
    return open
  }

  private func finishOpen() {
    open = nil
    let resumed = waiting
    waiting = []
    for continuation in resumed { continuation.resume() }
  }

  private static var noOpenTransaction: StorageError {
    StorageError(
      .invalidQuery, "Could not end the transaction, none is open.", advice: "Begin one first.")
  }

  /// Waits until no transaction stays open.
  private func turn() async {
    while open != nil {
      await withCheckedContinuation { waiting.append($0) }
    }
  }
}
