import Foundation
import StrandlineTestSupport

/// A file system that a test mounts, where it may.
///
/// It is named by its end: what goes out of sight stays mounted until ``end()``.
struct Mount {
  private let place: TemporaryFolder
  var folder: String { place.path("mount") }

  /// Whether this process may mount at all: it is the machine's root and no container forbids it.
  static let isPossible: Bool = {
    guard geteuid() == 0, let place = try? TemporaryFolder() else { return false }
    guard mountPath("tmpfs", place.url.path, "tmpfs", 0, "size=64k") == 0 else { return false }
    umountPath(place.url.path)
    return true
  }()

  /// A disk of some size.
  static func disk(kibibytes: Int) async throws -> Mount {
    let mount = try Mount()
    try mount.check(mountPath("tmpfs", mount.folder, "tmpfs", 0, "size=\(kibibytes)k"))
    return mount
  }

  /// A folder as it looks on a medium that cannot be written.
  static func readOnly(of path: String) async throws -> Mount {
    let mount = try Mount()
    try mount.check(mountPath(path, mount.folder, "none", bind, nil))
    try mount.check(mountPath("none", mount.folder, "none", bind | remount | readOnlyFlag, nil))
    return mount
  }

  static func readOnly(_ folder: TemporaryFolder) async throws -> Mount {
    try await readOnly(of: folder.url.path)
  }

  private init() throws {
    place = try TemporaryFolder()
    try place.makeFolder("mount")
  }

  /// Ends it; connections that are about to close may keep it a moment longer, which is no matter
  /// to the test.
  func end() async throws {
    umountPath(folder)
  }

  private func check(_ result: Int32) throws {
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  private static let readOnlyFlag: UInt = 1
  private static let remount: UInt = 32
  private static let bind: UInt = 4096
}

private func mountPath(
  _ source: String, _ target: String, _ kind: String, _ flags: UInt, _ options: String?
) -> Int32 {
  mount(source, target, kind, flags, options)
}

private func umountPath(_ path: String) {
  // Lazily: what is still open there does not keep the name.
  umount2(path, 2)
}
