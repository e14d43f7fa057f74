import Foundation
import StrandlineModels

/// Where reads of a store's file come from.
///
/// SQLite makes a log and its index beside a database that it reads, if they are missing. For a
/// store that is open for reading only this must not be, and on a medium that cannot be written
/// it cannot be. While no log is there, nobody has the store open, and the file alone is read as
/// if nothing could change it. Should someone open it meanwhile, that shows in the log or in the
/// file's own mark, and the read is done again.
final class ReadSource {
  private let path: String
  private let isReadOnly: Bool
  private var connection: Connection
  /// The file as it was when it was opened without a log; nil while there is one.
  private var rest: FileMark?

  /// How often a read is done again; the last is one that holds the log, which cannot be passed.
  private static let attempts = 5

  init(path: String, isReadOnly: Bool) throws {
    self.path = path
    self.isReadOnly = isReadOnly
    (connection, rest) = try Self.connect(path, isReadOnly)
  }

  /// Runs reads; the body may run more than once.
  func read<T>(_ body: (Connection) throws -> T) throws -> T {
    guard isReadOnly else { return try body(connection) }
    for _ in 1..<Self.attempts {
      if rest != nil, rest != FileMark(path) {
        (connection, rest) = try Self.connect(path, isReadOnly)
      }
      let result = Result { try body(connection) }
      // What was read from a file that changed meanwhile is neither a result nor an error.
      if rest == nil || rest == FileMark(path) { return try result.get() }
    }
    throw StorageError(
      .busy, "Could not read '\(path)', other processes open and close it all the time.",
      advice: "Try again when they have finished.")
  }

  private static func connect(
    _ path: String, _ isReadOnly: Bool
  ) throws -> (Connection, FileMark?) {
    if isReadOnly, let mark = FileMark(path) {
      return (try Connection(untouchedPath: path), mark)
    }
    do {
      let connection = try Connection(path: path, readOnly: true)
      try connection.execute("PRAGMA query_only = ON")
      if isReadOnly { _ = try connection.integer("SELECT count(*) FROM sqlite_schema") }
      return (connection, nil)
    } catch let error as StorageError where isReadOnly && error.code == .cannotOpen {
      throw StorageError(
        .cannotOpen,
        "Could not open '\(path)', what is in its log cannot be read where nothing can be written.",
        advice: "Copy the store with its '-wal' to a place where you may write, and open the copy.",
        cause: error)
    }
  }
}

/// What tells whether a file was changed.
private struct FileMark: Equatable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let modified: [Int]
  private let changed: [Int]

  /// The mark of a file beside which no log stands; nil where one does.
  init?(_ path: String) {
    var info = stat()
    guard stat(path + "-wal", &info) != 0 || info.st_size == 0 && !Self.isWritable(path) else {
      return nil
    }
    // A journal says that the file itself holds half a transaction.
    if stat(path + "-journal", &info) == 0 && info.st_size > 0 { return nil }
    guard stat(path, &info) == 0 else { return nil }
    device = UInt64(info.st_dev)
    inode = UInt64(info.st_ino)
    size = Int64(info.st_size)
    modified = [info.st_mtim.tv_sec, info.st_mtim.tv_nsec]
    changed = [info.st_ctim.tv_sec, info.st_ctim.tv_nsec]
  }

  /// An empty log on a medium that cannot be written says that the file is complete.
  private static func isWritable(_ path: String) -> Bool {
    access(URL(fileURLWithPath: path).deletingLastPathComponent().path, W_OK) == 0
  }
}
