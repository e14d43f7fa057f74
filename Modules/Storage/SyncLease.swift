import Foundation

/// The right to sync a store, which one process at a time has.
///
/// It is a lock that the kernel keeps on a file beside the store, so it ends with its process
/// however that ends. The file tells who holds it.
public final class SyncLease: Sendable {
  private let descriptor: Int32

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Takes the lease of a store.
  ///
  /// - Throws: `leaseHeld` naming the process that has it; `cannotOpen`.
  public static func take(for store: Store) throws(StorageError) -> SyncLease {
    let path = path(ofStoreAt: store.path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StorageError(
        .cannotOpen, "Could not open '\(path)', \(String(cString: strerror(errno))).",
        advice: "Check that the folder may be written.")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let holder = readHolder(descriptor)
      close(descriptor)
      throw StorageError(
        .leaseHeld, "Could not sync the store, \(holder) syncs it already.",
        advice: "Saves are local and go out through that process; or end it and try again.",
        context: ["holder": holder])
    }
    writeHolder(descriptor)
    return SyncLease(descriptor: descriptor)
  }

  /// Tells whether a process has the lease of the store at a path now, and which.
  package static func holder(ofStoreAt path: String) -> String? {
    let descriptor = open(Self.path(ofStoreAt: path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return nil }
    return readHolder(descriptor)
  }

  /// Whether a holder's text names this process.
  package static func isThisProcess(_ holder: String) -> Bool {
    holder.hasPrefix("process \(getpid()) ")
  }

  /// The file that is locked, beside the store.
  package static func path(ofStoreAt path: String) -> String { path + "-lease" }

  private static func writeHolder(_ descriptor: Int32) {
    let name = URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent
    let text = "process \(getpid()) (\(name))"
    ftruncate(descriptor, 0)
    // Who holds the lease is told for people; the lock itself does not depend on it.
    _ = text.withCString { pwrite(descriptor, $0, strlen($0), 0) }
  }

  private static func readHolder(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return "another process" }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
