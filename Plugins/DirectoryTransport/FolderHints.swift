import Foundation
import StrandlineTransport

/// Watches a folder for changes of its listing.
///
/// The truth is a listing every one to ten seconds, since network shares and many carriers cause
/// no notifications. Where the system does notify, a listing is taken at once.
struct FolderHints: Sendable {
  private static let shortestWait: Int32 = 1000
  private static let longestWait: Int32 = 10_000

  let root: String

  /// Starts to watch; the watch ends when nobody listens any more.
  func stream() -> AsyncStream<Hint> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Hint.self, bufferingPolicy: .bufferingNewest(1))
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      // Without file handles there are no hints; the engine refreshes now and then by itself.
      continuation.finish()
      return stream
    }
    let (readEnd, writeEnd) = (ends[0], ends[1])
    // A child process that inherited the other end would keep the thread from being woken.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Closing one end of the pipe wakes the thread, which waits at the other.
    continuation.onTermination = { _ in close(writeEnd) }
    Thread.detachNewThread { [root] in
      Self.watch(root, until: readEnd, continuation)
      close(readEnd)
    }
    return stream
  }

  private static func watch(
    _ root: String, until stop: Int32, _ continuation: AsyncStream<Hint>.Continuation
  ) {
    let notifier = FolderNotifier()
    var known: Int?
    var wait = shortestWait
    while true {
      let listing = FolderListing(of: root)
      notifier.watch(listing.folders)
      if listing.signature != known {
        known = listing.signature
        wait = shortestWait
        continuation.yield(Hint())
      } else {
        wait = min(wait * 3 / 2, longestWait)
      }
      if notifier.waitStopped(by: stop, milliseconds: wait) { return }
    }
  }
}

/// The names, sizes and times of all files below a folder, as one number.
private struct FolderListing {
  private static let depthLimit = 6
  private(set) var folders: [String] = []
  private(set) var signature = 0

  init(of root: String) {
    var hasher = Hasher()
    add(root, depth: 0, to: &hasher)
    signature = hasher.finalize()
  }

  private mutating func add(_ path: String, depth: Int, to hasher: inout Hasher) {
    guard depth < Self.depthLimit, let stream = opendir(path) else { return }
    defer { closedir(stream) }
    folders.append(path)
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(entryName(of: entry))
    }
    for name in names.sorted() where !name.hasPrefix(".") {
      var status = stat()
      guard lstat(path + "/" + name, &status) == 0 else { continue }
      hasher.combine(name)
      if status.st_mode & S_IFMT == S_IFDIR {
        add(path + "/" + name, depth: depth + 1, to: &hasher)
      } else {
        hasher.combine(status.st_size)
        hasher.combine(status.st_ino)
        hasher.combine(status.st_mtim.tv_sec)
        hasher.combine(status.st_mtim.tv_nsec)
      }
    }
  }
}

/// The system's notifications about some folders, where it gives any.
private final class FolderNotifier {
  private static let events = UInt32(
    IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE | IN_ATTRIB)
  private let handle = inotify_init1(O_NONBLOCK | O_CLOEXEC)

  deinit {
    if handle >= 0 { close(handle) }
  }

  /// Watches some folders; those that are watched already are not watched twice.
  func watch(_ folders: [String]) {
    guard handle >= 0 else { return }
    // A folder that cannot be watched is seen by the listing all the same.
    for folder in folders { inotify_add_watch(handle, folder, Self.events) }
  }

  /// Waits for a notification or some time; tells whether the watch is to end.
  func waitStopped(by stop: Int32, milliseconds: Int32) -> Bool {
    var handles = [
      pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      pollfd(fd: handle, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&handles, nfds_t(handles.count), milliseconds) > 0 else { return false }
    if handles[0].revents != 0 { return true }
    var events = [UInt8](repeating: 0, count: 4096)
    while read(handle, &events, events.count) > 0 {}
    return false
  }
}
