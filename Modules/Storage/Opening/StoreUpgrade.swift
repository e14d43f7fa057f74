import StrandlineModels

/// Everything that may be done to a store as it is opened, inside one transaction: its own tables
/// are made or brought to the present format, the records' tables to the present model, and the
/// records to its version.
struct StoreUpgrade {
  let path: String
  let connection: Connection
  let schema: Schema
  let options: StoreOptions
  let process: Int64

  private var frame: TransactionFrame {
    TransactionFrame(connection: connection, wall: options.clock, process: process)
  }

  /// Makes or upgrades everything.
  ///
  /// - Parameter checkFormat: Throws for a format that is too new.
  /// - Returns: The layouts of the present model.
  /// - Throws: Errors of the store, `nameTaken`, `dataMigrationFailed`.
  func run(_ checkFormat: (Int64) throws -> Void) throws -> Catalog {
    guard try connection.integer("PRAGMA application_id") == SystemTables.applicationID else {
      return try create()
    }
    let format = try connection.integer("PRAGMA user_version")
    try checkFormat(format)
    guard let stored = try StoredModel(connection) else {
      throw StorePreparation.withoutModel(path)
    }
    try upgrade(from: format)
    let start = try frame.start()
    let catalog = try Catalog.make(for: schema, on: connection)
    // The same model is gone through too, for the triggers of an earlier format.
    try Migration(connection: connection, previous: stored.schema, catalog: catalog).run()
    _ = try frame.record(from: start, TransactionAuthor(context: "migration"))
    try migrateRecords(from: stored.dataVersion, catalog)
    try store(dataVersion: max(stored.dataVersion, schema.version))
    try recordEvent(from: format, version: stored.schema.version)
    return catalog
  }

  private func create() throws -> Catalog {
    try makeSystemTables()
    let catalog = try Catalog.make(for: schema, on: connection)
    try Migration(connection: connection, previous: nil, catalog: catalog).run()
    try store(dataVersion: schema.version)
    return catalog
  }

  /// Brings Strandline's own tables from an earlier format to the present one.
  private func upgrade(from present: Int64) throws {
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

  private func store(dataVersion: Int) throws {
    let values: [(String, Value)] = [
      ("schema", .text(schema.modelFile.text)), ("data_version", .integer(Int64(dataVersion))),
    ]
    for (key, value) in values {
      try connection.run(
        "INSERT INTO strandline_meta(key, value) VALUES (?, ?) "
          + "ON CONFLICT DO UPDATE SET value = excluded.value", [.text(key), value])
    }
  }

  private func makeSystemTables() throws {
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

  /// An upgrade stands in the event log like all that happens beside the phases of syncing.
  private func recordEvent(from format: Int64, version: Int) throws {
    let log = ReadTransaction(connection: connection, catalog: Catalog(schema: schema, layouts: []))
    var parts: [String] = []
    if format != SystemTables.format {
      parts.append("format \(format) to \(SystemTables.format)")
    }
    parts.append(
      version == schema.version
        ? "model of version \(version)" : "model of version \(version) to \(schema.version)")
    try log.recordEvent(
      .migration, process: process, at: options.clock.milliseconds,
      detail: parts.joined(separator: ", "))
  }

  // MARK: Records

  private func migrateRecords(from version: Int, _ catalog: Catalog) throws {
    let steps = options.dataMigrations.filter {
      version < $0.version && $0.version <= schema.version
    }
    guard !steps.isEmpty else { return }
    // Delete rules hold for these edits as for all others.
    connection.setForeignKeys(true)
    for step in steps.sorted(by: { $0.version < $1.version }) {
      let start = try frame.start()
      let clock = TransactionClock(
        connection: connection, wall: options.clock, hybrid: start.clock, head: start.head)
      do {
        try step.body(WriteTransaction(connection: connection, catalog: catalog, clock: clock))
      } catch {
        throw failure(of: step, error)
      }
      try clock.end()
      _ = try frame.record(
        from: start, TransactionAuthor(context: "data migration \(step.version)"))
    }
  }

  private func failure(of step: DataMigration, _ error: any Error) -> any Error {
    let explained = error as? any ExplainedError
    let reason = explained?.message ?? "\(error)"
    return StorageError(
      .dataMigrationFailed,
      "Could not bring the records to version \(step.version) of the model. \(reason)",
      advice: "The store was left as it was. Correct the step, or open the store with the model "
        + "that it has.",
      context: explained?.context ?? [:], cause: error)
  }
}
