import Foundation
import StrandlineModels

/// A lock of the kernel on a file in the data folder; it ends with its process, however that ends.
///
/// There are two files. Whoever serves holds the first alone, which tells that a server runs.
/// Everybody who has the data open holds the second together, so that nobody puts other data in
/// its place meanwhile.
package final class FolderLock: Sendable {
  private let descriptor: Int32

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  private static let serverFile = "strandline-server.lock"
  private static let useFile = "strandline-server.use"

  /// Takes the right to serve a folder.
  ///
  /// - Throws: `serverRuns` naming the process that has it; `cannotOpen`.
  package static func takeServer(of folder: String) throws(CommandFailure) -> FolderLock {
    let path = place(serverFile, in: folder)
    let lock = try open(path)
    guard flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw CommandFailure(
        "serverRuns", "Could not serve '\(folder)', \(readHolder(lock.descriptor)) serves it.",
        advice: "End that server first, or name another folder with --data.", exitCode: .data)
    }
    ftruncate(lock.descriptor, 0)
    let text = "process \(getpid())"
    // Who serves is told for people; the lock itself does not depend on it.
    _ = text.withCString { pwrite(lock.descriptor, $0, strlen($0), 0) }
    return lock
  }

  /// Notes that the data is open, which any number of processes may do at once.
  package static func takeUse(of folder: String) throws(CommandFailure) -> FolderLock {
    let lock = try open(place(useFile, in: folder))
    guard flock(lock.descriptor, LOCK_SH | LOCK_NB) == 0 else {
      throw CommandFailure(
        "restoring", "Could not open the data in '\(folder)', it is just being restored.",
        advice: "Try again when that has finished.", exitCode: .data)
    }
    return lock
  }

  /// Takes the data for oneself, to put other data in its place.
  package static func takeWhole(of folder: String) throws(CommandFailure) -> FolderLock {
    if let holder = server(of: folder) {
      throw CommandFailure(
        "serverRuns", "Could not restore into '\(folder)', \(holder) serves it.",
        advice: "Stop the server, restore, and start it again.", exitCode: .data)
    }
    let lock = try open(place(useFile, in: folder))
    guard flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw CommandFailure(
        "inUse", "Could not restore into '\(folder)', another process has the data open.",
        advice: "Wait for the other command to finish and try again.", exitCode: .data)
    }
    return lock
  }

  /// Tells whether a process serves a folder now, and which.
  package static func server(of folder: String) -> String? {
    let descriptor = Foundation.open(place(serverFile, in: folder), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return nil }
    return readHolder(descriptor)
  }

  /// Makes a data folder that only this user can look into.
  package static func makeFolder(_ folder: String) throws(CommandFailure) {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure(
        "cannotOpen", "Could not make the data folder '\(folder)'.",
        advice: "Check the path and its rights.", exitCode: .data, cause: error)
    }
  }

  private static func place(_ name: String, in folder: String) -> String {
    URL(fileURLWithPath: folder).appendingPathComponent(name).path
  }

  private static func open(_ path: String) throws(CommandFailure) -> FolderLock {
    let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CommandFailure(
        "cannotOpen", "Could not open '\(path)', \(String(cString: strerror(errno)).lowercased()).",
        advice: "Check that the data folder exists and may be written.", exitCode: .data)
    }
    return FolderLock(descriptor: descriptor)
  }

  private static func readHolder(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : "another process"
  }
}
