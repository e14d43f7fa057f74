import CSQLite
import Foundation
import Strandline

/// The yardsticks *raw* and *rawread*: the same rows by prepared statements through SQLite's C API,
/// in a table made by the same definition, with the same pragmas and without any tracking.
final class RawDatabase {
  /// What SQLite refused.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private var database: OpaquePointer?
  let path: String

  /// Makes a database.
  ///
  /// - Parameters:
  ///   - path: Its file.
  ///   - definition: The statement that makes the table.
  /// - Throws: What SQLite refused.
  init(path: String, definition: String) throws {
    self.path = path
    guard sqlite3_open(path, &database) == SQLITE_OK else { throw failure("open") }
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
    try execute(definition)
  }

  deinit {
    sqlite3_close_v2(database)
  }

  /// Closes it, which takes the log into the file.
  func close() {
    sqlite3_close_v2(database)
    database = nil
  }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  private func failure(_ what: String) -> Failure {
    Failure(description: "\(what): \(String(cString: sqlite3_errmsg(database)))")
  }

  // MARK: The work

  /// Inserts rows in one transaction, or each in its own.
  func insert(_ todos: [BenchTodo], isOneTransaction: Bool = true) throws {
    let statement = try prepare(
      "INSERT INTO BenchTodo(id, name, done, note, priority, due) VALUES(?, ?, ?, ?, ?, ?)")
    defer { sqlite3_finalize(statement) }
    if isOneTransaction { try execute("BEGIN IMMEDIATE") }
    for todo in todos {
      bind(todo.id, 1, statement)
      bind(todo.name, 2, statement)
      sqlite3_bind_int(statement, 3, todo.done ? 1 : 0)
      if let note = todo.note { bind(note, 4, statement) } else { sqlite3_bind_null(statement, 4) }
      sqlite3_bind_int64(statement, 5, Int64(todo.priority))
      if let due = todo.due {
        sqlite3_bind_double(statement, 6, due.timeIntervalSince1970)
      } else {
        sqlite3_bind_null(statement, 6)
      }
      try step(statement)
    }
    if isOneTransaction { try execute("COMMIT") }
  }

  /// Sets one column of each row in one transaction.
  func update(_ ids: [RecordID], priority: Int) throws {
    let statement = try prepare("UPDATE BenchTodo SET priority = ? WHERE id = ?")
    defer { sqlite3_finalize(statement) }
    try execute("BEGIN IMMEDIATE")
    for id in ids {
      sqlite3_bind_int64(statement, 1, Int64(priority))
      bind(id, 2, statement)
      try step(statement)
    }
    try execute("COMMIT")
  }

  /// Reads all rows into the same values.
  func readAll() throws -> [BenchTodo] {
    let statement = try prepare("SELECT id, name, done, note, priority, due FROM BenchTodo")
    defer { sqlite3_finalize(statement) }
    var todos: [BenchTodo] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      var todo = BenchTodo()
      let bytes = UnsafeRawBufferPointer(
        start: sqlite3_column_blob(statement, 0), count: Int(sqlite3_column_bytes(statement, 0)))
      todo.id = RecordID(bytes: Array(bytes))
      todo.name = text(1, statement) ?? ""
      todo.done = sqlite3_column_int(statement, 2) != 0
      todo.note = text(3, statement)
      todo.priority = Int(sqlite3_column_int64(statement, 4))
      if sqlite3_column_type(statement, 5) != SQLITE_NULL {
        todo.due = Date(timeIntervalSince1970: sqlite3_column_double(statement, 5))
      }
      todos.append(todo)
    }
    return todos
  }

  // MARK: Statements

  private func prepare(_ sql: String) throws -> OpaquePointer? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
      throw failure(sql)
    }
    return statement
  }

  private func step(_ statement: OpaquePointer?) throws {
    guard sqlite3_step(statement) == SQLITE_DONE else { throw failure("step") }
    sqlite3_reset(statement)
  }

  private func bind(_ id: RecordID, _ place: Int32, _ statement: OpaquePointer?) {
    _ = id.bytes.withUnsafeBytes {
      sqlite3_bind_blob(
        statement, place, $0.baseAddress, Int32($0.count), strand_sqlite_transient())
    }
  }

  private func bind(_ text: String, _ place: Int32, _ statement: OpaquePointer?) {
    var text = text
    text.withUTF8 { bytes in
      _ = bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(
          statement, place, $0.baseAddress, Int32($0.count), strand_sqlite_transient())
      }
    }
  }

  private func text(_ column: Int32, _ statement: OpaquePointer?) -> String? {
    guard let start = sqlite3_column_text(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
