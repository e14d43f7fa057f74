import Foundation
import StrandlineTestSupport

extension TemporaryFolder {
  /// Takes a file or folder away, if it is there.
  func remove(_ name: String) throws {
    if FileManager.default.fileExists(atPath: path(name)) {
      try FileManager.default.removeItem(atPath: path(name))
    }
  }

  /// Copies a file or folder, in the place of what is there.
  func copy(_ name: String, to copy: String) throws {
    try remove(copy)
    try FileManager.default.copyItem(atPath: path(name), toPath: path(copy))
  }

  /// Copies a store that nobody has open, with the token beside it or without.
  func copyStore(_ name: String, to copy: String, withToken: Bool) throws {
    for suffix in ["", "-wal", "-shm"] + (withToken ? ["-install"] : []) {
      try remove(copy + suffix)
      if FileManager.default.fileExists(atPath: path(name + suffix)) {
        try self.copy(name + suffix, to: copy + suffix)
      }
    }
  }
}
