import CSQLite
import Foundation
package import StrandlineModels

/// One SQLite connection and its prepared statements.
///
/// It is not `Sendable`: whoever opens it keeps it on one executor, and SQLite is told to leave
/// its own locking out (`SQLITE_OPEN_NOMUTEX`).
package final class Connection {
  let handle: OpaquePointer
  private var cache: [String: Statement] = [:]

  /// Cached statements beyond this number are dropped all at once; programs use far fewer.
  private static let cacheLimit = 256

  /// How long a statement waits for another process's lock, in milliseconds.
  private static let busyTimeout: Int32 = 10_000

  package convenience init(
    path: String, readOnly: Bool, create: Bool = false
  ) throws(StorageError) {
    var flags = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    if create { flags |= SQLITE_OPEN_CREATE }
    try self.init(path, flags, at: path)
  }

  /// Opens a file of which SQLite must take no lock and beside which it must make no file.
  ///
  /// It is read as if nobody could change it, and without what may stand in its log.
  convenience init(untouchedPath path: String) throws(StorageError) {
    let location = URL(fileURLWithPath: path).absoluteString + "?immutable=1"
    try self.init(location, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, at: path)
  }

  /// The first bytes of the file as it lies on the disk, which may be in the middle of taking over
  /// what its log holds.
  func start(count: Int) throws(StorageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let result = strand_sqlite_read_start(handle, &bytes, Int32(count))
    guard result == SQLITE_OK else {
      throw SQLiteFailure.error(result, on: nil, doing: "read the beginning of the database")
    }
    return bytes
  }

  private init(_ location: String, _ flags: Int32, at path: String) throws(StorageError) {
    var handle: OpaquePointer?
    let all = flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let result = sqlite3_open_v2(location, &handle, all, nil)
    guard result == SQLITE_OK, let handle else {
      let error = SQLiteFailure.error(result, on: handle, doing: "open '\(path)'")
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, Self.busyTimeout)
    // A misspelt column in double quotes must be an error, not a string.
    _ = strand_sqlite_config(handle, SQLITE_DBCONFIG_DQS_DML, 0)
    _ = strand_sqlite_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
    _ = strand_sqlite_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = strand_sqlite_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
  }

  deinit {
    for statement in cache.values { statement.finalize() }
    sqlite3_close_v2(handle)
  }

  /// Sets whether triggers run on this connection.
  func setTriggers(_ on: Bool) {
    _ = strand_sqlite_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, on ? 1 : 0)
  }

  /// Sets whether foreign keys are enforced, also inside a transaction, where the pragma of that
  /// name does nothing.
  func setForeignKeys(_ on: Bool) {
    _ = strand_sqlite_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, on ? 1 : 0)
  }

  /// Sets whether the write-ahead log stays as it is when the last connection closes.
  func keepLog(_ on: Bool) {
    _ = strand_sqlite_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 1 : 0)
  }

  /// Whether SQLite could open the file for reading only, whatever it was asked for.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The number of the row that was inserted last.
  package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs one or more statements without arguments, for pragmas and definitions.
  package func execute(_ sql: String) throws(StorageError) {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else {
      throw SQLiteFailure.error(result, on: handle, doing: "run a statement")
    }
  }

  /// The prepared statement for this text, from the cache where it stands there.
  func statement(_ sql: String) throws(StorageError) -> Statement {
    if let cached = cache[sql], !cached.isActive { return cached }
    let statement = try Statement(sql, on: handle)
    if cache[sql] != nil { return statement }
    if cache.count >= Self.cacheLimit {
      for old in cache.values where !old.isActive { old.finalize() }
      cache = cache.filter { $0.value.isActive }
    }
    cache[sql] = statement
    return statement
  }

  /// Runs a statement to its end and tells how many rows it changed.
  @discardableResult
  package func run(_ sql: String, _ arguments: [Value] = []) throws(StorageError) -> Int {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(arguments)
    while try statement.step() {}
    return Int(sqlite3_changes(handle))
  }

  /// Runs a statement and hands each row to the body.
  package func forEach(
    _ sql: String, _ arguments: [Value] = [], _ body: (Row) throws -> Void
  ) throws {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(arguments)
    while try statement.step() { try body(Row(statement: statement)) }
  }

  /// Runs a statement and hands each row to the body until that wants no more.
  package func scan(
    _ sql: String, _ arguments: [Value] = [], _ body: (Row) throws -> Bool
  ) throws {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(arguments)
    while try statement.step(), try body(Row(statement: statement)) {}
  }

  /// Runs a statement and makes a value of each row.
  package func map<T>(
    _ sql: String, _ arguments: [Value] = [], _ transform: (Row) throws -> T
  ) throws -> [T] {
    var out: [T] = []
    try forEach(sql, arguments) { out.append(try transform($0)) }
    return out
  }

  /// Runs a statement and makes a value of its first row, if it has one.
  package func first<T>(
    _ sql: String, _ arguments: [Value] = [], _ transform: (Row) throws -> T
  ) throws -> T? {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(arguments)
    return try statement.step() ? try transform(Row(statement: statement)) : nil
  }

  /// The first column of the first row as an integer, or 0.
  package func integer(_ sql: String, _ arguments: [Value] = []) throws -> Int64 {
    try first(sql, arguments) { $0.integer(0) } ?? 0
  }
}
