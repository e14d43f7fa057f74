import CSQLite
import StrandlineModels

extension StorageError {
  /// Whether the system could not bring to the disk what had been written.
  var isFailedSync: Bool {
    // SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC.
    ["1034", "1290"].contains(context["sqlite"])
  }
}

/// Turns SQLite's result codes into errors that say what to do.
enum SQLiteFailure {
  static func error(
    _ result: Int32, on handle: OpaquePointer?, doing action: String
  ) -> StorageError {
    let text = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
    let extended = handle.map { sqlite3_extended_errcode($0) } ?? result
    let context = ["sqlite": String(extended), "sqliteMessage": text]
    let (code, reason, advice) = explain(result & 0xFF, text)
    return StorageError(
      code, "Could not \(action), \(reason).", advice: advice, context: context)
  }

  private static func explain(
    _ primary: Int32, _ text: String
  ) -> (StorageError.Code, String, String) {
    switch primary {
    case SQLITE_FULL:
      (.diskFull, "the disk is full", "Free some space; nothing was changed.")
    case SQLITE_BUSY, SQLITE_LOCKED:
      (.busy, "another process holds the store", "Try again when it has finished.")
    case SQLITE_NOTADB:
      (
        .notADatabase, "the file is not a database",
        "Name another file; this one was left as it is."
      )
    case SQLITE_CORRUPT:
      (
        .damaged, "the database is damaged",
        "Keep the file, and restore it from a backup or sync into a new store."
      )
    case SQLITE_READONLY:
      (.readOnly, "the store is read-only", "Open it where it can be written.")
    case SQLITE_IOERR:
      (.inputOutput, "the disk could not be read or written", "Check the disk and try again.")
    case SQLITE_CANTOPEN:
      (.cannotOpen, "the file cannot be opened", "Check that it exists and may be read.")
    case SQLITE_CONSTRAINT:
      (.constraint, text, "Change the values so that they keep to the rule.")
    default:
      (.invalidQuery, text, "Correct the statement.")
    }
  }
}
