import Foundation
import StrandlineModels

/// What stands at a store's path, found out without opening anything.
///
/// Closing any descriptor of a file ends all POSIX locks that the process has on it, and with
/// them those of SQLite's connections; so the database file is never opened but by SQLite.
struct StoreFile {
  enum State: Hashable {
    case missing
    /// A file of no bytes.
    case empty
    case present
  }

  let path: String
  let state: State
  /// The number of bytes in the write-ahead log; nil where there is no log.
  let logSize: Int?

  /// The names that SQLite and Strandline put after a store's own.
  static let suffixes = ["-wal", "-shm", "-journal", "-lease"]

  /// SQLite takes a file of a few bytes for an empty database, and would write over it.
  static let minimumSize = 512

  init(at path: String) throws(StorageError) {
    self.path = path
    logSize = Self.size(of: path + "-wal")
    var info = stat()
    guard stat(path, &info) == 0 else {
      state = try Self.explainMissing(path, errno)
      return
    }
    switch info.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw Self.cannotOpen(path, "it is a folder")
    default: throw Self.cannotOpen(path, "it is not a file")
    }
    if info.st_size > 0 && info.st_size < Self.minimumSize { throw Self.notADatabase(path) }
    state = info.st_size == 0 ? .empty : .present
  }

  /// Whether the log holds anything that the file itself may lack.
  var hasLog: Bool { (logSize ?? 0) > 0 }

  private static func explainMissing(
    _ path: String, _ code: Int32
  ) throws(StorageError) -> State {
    guard code == ENOENT else {
      throw cannotOpen(path, String(cString: strerror(code)).lowercased())
    }
    var info = stat()
    // A store made through such a link would be somewhere else than people look for it.
    guard lstat(path, &info) != 0 else {
      throw StorageError(
        .storeNotFound, "Could not open the store '\(path)', it is a link to a missing file.",
        advice: "Put the file back, or remove the link.")
    }
    return .missing
  }

  /// The file that a link leads to, since SQLite keeps its log beside that one; other paths stay
  /// as they are.
  static func resolved(_ path: String) -> String {
    var info = stat()
    guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFLNK,
      let real = realpath(path, nil)
    else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private static func size(of path: String) -> Int? {
    var info = stat()
    return stat(path, &info) == 0 ? Int(info.st_size) : nil
  }

  private static func cannotOpen(_ path: String, _ reason: String) -> StorageError {
    StorageError(
      .cannotOpen, "Could not open '\(path)', \(reason).",
      advice: "Name a file that may be read.")
  }

  static func notADatabase(_ path: String) -> StorageError {
    StorageError(
      .notADatabase, "Could not open '\(path)', the file is not a database.",
      advice: "Name another file; this one was left as it is.")
  }
}
