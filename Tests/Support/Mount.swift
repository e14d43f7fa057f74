import Foundation

/// A file system that a test mounts, where it may.
///
/// It is named by its end: what goes out of sight stays mounted until ``end()``.
package struct Mount: Sendable {
  private let place: TemporaryFolder
  package var folder: String { place.path("mount") }

  /// Whether this process may mount at all: it is the machine's root and no container forbids it.
  package static let isPossible: Bool = {
    guard geteuid() == 0, let place = try? TemporaryFolder() else { return false }
    guard mountPath("tmpfs", place.url.path, "tmpfs", 0, "size=64k") == 0 else { return false }
    umountPath(place.url.path)
    return true
  }()

  /// Whether this process may also mount a file system that ignores case.
  package static let isIgnoringCasePossible: Bool =
    isPossible && [ntfs, makeNTFS].allSatisfy(FileManager.default.isExecutableFile)
    && FileManager.default.fileExists(atPath: "/dev/fuse")

  private static let ntfs = "/usr/bin/lowntfs-3g"
  private static let makeNTFS = "/usr/sbin/mkntfs"

  /// A disk of some size.
  package static func disk(kibibytes: Int) async throws -> Mount {
    let mount = try Mount()
    try mount.check(mountPath("tmpfs", mount.folder, "tmpfs", 0, "size=\(kibibytes)k"))
    return mount
  }

  /// A folder as it looks on a medium that cannot be written.
  package static func readOnly(of path: String) async throws -> Mount {
    let mount = try await bound(to: path)
    try mount.setReadOnly()
    return mount
  }

  /// The same, for a test's own folder.
  package static func readOnly(_ folder: TemporaryFolder) async throws -> Mount {
    try await readOnly(of: folder.url.path)
  }

  /// A folder that is seen in a second place.
  package static func bound(to path: String) async throws -> Mount {
    let mount = try Mount()
    try mount.check(mountPath(path, mount.folder, "none", bind, nil))
    return mount
  }

  /// A stick whose file system takes two names for one if only the case of letters differs.
  package static func ignoringCase() async throws -> Mount {
    let mount = try Mount()
    let image = mount.place.path("image")
    _ = FileManager.default.createFile(atPath: image, contents: nil)
    try mount.check(truncate(image, 16 << 20))
    try await mount.run(makeNTFS, ["-F", "-q", "-Q", image])
    try await mount.run(ntfs, ["-o", "ignore_case", image, mount.folder])
    return mount
  }

  private init() throws {
    place = try TemporaryFolder()
    try place.makeFolder("mount")
  }

  /// From now on nothing can be written to it.
  package func setReadOnly() throws {
    try check(mountPath("none", folder, "none", Self.bind | Self.remount | Self.readOnlyFlag, nil))
  }

  /// From now on a disk has another size.
  package func grow(kibibytes: Int) throws {
    try check(mountPath("tmpfs", folder, "tmpfs", Self.remount, "size=\(kibibytes)k"))
  }

  /// What was set read-only can be written again.
  package func setWritable() throws {
    try check(mountPath("none", folder, "none", Self.bind | Self.remount, nil))
  }

  /// Ends it; connections that are about to close may keep it a moment longer, which is no matter
  /// to the test.
  package func end() async throws {
    umountPath(folder)
  }

  private func run(_ program: String, _ arguments: [String]) async throws {
    let outcome = try await ChildProcess(
      folder: place, executable: program, arguments: arguments
    ).run()
    guard outcome.code == 0 else { throw POSIXError(.EIO) }
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
