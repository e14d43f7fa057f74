import Foundation
import StrandlineModels
import Synchronization

/// The folders of tours that are being played, for a process that is told to end.
private let present = Mutex<Set<URL>>([])

/// Where the devices of a tour keep their stores, for as long as the tour is played.
final class TourFolder: Sendable {
  let url: URL

  init() throws(CommandError) {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("strandline-tour-\(UUID().uuidString.lowercased())")
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandError(
        "cannotBegin", "Could not make the folder '\(url.path)' for the tour.",
        advice: "Free some space, or name another folder in TMPDIR.", exitCode: .failed,
        cause: error)
    }
    let url = url
    present.withLock { _ = $0.insert(url) }
  }

  deinit { remove() }

  /// Removes the folder, when its stores are closed.
  ///
  /// - Returns: Whether it is gone.
  @discardableResult
  func remove() -> Bool {
    let isKnown = present.withLock { $0.remove(url) != nil }
    return !isKnown || Self.remove(url)
  }

  /// Removes the folders of all tours, right before the process ends by a signal.
  static func removeAll() {
    let all = present.withLock { folders in
      defer { folders = [] }
      return folders
    }
    for url in all { _ = remove(url) }
  }

  private static func remove(_ url: URL) -> Bool {
    do {
      try FileManager.default.removeItem(at: url)
      return true
    } catch {
      return !FileManager.default.fileExists(atPath: url.path)
    }
  }
}
