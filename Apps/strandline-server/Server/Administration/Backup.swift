import Foundation
import StrandlineAuthority
import StrandlineModels
import StrandlineStorage
import StrandlineTransport

/// Copies a server's data to one file while the server runs.
struct Backup {
  /// What a finished backup holds.
  struct Summary: Sendable {
    let path: String
    let zones: Int
    let bytes: Int
  }

  /// Makes a backup, or leaves nothing.
  ///
  /// The copy is written under another name and gets its own when it is whole and on the disk.
  /// Fences wait for what it holds, so that what it lacks can still be told from what died.
  ///
  /// - Throws: `fileExists` for a path where something is.
  static func make(
    of storage: SQLiteServerStorage, to path: String,
    with authority: inout Authority<SQLiteServerStorage>
  ) throws -> Summary {
    try refuseExisting(path)
    let partial = path + ".partial-\(UUID().uuidString.lowercased())"
    let begun = try authority.beginBackup()
    do {
      try storage.copy(to: partial)
      let heads = try heads(in: partial)
      try publish(partial, as: path)
      try authority.noteBackup(holding: heads)
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      return Summary(path: path, zones: heads.count, bytes: size ?? 0)
    } catch {
      unlink(partial)
      try authority.giveUpBackup(begun)
      throw error
    }
  }

  private static func refuseExisting(_ path: String) throws(CommandFailure) {
    var info = stat()
    guard lstat(path, &info) == 0 else { return }
    throw exists(path)
  }

  private static func exists(_ path: String) -> CommandFailure {
    CommandFailure(
      "fileExists", "Could not write the backup '\(path)', something is there.",
      advice: "Name another file; a backup never replaces one.")
  }

  /// The head of each zone, read from the copy itself.
  private static func heads(in path: String) throws -> [ZoneID: Int64] {
    let copy = try ServerFile.openCopy(path)
    let pairs = try copy.map("SELECT id, head FROM zone") {
      (ZoneID(rawValue: $0.text(0)), $0.integer(1))
    }
    return Dictionary(pairs, uniquingKeysWith: max)
  }

  /// Syncs a file to the disk and gives it its name, which must be free.
  private static func publish(_ partial: String, as path: String) throws {
    try DiskSync.file(partial)
    // A link fails where the name is taken, and a rename would replace what is there.
    guard link(partial, path) == 0 else {
      if errno == EEXIST { throw exists(path) }
      throw CommandFailure(
        "cannotWrite",
        "Could not write the backup '\(path)', \(String(cString: strerror(errno)).lowercased()).",
        advice: "Check the folder and its rights.")
    }
    unlink(partial)
    try DiskSync.folder(of: path)
  }
}

extension SQLiteServerStorage {
  /// Copies what is committed to a new file, while others read and write.
  func copy(to path: String) throws(TransportError) {
    do {
      // A connection of its own: a copy takes long, and waits for nobody.
      let reader = try Connection(path: self.path, readOnly: true)
      try reader.run("VACUUM INTO ?", [.text(path)])
    } catch {
      throw .storage(error, at: path)
    }
    chmod(path, 0o600)
  }
}

/// Makes files and names survive a power cut.
enum DiskSync {
  static func file(_ path: String) throws(CommandFailure) {
    try sync(path, O_RDONLY)
  }

  static func folder(of path: String) throws(CommandFailure) {
    try sync(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
  }

  private static func sync(_ path: String, _ mode: Int32) throws(CommandFailure) {
    let descriptor = open(path, mode | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    guard descriptor >= 0, fsync(descriptor) == 0 else {
      throw CommandFailure(
        "cannotWrite",
        "Could not sync '\(path)', \(String(cString: strerror(errno)).lowercased()).",
        advice: "Check the disk and try again.")
    }
  }
}
