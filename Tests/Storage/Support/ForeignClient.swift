import CSQLite
import StrandlineModels

/// A SQLite connection that knows nothing of Strandline, as any other program opens one.
final class ForeignClient {
  /// What SQLite said of a statement that failed.
  struct Failure: Error {
    let code: Int32
    let message: String
  }

  private let handle: OpaquePointer
  private var cache: [String: OpaquePointer] = [:]

  init(
    _ path: String, recursiveTriggers: Bool = false, foreignKeys: Bool = false,
    clock: ManualClock? = nil
  ) throws {
    var opened: OpaquePointer?
    let result = sqlite3_open(path, &opened)
    guard result == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw Failure(code: result, message: "cannot open \(path)")
    }
    handle = opened
    sqlite3_busy_timeout(handle, 10_000)
    if let clock { useClock(clock) }
    try run("PRAGMA synchronous = OFF")
    try run("PRAGMA recursive_triggers = \(recursiveTriggers)")
    try run("PRAGMA foreign_keys = \(foreignKeys)")
  }

  deinit {
    for statement in cache.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Puts a test's clock in the place of SQLite's own; the connection keeps it alive.
  private func useClock(_ clock: ManualClock) {
    sqlite3_create_function_v2(
      handle, "julianday", 1, SQLITE_UTF8 | SQLITE_INNOCUOUS,
      Unmanaged.passRetained(clock).toOpaque(),
      { context, _, _ in
        guard let data = sqlite3_user_data(context) else { return }
        let clock = Unmanaged<ManualClock>.fromOpaque(data).takeUnretainedValue()
        sqlite3_result_double(context, clock.julianDay)
      }, nil, nil,
      { data in
        if let data { Unmanaged<ManualClock>.fromOpaque(data).release() }
      })
  }

  /// Turns triggers off or on, which takes more than SQL.
  func setTriggers(_ on: Bool) {
    _ = strand_sqlite_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, on ? 1 : 0)
  }

  /// Runs one statement and gives its rows.
  @discardableResult
  func run(_ sql: String, _ arguments: [Value] = []) throws -> [[Value]] {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in arguments.enumerated() {
      Self.bind(value, to: statement, at: Int32(index + 1))
    }
    var rows: [[Value]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append(
          (0..<sqlite3_column_count(statement)).map { Self.value(of: statement, at: $0) })
      case SQLITE_DONE: return rows
      default: throw failure()
      }
    }
  }

  /// Runs several statements, up to the first that fails.
  func script(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  private func prepared(_ sql: String) throws -> OpaquePointer {
    if let known = cache[sql] { return known }
    var made: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &made, nil) == SQLITE_OK, let made else {
      throw failure()
    }
    cache[sql] = made
    return made
  }

  private func failure() -> Failure {
    Failure(
      code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
  }

  private static func bind(_ value: Value, to statement: OpaquePointer, at index: Int32) {
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .real(let number): sqlite3_bind_double(statement, index, number)
    case .text(let text):
      sqlite3_bind_text(
        statement, index, text, Int32(text.utf8.count), strand_sqlite_transient())
    case .blob(let bytes):
      if bytes.isEmpty {
        sqlite3_bind_zeroblob(statement, index, 0)
      } else {
        sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), strand_sqlite_transient())
      }
    }
  }

  private static func value(of statement: OpaquePointer, at index: Int32) -> Value {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, index))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(statement, index)
      let count = Int(sqlite3_column_bytes(statement, index))
      return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, index)
      let count = Int(sqlite3_column_bytes(statement, index))
      return .blob(Array(UnsafeRawBufferPointer(start: start, count: count)))
    default: return .null
    }
  }
}
