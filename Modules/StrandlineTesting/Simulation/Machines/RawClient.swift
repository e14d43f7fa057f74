import CSQLite
import Foundation
import Strandline

/// A plain SQLite client beside a store, as a person's own tool is: it writes, reads and copies
/// the file without knowing anything of Strandline.
///
/// It is not `Sendable`: the fleet keeps it on its own executor.
final class RawClient {
  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  init(path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    let result = sqlite3_open_v2(path, &handle, flags, nil)
    guard result == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw FleetFailure("Could not open '\(path)' as a plain client, SQLite says \(result).")
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Runs statements without arguments.
  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// Runs one statement, and gives its rows.
  @discardableResult
  func rows(_ sql: String, _ arguments: [Value] = []) throws -> [[Value]] {
    let statement = try prepare(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in arguments.enumerated() { bind(value, statement, Int32(index + 1)) }
    var rows: [[Value]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append((0..<sqlite3_column_count(statement)).map { Self.value(statement, $0) })
      case SQLITE_DONE: return rows
      default: throw failure(sql)
      }
    }
  }

  /// The first number that a statement gives, or 0.
  func integer(_ sql: String, _ arguments: [Value] = []) throws -> Int64 {
    try rows(sql, arguments).first?.first?.integer ?? 0
  }

  /// The whole database as one file's bytes, as of now.
  func copy() throws -> Data {
    var size: sqlite3_int64 = 0
    guard let bytes = sqlite3_serialize(handle, "main", &size, 0) else {
      throw failure("copy the database")
    }
    defer { sqlite3_free(bytes) }
    return Data(bytes: bytes, count: Int(size))
  }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw failure(sql)
    }
    statements[sql] = statement
    return statement
  }

  private func bind(_ value: Value, _ statement: OpaquePointer, _ index: Int32) {
    let transient = strand_sqlite_transient()
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .real(let number): sqlite3_bind_double(statement, index, number)
    case .text(let text): sqlite3_bind_text(statement, index, text, -1, transient)
    case .blob(let bytes):
      sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), transient)
    }
  }

  private static func value(_ statement: OpaquePointer, _ column: Int32) -> Value {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT: return .text(sqlite3_column_text(statement, column).map(String.init) ?? "")
    case SQLITE_BLOB:
      let count = Int(sqlite3_column_bytes(statement, column))
      guard let bytes = sqlite3_column_blob(statement, column) else { return .blob([]) }
      return .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    default: return .null
    }
  }

  private func failure(_ sql: String) -> FleetFailure {
    FleetFailure("Could not run \(sql), SQLite says \(String(cString: sqlite3_errmsg(handle))).")
  }
}

/// Something that the fleet itself could not do.
struct FleetFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
