import Foundation
import StrandlineModels

/// The space that is free on the disk where a store is.
package struct FreeSpace: Sendable {
  /// How many bytes are free for this process.
  package let bytes: Int64

  /// Looks at the disk that holds a file or folder; nil where that cannot be told.
  package init?(at path: String) {
    var info = statvfs()
    guard statvfs(path, &info) == 0 else { return nil }
    bytes = Int64(clamping: UInt64(info.f_bavail) &* UInt64(info.f_frsize))
  }

  /// Whether not even a small save has room.
  package var isNone: Bool { bytes < Self.smallSave }

  /// What a save of one record takes in the log of a store, with room for the log's own pages.
  private static let smallSave: Int64 = 64 << 10

  /// The bytes as people read them.
  package var text: String { Self.text(bytes) }

  static func text(_ bytes: Int64) -> String {
    switch bytes {
    case ..<1024: "\(bytes) bytes"
    case ..<1_048_576: "\(bytes / 1024) KiB"
    default: "\(bytes / 1_048_576) MiB"
    }
  }
}

extension Store {
  /// The free space on the store's disk; nil where that cannot be told.
  package var freeSpace: FreeSpace? { FreeSpace(at: path) }

  /// That something could not be done since the store's disk is full, named by the store.
  package func fullDisk(doing verb: String, _ cause: StorageError) -> StorageError {
    let free = freeSpace.map { " (\($0.text) free)" } ?? ""
    return StorageError(
      .diskFull, "Could not \(verb), the disk that holds '\(path)' is full\(free).",
      advice: "Free some space; syncing goes on by itself, and what was saved stays saved.",
      context: cause.context, cause: cause)
  }
}
