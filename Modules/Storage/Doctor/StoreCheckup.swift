import StrandlineModels

/// Looks a store over: the database, the records and their stamps, history, and the files.
///
/// It only reads, on one snapshot, and takes as long as reading everything takes.
package struct StoreCheckup {
  let transaction: ReadTransaction
  let path: String

  package init(_ transaction: ReadTransaction, path: String) {
    self.transaction = transaction
    self.path = path
  }

  var connection: Connection { transaction.connection }
  var catalog: Catalog { transaction.catalog }

  /// Everything that can be looked at.
  package func run() throws -> [CheckupFinding] {
    let integrity = try checkIntegrity()
    // What SQLite cannot read is not asked about any further.
    guard integrity.level == .ok else { return [integrity] + fileFindings() }
    return [integrity, try checkFormat()] + (try invariantFindings())
      + [try checkTriggers()] + (try listFindings())
      + fileFindings()
  }

  private func listFindings() throws -> [CheckupFinding] {
    [try checkOwnObjects(), try checkKeptValues(), try checkOrphans(), try checkConflicts()]
  }

  // MARK: The database

  private func checkIntegrity() throws -> CheckupFinding {
    let found: [String]
    do {
      found = try connection.map("PRAGMA integrity_check(20)") { $0.text(0) }
    } catch let error as StorageError where error.code == .damaged {
      found = [error.message]
    }
    guard found != ["ok"] else { return .ok("integrity", "SQLite finds the database whole.") }
    return CheckupFinding(
      "integrity", .problem,
      "SQLite finds the database damaged: \(found.prefix(3).joined(separator: "; ")).",
      cure: "Keep a copy of the file and its '-wal'. Restore a backup, or sync into a new store.")
  }

  private func checkFormat() throws -> CheckupFinding {
    let application = try connection.integer("PRAGMA application_id")
    let format = try connection.integer("PRAGMA user_version")
    let mode = try connection.first("PRAGMA journal_mode") { $0.text(0) }
    guard application == SystemTables.applicationID, format == SystemTables.format else {
      return CheckupFinding(
        "format", .problem,
        "The file's numbers are \(application) and \(format), and not those of a store of format "
          + "\(SystemTables.format).",
        cure: "Another program changed them; set application_id to \(SystemTables.applicationID) "
          + "and user_version to \(SystemTables.format) again.")
    }
    guard mode == "wal" else {
      return CheckupFinding(
        "format", .warning, "The store keeps no write-ahead log, so that readers block writers.",
        cure: "Open it again for writing while no other program has it open.")
    }
    let count = Int64(catalog.layouts.count)
    return .ok(
      "format",
      "The store has format \(format) and version \(catalog.schema.version) of a model of "
        + "\(CheckupFinding.count(count, "entity", "entities")).")
  }

  private func checkTriggers() throws -> CheckupFinding {
    let faults = try TriggerCheck(connection: connection, catalog: catalog).faults()
    guard !faults.isEmpty else { return .ok("triggers", "All changes of records are recorded.") }
    let missing = faults.filter(\.isMissing).count
    let entities = Set(faults.map(\.entity)).sorted().joined(separator: ", ")
    return CheckupFinding(
      "triggers", .problem,
      "Changes of \(entities) are not all recorded: \(missing) triggers are missing and "
        + "\(faults.count - missing) altered.",
      cure: "Close the store and open it again for writing, which makes them anew. What was "
        + "written meanwhile is not in history; save those records again.")
  }
}

extension Store {
  /// Looks the store over and tells what it saw, problems or not; nothing is changed.
  ///
  /// It reads everything once, on a snapshot, and so takes a while for a large store.
  public func checkup() async throws -> [CheckupFinding] {
    let path = path
    // SQLite may not be able to read a file that has lost its name.
    if let gone = StoreCheckup.findGone(path) { return [gone] }
    return try await read { try StoreCheckup($0, path: path).run() }
  }
}
