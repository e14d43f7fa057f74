import CSQLite
import StrandlineModels

/// A prepared statement of one connection.
final class Statement {
  private let database: OpaquePointer
  private var handle: OpaquePointer?
  /// Whether it is between its first step and its reset.
  private(set) var isActive = false

  init(_ sql: String, on database: OpaquePointer) throws(StorageError) {
    self.database = database
    var handle: OpaquePointer?
    var rest = 0
    let result = sql.withCString { text in
      var tail: UnsafePointer<CChar>?
      let result = sqlite3_prepare_v3(
        database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
      if let tail { rest = lengthOfAnotherStatement(tail) }
      return result
    }
    guard result == SQLITE_OK else {
      throw SQLiteFailure.error(result, on: database, doing: "prepare a statement")
    }
    guard rest == 0, handle != nil else {
      sqlite3_finalize(handle)
      throw StorageError(
        .invalidQuery, "Could not prepare a statement, it is not exactly one.",
        advice: "Leave the semicolon and what follows it away.")
    }
    self.handle = handle
  }

  func finalize() {
    sqlite3_finalize(handle)
    handle = nil
  }

  deinit {
    sqlite3_finalize(handle)
  }

  var columnCount: Int { Int(sqlite3_column_count(handle)) }

  func columnName(_ index: Int) -> String {
    sqlite3_column_name(handle, Int32(index)).map { String(cString: $0) } ?? ""
  }

  func bind(_ arguments: [Value]) throws(StorageError) {
    let expected = Int(sqlite3_bind_parameter_count(handle))
    guard expected == arguments.count else {
      throw StorageError(
        .invalidQuery,
        "Could not run a statement, it takes \(expected) arguments and was given "
          + "\(arguments.count).",
        advice: "Give one argument for each question mark.")
    }
    for (index, value) in arguments.enumerated() {
      let result = bind(value, at: Int32(index + 1))
      guard result == SQLITE_OK else {
        throw SQLiteFailure.error(result, on: database, doing: "bind a value")
      }
    }
  }

  private func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(handle, index)
    case .integer(let number): return sqlite3_bind_int64(handle, index, number)
    case .real(let number): return sqlite3_bind_double(handle, index, number)
    case .text(var text):
      // A text of no bytes has no address, which SQLite would take for null.
      if text.isEmpty {
        return sqlite3_bind_text(handle, index, "", 0, strand_sqlite_transient())
      }
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          sqlite3_bind_text64(
            handle, index, $0.baseAddress, UInt64($0.count), strand_sqlite_transient(),
            UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let blob):
      if blob.isEmpty { return sqlite3_bind_zeroblob(handle, index, 0) }
      return blob.withUnsafeBytes {
        sqlite3_bind_blob64(
          handle, index, $0.baseAddress, UInt64($0.count), strand_sqlite_transient())
      }
    }
  }

  /// Steps to the next row; false at the end.
  func step() throws(StorageError) -> Bool {
    isActive = true
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let result: throw SQLiteFailure.error(result, on: database, doing: "run a statement")
    }
  }

  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    isActive = false
  }

  func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

  func value(_ column: Int) -> Value {
    let index = Int32(column)
    switch sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(handle, index)
      let count = Int(sqlite3_column_bytes(handle, index))
      return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(handle, index)
      let count = Int(sqlite3_column_bytes(handle, index))
      return .blob(Array(UnsafeRawBufferPointer(start: start, count: count)))
    default: return .null
    }
  }
}

/// How many bytes of another statement follow; white space and semicolons do not count.
private func lengthOfAnotherStatement(_ tail: UnsafePointer<CChar>) -> Int {
  String(cString: tail).utf8.filter { !" \n\r\t;".utf8.contains($0) }.count
}
