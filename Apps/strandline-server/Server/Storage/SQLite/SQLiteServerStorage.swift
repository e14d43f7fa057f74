import Foundation
package import StrandlineAuthority
import StrandlineModels
import StrandlineStorage
package import StrandlineTransport

/// A server's data in one SQLite file, which several processes may use at once.
///
/// Each transaction begins with `BEGIN IMMEDIATE`, so that only one process writes at a time, and
/// waits a bounded time for its turn. Durable transactions are synced to the disk with their
/// commit, relaxed ones with the next durable one or with the next checkpoint. Reads alone may
/// also stand outside a transaction.
///
/// Copies of one instance share its connection, so another thread that begins waits for the
/// transaction that is open.
///
/// It is safe to send, though the connection by itself is not:
/// 1. Only ``access(_:)``, ``begin(_:)``, ``commit()`` and ``rollBack()`` touch the connection and
///    the state beside it, and each holds `lock` while it does.
/// 2. `lock` is held by the thread that began a transaction until that one ends, so no other
///    thread comes between its steps.
/// 3. Nothing that belongs to the connection leaves a call: rows are made values before.
package final class SQLiteServerStorage: @unchecked Sendable {
  /// The name of the file in the data folder.
  package static let fileName = "strandline-server.sqlite"

  /// The file.
  package let path: String
  private let lock = NSRecursiveLock()
  private let connection: Connection
  private var synchronous: Durability?
  private var isOpen = false
  private var changes: Int64 = -1
  /// What was read from tables that only grow; it ends with a change by another process.
  private(set) var memory = ServerMemory()

  /// Opens the file in a data folder.
  ///
  /// - Parameters:
  ///   - folder: The data folder; it is made with the file where it is missing.
  ///   - create: Whether a file may be made.
  ///   - ownsCheckpoints: Whether this connection moves the log into the file now and then. One
  ///     connection does, that of the server; before version 3.51.3 SQLite may lose pages to two.
  ///   - waitMilliseconds: How long a transaction waits for that of another process.
  ///   - makeName: Makes the random name of a new server.
  /// - Throws: `incompatibleVersion` for the file of a later version, `damaged` for one that is no
  ///   server's.
  package init(
    folder: String, create: Bool, ownsCheckpoints: Bool, waitMilliseconds: Int = 10_000,
    makeName: () -> String = { UUID().uuidString.lowercased() }
  ) throws(TransportError) {
    path = ServerFile.path(in: folder)
    do {
      connection = try ServerFile.open(folder, create: create, makeName: makeName)
      try connection.execute(
        "PRAGMA wal_autocheckpoint = \(ownsCheckpoints ? 1000 : 0); PRAGMA cache_size = -32768;"
          + "PRAGMA temp_store = MEMORY; PRAGMA busy_timeout = \(waitMilliseconds)")
    } catch {
      throw .storage(error, at: path)
    }
  }

  /// Runs a step on the connection, alone, and says what went wrong as transports say it.
  func access<Result>(
    _ body: (Connection) throws -> Result
  ) throws(TransportError) -> Result {
    lock.lock()
    defer { lock.unlock() }
    do {
      return try body(connection)
    } catch {
      throw .storage(error, at: path)
    }
  }

  /// Changes what is remembered of the file; it is called within ``access(_:)``.
  func remember(_ change: (inout ServerMemory) -> Void) {
    change(&memory)
  }

  /// Whether a transaction is open, so that what is remembered cannot change under it.
  var isInTransaction: Bool { isOpen }
}

// Transactions.
extension SQLiteServerStorage: ServerStorage {
  package func begin(_ durability: Durability) throws(TransportError) {
    lock.lock()
    do {
      // SQLite does not change this inside a transaction.
      if synchronous != durability {
        try connection.execute(
          "PRAGMA synchronous = \(durability == .durable ? "FULL" : "NORMAL")")
        synchronous = durability
      }
      try connection.run("BEGIN IMMEDIATE")
      isOpen = true
      let changes = try connection.integer("PRAGMA data_version")
      if changes != self.changes { memory = ServerMemory() }
      self.changes = changes
      memory.current = nil
    } catch {
      abandon()
      lock.unlock()
      throw .storage(error, at: path)
    }
  }

  package func commit() throws(TransportError) {
    do {
      try connection.run("COMMIT")
    } catch {
      throw .storage(error, at: path)
    }
    isOpen = false
    memory.current = nil
    lock.unlock()
  }

  package func rollBack() {
    abandon()
    lock.unlock()
  }

  /// Runs something that only reads on one snapshot, and holds up nobody.
  func reading<Result>(
    _ body: () throws(TransportError) -> Result
  ) throws(TransportError) -> Result {
    lock.lock()
    defer { lock.unlock() }
    do {
      try connection.run("BEGIN")
    } catch {
      throw .storage(error, at: path)
    }
    isOpen = true
    memory = ServerMemory()
    defer { abandon() }
    return try body()
  }

  /// Ends an open transaction without its writes; SQLite may have done so by itself.
  private func abandon() {
    isOpen = false
    memory = ServerMemory()
    guard connection.isInTransaction else { return }
    do {
      try connection.run("ROLLBACK")
    } catch {
      // A rollback only fails where SQLite has rolled back already; the next begin would say so.
    }
  }

  package func foreignChanges() throws(TransportError) -> Int64 {
    try access { try $0.integer("PRAGMA data_version") }
  }
}
