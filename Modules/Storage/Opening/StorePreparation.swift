import Foundation
import StrandlineModels

/// Makes a new store, or checks that a file is one and brings it to the present model.
///
/// A file that is no store, or one of a later format, is not changed in any way, and a failure
/// leaves everything as it was: all changes are one transaction, and a new store takes its name
/// only when it is complete.
struct StorePreparation {
  let path: String
  let schema: Schema
  let options: StoreOptions
  /// A random number that is this opening's alone.
  let process: Int64

  /// What a store is opened with.
  struct Prepared {
    let catalog: Catalog
    /// The connection that prepared it; nil for a store that is open for reading only.
    var connection: Connection?
  }

  func run() throws -> Prepared {
    let file = try StoreFile(at: path)
    if try holdsStore(file) {
      return options.isReadOnly
        ? Prepared(catalog: try readCatalog()) : try open(keepingLog: file.hasLog)
    }
    guard options.mayCreate && !options.isReadOnly else { throw Self.notFound(file) }
    if !options.mayStandBesideOthers, let other = NeighbourStore.find(beside: path) {
      throw other.error(for: path)
    }
    if file.state == .missing { return try StoreCreation(preparation: self).run() }
    return try open(keepingLog: file.hasLog)
  }

  /// Whether a store stands at the path, rather than nothing or a database that holds nothing.
  private func holdsStore(_ file: StoreFile) throws -> Bool {
    guard file.state == .present else {
      if file.hasLog { throw Self.withoutFile(file) }
      return false
    }
    let header = try StoreHeader(of: file)
    if !header.isStore {
      if header.isBlank { return false }
      throw StorageError(
        .notAStore, "Could not open '\(path)', it is a database of another application.",
        advice: "Name another file; this one was left as it is.")
    }
    try checkFormat(header.format)
    return true
  }

  private func checkFormat(_ format: Int64) throws(StorageError) {
    if format < SystemTables.format && options.isReadOnly {
      throw StorageError(
        .olderFormat,
        "Could not open '\(path)' for reading only, an earlier version of Strandline wrote it "
          + "(format \(format)).",
        advice: "Open it once for writing, which brings it to the present format.")
    }
    guard format > SystemTables.format else { return }
    throw StorageError(
      .newerFormat,
      "Could not open '\(path)', a later version of Strandline wrote it (format \(format)).",
      advice: "Update this program; the file was left as it is.")
  }

  private static func notFound(_ file: StoreFile) -> StorageError {
    let reason = file.state == .missing ? "there is no such file" : "the file is empty"
    return StorageError(
      .storeNotFound, "Could not open the store '\(file.path)', \(reason).",
      advice: "Check the path; a store that was moved is opened by its new one.")
  }

  /// SQLite would take the log for a stranger's and remove it, with all that it alone holds.
  private static func withoutFile(_ file: StoreFile) -> StorageError {
    StorageError(
      .damaged,
      "Could not open the store '\(file.path)', its file is gone or empty and its log is not.",
      advice: "Put the file back beside '\(file.path)-wal'. To begin a new store, move the log "
        + "away first.")
  }

  // MARK: A store that is there

  private func open(keepingLog hasLog: Bool) throws -> Prepared {
    let connection = try Connection(path: path, readOnly: false)
    try requireWritable(connection)
    // Until all is well, what a killed process left in the log stays where it is.
    if hasLog { connection.keepLog(true) }
    let catalog = try prepare(connection)
    try useLog(connection)
    connection.keepLog(false)
    return Prepared(catalog: catalog, connection: connection)
  }

  /// SQLite opens what it may not write for reading, and fails later in other words.
  private func requireWritable(_ connection: Connection) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard connection.isReadOnly || access(folder, W_OK) != 0 else { return }
    let what = connection.isReadOnly ? "the file" : "the folder '\(folder)'"
    throw StorageError(
      .readOnly, "Could not open '\(path)' for writing, \(what) cannot be written.",
      advice: "Open it for reading only, or change who may write there.")
  }

  /// Brings a database to the present format and model, in one transaction.
  func prepare(_ connection: Connection) throws -> Catalog {
    try connection.execute("PRAGMA synchronous = FULL")
    connection.setForeignKeys(false)
    if let catalog = try unchangedCatalog(connection) { return catalog }
    try connection.execute("BEGIN IMMEDIATE")
    do {
      let catalog = try StoreUpgrade(
        path: path, connection: connection, schema: schema, options: options, process: process
      ).run { try checkFormat($0) }
      try connection.execute("COMMIT")
      return catalog
    } catch {
      // Nothing can be done about a rollback that fails: closing the connection rolls back too.
      if connection.isInTransaction { _ = try? connection.execute("ROLLBACK") }
      throw error
    }
  }

  /// The catalog of a store for which nothing is to be done, read without waiting for a writer.
  private func unchangedCatalog(_ connection: Connection) throws -> Catalog? {
    try connection.execute("BEGIN")
    defer {
      // A read transaction that cannot be ended ends with its connection.
      _ = try? connection.execute("ROLLBACK")
    }
    guard try connection.integer("PRAGMA application_id") == SystemTables.applicationID,
      try connection.integer("PRAGMA user_version") == SystemTables.format,
      try StoredModel(connection)?.isPresent(for: schema) == true
    else { return nil }
    let catalog = try Catalog.read(for: schema, on: connection)
    return try TriggerCheck(connection: connection, catalog: catalog).faults().isEmpty
      ? catalog : nil
  }

  /// Turns the write-ahead log on; it stays on for good.
  func useLog(_ connection: Connection) throws {
    let mode = try connection.first("PRAGMA journal_mode = WAL") { $0.text(0) }
    guard mode == "wal" else {
      throw StorageError(
        .cannotOpen, "Could not open '\(path)', no write-ahead log can be kept there.",
        advice: "Put the store on a local disk.")
    }
  }

  /// A store that cannot be written shows the model that it was written with.
  private func readCatalog() throws -> Catalog {
    try ReadSource(path: path, isReadOnly: true).read { connection in
      guard let stored = try StoredModel(connection) else { throw Self.withoutModel(path) }
      return try Catalog.read(for: stored.schema, on: connection)
    }
  }

  static func withoutModel(_ path: String) -> StorageError {
    StorageError(
      .damaged, "Could not open '\(path)', the model that it was written with is missing.",
      advice: "Restore the file from a backup, or sync into a new store.")
  }
}

/// The model with which a store was last opened for writing.
struct StoredModel {
  let schema: Schema
  /// The version of the model that the records were last brought to.
  let dataVersion: Int

  /// Reads it; nil where none was stored yet.
  init?(_ connection: Connection) throws {
    let values = try connection.map(
      "SELECT key, value FROM strandline_meta WHERE key IN ('schema', 'data_version')"
    ) { ($0.text(0), $0.value(1)) }
    let found = Dictionary(values) { first, _ in first }
    guard let text = found["schema"]?.text else { return nil }
    schema = try Schema(parsing: text)
    dataVersion = found["data_version"]?.integer.map { Int($0) } ?? schema.version
  }

  /// Whether a store with this model needs nothing done for another.
  func isPresent(for other: Schema) -> Bool {
    schema == other && dataVersion >= other.version
  }
}
