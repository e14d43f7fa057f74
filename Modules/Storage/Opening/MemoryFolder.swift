import Foundation

/// The folder of a store that is kept in memory.
///
/// SQLite's own memory databases let readers block the writer, so such a store is an ordinary
/// file with a write-ahead log in a folder that is backed by memory where the system has one.
final class MemoryFolder: Sendable {
  private let url: URL
  var storePath: String { url.appendingPathComponent("store.sqlite").path }

  init() throws {
    let shared = "/dev/shm"
    let base =
      FileManager.default.isWritableFile(atPath: shared)
      ? URL(fileURLWithPath: shared) : FileManager.default.temporaryDirectory
    url = base.appendingPathComponent("strandline-\(UUID().uuidString.lowercased())")
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StorageError(
        .cannotOpen, "Could not make a folder for a store in memory in '\(base.path)'.",
        advice: "Free some space there.", cause: error)
    }
  }

  deinit {
    // What cannot be removed goes when the machine starts again.
    _ = try? FileManager.default.removeItem(at: url)
  }
}
