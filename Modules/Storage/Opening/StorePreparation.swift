import Foundation
import StrandlineModels

/// Makes a new store, or checks that a file is one and brings it to the present model.
///
/// A file that is no store, or one of a later format, is not changed in any way.
struct StorePreparation {
  let path: String
  let schema: Schema
  let options: StoreOptions

  func run() throws -> Catalog {
    let exists = FileManager.default.fileExists(atPath: path)
    if exists {
      try inspect()
    } else if !options.mayCreate || options.isReadOnly {
      throw StorageError(
        .storeNotFound, "Could not open the store '\(path)', there is no such file.",
        advice: "Check the path; a store that was moved is opened by its new one.")
    }
    if options.isReadOnly { return try readCatalog() }
    if !exists { try makeFolder() }
    let connection = try Connection(path: path, readOnly: false, create: !exists)
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    try connection.execute("BEGIN IMMEDIATE")
    do {
      let catalog = try prepare(connection)
      try connection.execute("COMMIT")
      return catalog
    } catch {
      if connection.isInTransaction { try connection.execute("ROLLBACK") }
      throw error
    }
  }

  private func makeFolder() throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw StorageError(
        .cannotOpen, "Could not make the folder '\(folder.path)' for the store.",
        advice: "Name a place where you may write.", cause: error)
    }
  }

  /// Reads the header before anything is written.
  private func inspect() throws {
    guard try beginsAsDatabase() else { return }
    // A connection makes files beside a database with a write-ahead log, unless it is told that
    // nobody changes it; that would hide what only the log holds.
    let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
    let connection =
      (log ?? 0) > 0
      ? try Connection(path: path, readOnly: true) : try Connection(untouchedPath: path)
    let application = try connection.integer("PRAGMA application_id")
    let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
    if application != SystemTables.applicationID {
      if tables == 0 && application == 0 && !options.isReadOnly { return }
      throw StorageError(
        .notAStore, "Could not open '\(path)', it is a database of another application.",
        advice: "Name another file; this one was left as it is.")
    }
    let format = try connection.integer("PRAGMA user_version")
    if format > SystemTables.format {
      throw StorageError(
        .newerFormat,
        "Could not open '\(path)', a later version of Strandline wrote it (format \(format)).",
        advice: "Update this program; the file was left as it is.")
    }
    if format < SystemTables.format && options.isReadOnly {
      throw StorageError(
        .olderFormat,
        "Could not open '\(path)' for reading only, an earlier version of Strandline wrote it "
          + "(format \(format)).",
        advice: "Open it once for writing, which brings it to the present format.")
    }
  }

  /// Whether the file is large enough to be a database; false where it is empty.
  ///
  /// SQLite itself takes a file of a few bytes for an empty one, and would write over it. The
  /// file is not opened here: closing any descriptor of it would end the locks of this process's
  /// own connections.
  private func beginsAsDatabase() throws -> Bool {
    var info = stat()
    guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG,
      access(path, R_OK) == 0
    else {
      throw StorageError(
        .cannotOpen, "Could not open '\(path)', the file cannot be read.",
        advice: "Check that it is a file and may be read.")
    }
    if info.st_size == 0 && !options.isReadOnly { return false }
    guard info.st_size >= Self.smallestDatabase else {
      throw StorageError(
        .notADatabase, "Could not open '\(path)', the file is not a database.",
        advice: "Name another file; this one was left as it is.")
    }
    return true
  }

  private static let smallestDatabase = 512

  private func prepare(_ connection: Connection) throws -> Catalog {
    if try connection.integer("PRAGMA application_id") != SystemTables.applicationID {
      try makeSystemTables(connection)
    }
    try upgradeFormat(connection)
    let stored = try connection.first(
      "SELECT value FROM strandline_meta WHERE key = 'schema'"
    ) { $0.text(0) }
    let previous = try stored.map { try Schema(parsing: $0) }
    let catalog = try Catalog.make(for: schema, on: connection)
    if previous != schema {
      try Migration(connection: connection, previous: previous, catalog: catalog).run()
      try connection.run(
        "INSERT INTO strandline_meta(key, value) VALUES ('schema', ?) "
          + "ON CONFLICT DO UPDATE SET value = excluded.value",
        [.text(schema.modelFile.text)])
    }
    return catalog
  }

  /// Brings Strandline's own tables from an earlier format to the present one.
  private func upgradeFormat(_ connection: Connection) throws {
    let present = try connection.integer("PRAGMA user_version")
    guard present < SystemTables.format else { return }
    for format in present..<SystemTables.format {
      guard let upgrade = SystemTables.upgrades[format] else {
        throw StorageError(
          .damaged, "Could not open '\(path)', it says to be of the unknown format \(format).",
          advice: "Restore the file from a backup, or sync into a new store.")
      }
      try connection.execute(upgrade)
    }
    try connection.execute("PRAGMA user_version = \(SystemTables.format)")
  }

  private func makeSystemTables(_ connection: Connection) throws {
    try connection.execute(SystemTables.definitions)
    try connection.run(
      "INSERT INTO strandline_clock(one, seen, salt) VALUES (1, 0, ?)",
      [.integer(Int64.random(in: 0..<0x4000))])
    try connection.run("INSERT INTO strandline_switch(one) VALUES (1)")
    var random = SystemRandomNumberGenerator()
    let identity: [(String, String)] = [
      ("store", RecordID().description), ("device", DeviceID.random(using: &random).description),
    ]
    for (key, value) in identity {
      try connection.run(
        "INSERT INTO strandline_meta(key, value) VALUES (?, ?)", [.text(key), .text(value)])
    }
    try connection.execute(
      "PRAGMA application_id = \(SystemTables.applicationID); "
        + "PRAGMA user_version = \(SystemTables.format)")
  }

  /// A store that cannot be written shows the model that it was written with.
  private func readCatalog() throws -> Catalog {
    let connection = try Connection(path: path, readOnly: true)
    let stored = try connection.first(
      "SELECT value FROM strandline_meta WHERE key = 'schema'"
    ) { $0.text(0) }
    let present = try stored.map { try Schema(parsing: $0) } ?? schema
    return try Catalog.read(for: present, on: connection)
  }
}
