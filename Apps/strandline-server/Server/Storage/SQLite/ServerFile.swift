import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTransport

/// Opens a server's file, and makes it where it is missing.
enum ServerFile {
  /// Where the file of a data folder is.
  static func path(in folder: String) -> String {
    URL(fileURLWithPath: folder).appendingPathComponent(SQLiteServerStorage.fileName).path
  }

  /// Opens the file in a data folder.
  static func open(
    _ folder: String, create: Bool, makeName: () -> String
  ) throws -> Connection {
    let path = path(in: folder)
    if create {
      // What is in it is for this user alone.
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } else if !FileManager.default.fileExists(atPath: path) {
      throw TransportError.noServerData(folder)
    }
    let connection = try Connection(path: path, readOnly: false, create: create)
    let format = try check(connection, path)
    if format == 0 {
      // SQLite gives its log the rights of the file.
      chmod(path, 0o600)
      try lay(out: connection, makeName)
    }
    return connection
  }

  /// Opens a file elsewhere, such as a backup, for reading only.
  static func openCopy(_ path: String) throws -> Connection {
    guard FileManager.default.fileExists(atPath: path) else {
      throw TransportError.noBackup(path)
    }
    let connection = try Connection(path: path, readOnly: true)
    guard try check(connection, path) > 0 else { throw TransportError.notAServer(path) }
    return connection
  }

  /// The layout of a file, 0 for an empty one; a file that is not a server's is refused.
  private static func check(_ connection: Connection, _ path: String) throws -> Int64 {
    let application = try connection.integer("PRAGMA application_id")
    let format = try connection.integer("PRAGMA user_version")
    if application == 0, format == 0,
      try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
    {
      return 0
    }
    guard application == ServerTables.applicationID else {
      throw TransportError.notAServer(path)
    }
    guard format <= ServerTables.format else {
      throw TransportError.newerServer(path, format: format)
    }
    return format
  }

  /// Makes the tables, unless another process has made them in the meantime.
  private static func lay(out connection: Connection, _ makeName: () -> String) throws {
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    try connection.execute("BEGIN IMMEDIATE")
    do {
      if try connection.integer("PRAGMA user_version") == 0 {
        try connection.execute(ServerTables.definitions)
        try connection.run("INSERT INTO server VALUES (?, 1)", [.text(makeName())])
        try connection.execute(
          """
          PRAGMA application_id = \(ServerTables.applicationID);
          PRAGMA user_version = \(ServerTables.format)
          """)
      }
      try connection.execute("COMMIT")
    } catch {
      if connection.isInTransaction { try connection.execute("ROLLBACK") }
      throw error
    }
  }
}
