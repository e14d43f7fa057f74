import Foundation
import StrandlineAuthority
import StrandlineModels
import StrandlineStorage
import StrandlineTransport

/// Puts a backup in the place of a server's data.
struct Restore {
  /// What was done.
  struct Summary: Sendable {
    let zones: Int
    let incarnation: Int64
    /// The folder that the replaced data was moved to; nil where there was none.
    let keptIn: String?
    /// How many tokens that had been revoked since the backup stay revoked.
    let revokedTokens: Int
  }

  let folder: String
  let clock: WallClock

  /// Restores a file, or leaves everything as it was.
  ///
  /// The backup is copied beside the present data, checked and prepared there: all zones begin a
  /// new incarnation, so that devices compare everything instead of trusting numbers that may
  /// come again. Tokens that are revoked now stay so. Only then the files change places.
  ///
  /// - Throws: `serverRuns` while a server has the folder, what is wrong with the backup.
  func restore(from path: String) throws -> Summary {
    try checkBackup(path)
    try FolderLock.makeFolder(folder)
    let lock = try FolderLock.takeWhole(of: folder)
    defer { withExtendedLifetime(lock) {} }
    let workFolder = URL(fileURLWithPath: folder)
      .appendingPathComponent("restoring-\(UUID().uuidString.lowercased())").path
    defer { remove(workFolder) }
    try FolderLock.makeFolder(workFolder)
    try copy(path, into: workFolder)
    let prepared = try prepare(workFolder)
    let kept = try keepPresent()
    let target = ServerFile.path(in: folder)
    guard rename(ServerFile.path(in: workFolder), target) == 0 else {
      throw failed("put the backup in its place")
    }
    try DiskSync.folder(of: target)
    return Summary(
      zones: prepared.zones, incarnation: prepared.incarnation, keptIn: kept,
      revokedTokens: prepared.revoked)
  }

  private func checkBackup(_ path: String) throws {
    do {
      let copy = try ServerFile.openCopy(path)
      let result = try copy.first("PRAGMA quick_check(1)", []) { $0.text(0) }
      guard result == "ok" else { throw TransportError.damagedServer(result ?? "it is empty") }
    } catch {
      throw TransportError.storage(error, at: path)
    }
  }

  private func copy(_ path: String, into workFolder: String) throws {
    do {
      let reader = try Connection(path: path, readOnly: true)
      try reader.run("VACUUM INTO ?", [.text(ServerFile.path(in: workFolder))])
    } catch {
      throw TransportError.storage(error, at: path)
    }
    chmod(ServerFile.path(in: workFolder), 0o600)
  }

  /// Announces the restore in the copy, which ends as one file without a log.
  private func prepare(
    _ workFolder: String
  ) throws -> (zones: Int, incarnation: Int64, revoked: Int) {
    var storage = try SQLiteServerStorage(
      folder: workFolder, create: false, ownsCheckpoints: true)
    let present = presentState()
    // A number of an incarnation is never used twice, also where one backup is put back again.
    let least = max(present.incarnation, try storage.identity().incarnation) + 1
    var count = 0
    try storage.transaction { (storage) throws(TransportError) in
      while try storage.identity().incarnation < least { try storage.raiseIncarnation() }
      for var zone in try storage.zones() {
        zone.incarnation = max(zone.incarnation, present.zones[zone.id] ?? 0)
        try storage.save(zone)
      }
      for var token in try storage.tokens(of: nil) where token.revokedAt == nil {
        guard let time = present.revoked[token.hash] else { continue }
        token.revokedAt = time
        try storage.save(token)
        count += 1
      }
    }
    var authority = Authority(
      storage: storage, advice: .server, clock: clock, random: SystemRandomNumberGenerator())
    try authority.announceRestore()
    let zones = try storage.zones()
    try storage.becomeOneFile()
    try DiskSync.file(storage.path)
    return (zones.count, try storage.identity().incarnation, count)
  }

  /// What counts on of the data that is replaced.
  private struct PresentState {
    var incarnation: Int64 = 0
    var zones: [ZoneID: Int64] = [:]
    var revoked: [[UInt8]: Int64] = [:]
  }

  /// Reads the data that is replaced, as far as it can be read.
  private func presentState() -> PresentState {
    var state = PresentState()
    guard FileManager.default.fileExists(atPath: ServerFile.path(in: folder)) else {
      return state
    }
    do {
      let present = try SQLiteServerStorage(
        folder: folder, create: false, ownsCheckpoints: true)
      state.incarnation = try present.identity().incarnation
      for zone in try present.zones() { state.zones[zone.id] = zone.incarnation }
      for token in try present.tokens(of: nil) { state.revoked[token.hash] = token.revokedAt }
    } catch {
      // Damaged data is what a restore is for; what could be read of it counts.
    }
    return state
  }

  /// Moves the present files into a folder of their own.
  private func keepPresent() throws -> String? {
    let present = ServerFile.path(in: folder)
    guard FileManager.default.fileExists(atPath: present) else { return nil }
    let time = Timestamp.text(clock.milliseconds).filter { $0.isNumber || $0 == "T" }
    var kept = URL(fileURLWithPath: folder).appendingPathComponent("replaced-\(time)").path
    if FileManager.default.fileExists(atPath: kept) {
      kept += "-\(UUID().uuidString.lowercased().prefix(8))"
    }
    try FolderLock.makeFolder(kept)
    for suffix in ["-wal", "-shm", ""] {
      let target = ServerFile.path(in: kept) + suffix
      if rename(present + suffix, target) != 0, errno != ENOENT {
        throw failed("keep the replaced data")
      }
    }
    try DiskSync.folder(of: present)
    return kept
  }

  private func failed(_ what: String) -> CommandFailure {
    CommandFailure(
      "cannotWrite",
      "Could not \(what), \(String(cString: strerror(errno)).lowercased()).",
      advice: "Check the data folder; what is there was kept.", exitCode: .data)
  }

  private func remove(_ workFolder: String) {
    do {
      try FileManager.default.removeItem(atPath: workFolder)
    } catch {
      // It is empty after a success; what cannot be removed harms nobody.
    }
  }
}

extension SQLiteServerStorage {
  /// Moves the log into the file and leaves none beside it.
  func becomeOneFile() throws(TransportError) {
    try access { connection in
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
      try connection.execute("PRAGMA journal_mode = WAL")
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }
}
