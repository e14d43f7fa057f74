import Foundation
import StrandlineModels

/// Makes a store under another name and gives it its own when it is complete.
///
/// Whatever fails or is killed on the way, the path holds a whole store or nothing. Where another
/// process makes one there meanwhile, that one is opened.
struct StoreCreation {
  let preparation: StorePreparation

  private var path: String { preparation.path }

  func run() throws -> StorePreparation.Prepared {
    let own = URL(fileURLWithPath: path)
    let folder = own.deletingLastPathComponent()
    let made = try makeFolder(folder)
    let prefix = ".\(own.lastPathComponent).new-"
    guard access(folder.path, W_OK) == 0 else {
      throw StorageError(
        .cannotOpen, "Could not make the store '\(path)', its folder cannot be written.",
        advice: "Name a place where you may write.")
    }
    removeLeftovers(in: folder, prefix)
    let draft = folder.path + "/" + prefix + "\(getpid())-\(UUID().uuidString.lowercased())"
    do {
      try write(draft)
      try name(draft)
    } catch {
      Self.remove(draft)
      // Only a folder that is still empty goes, and only one that this made.
      for folder in made.reversed() { rmdir(folder) }
      throw error
    }
    return try preparation.run()
  }

  private func write(_ draft: String) throws {
    let connection = try Connection(path: draft, readOnly: false, create: true)
    _ = try preparation.prepare(connection)
    try preparation.useLog(connection)
  }

  /// A link fails where the name is taken, which a renaming does not; some file systems have none.
  private func name(_ draft: String) throws {
    if link(draft, path) == 0 || errno == EEXIST {
      unlink(draft)
      return
    }
    var info = stat()
    if lstat(path, &info) == 0 {
      Self.remove(draft)
    } else if rename(draft, path) != 0 {
      throw StorageError(
        .cannotOpen, "Could not make '\(path)', \(String(cString: strerror(errno)).lowercased()).",
        advice: "Name a place where you may write.")
    }
  }

  /// Makes the folders that are missing, and tells which.
  private func makeFolder(_ folder: URL) throws -> [String] {
    var missing: [String] = []
    var place = folder
    while !FileManager.default.fileExists(atPath: place.path), place.path != "/" {
      missing.insert(place.path, at: 0)
      place = place.deletingLastPathComponent()
    }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      for made in missing.reversed() { rmdir(made) }
      throw StorageError(
        .cannotOpen, "Could not make the folder '\(folder.path)' for the store.",
        advice: "Name a place where you may write.", cause: error)
    }
    return missing
  }

  /// Removes what killed processes left: files of this name whose process is gone.
  private func removeLeftovers(in folder: URL, _ prefix: String) {
    // A folder that cannot be listed keeps them; they are in nobody's way.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      guard let process = pid_t(name.dropFirst(prefix.count).prefix { $0.isNumber }),
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      Self.remove(folder.path + "/" + name)
    }
  }

  private static func remove(_ draft: String) {
    for suffix in [""] + StoreFile.suffixes { unlink(draft + suffix) }
  }
}
