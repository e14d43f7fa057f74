import Foundation

/// The system's notifications about a database file that others write, where it gives any.
///
/// What is committed is appended to the write-ahead log. That file is watched, and so is the
/// folder, since SQLite deletes the log and makes it again. None of the files is ever opened
/// here: to close any descriptor of a database file drops all locks that SQLite has on it in
/// this process.
package final class FileNotifier {
  /// Why a wait ended.
  package enum Wake {
    /// The watch is to end.
    case stopped
    /// Something was written.
    case changed
    /// The time is over.
    case timeOver
  }

  private let stop: Int32
  private let handle: Int32
  private let folder: String
  private let log: String
  private let lease: String?
  /// The number of the watch on the lease's file.
  private var leaseWatch: Int32 = -1
  private var isLeaseTouched = false

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - path: The database file.
  ///   - stop: A descriptor that becomes readable when the watch is to end.
  ///   - isNotified: Whether to ask for notifications.
  ///   - lease: The file of the store's lease, which is watched too.
  package init(path: String, stop: Int32, isNotified: Bool, lease: String? = nil) {
    self.stop = stop
    self.lease = lease
    // SQLite follows symbolic links, and keeps the log beside the file that they lead to.
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    folder = file.deletingLastPathComponent().path
    log = file.path + "-wal"
    handle = isNotified ? Self.open() : -1
    watch()
  }

  deinit {
    if handle >= 0 { close(handle) }
  }

  /// Waits for a notification, some time, or the end of the watch.
  package func wait(milliseconds: Int32) -> Wake {
    var handles = [
      pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      pollfd(fd: handle, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&handles, nfds_t(handles.count), milliseconds) > 0 else { return .timeOver }
    if handles[0].revents != 0 { return .stopped }
    drain()
    watch()
    return .changed
  }

  /// Lets some time pass in which notifications are gathered; tells whether the watch is to end.
  func pauseStopped(milliseconds: Int32) -> Bool {
    var handle = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
    return poll(&handle, 1, milliseconds) > 0
  }

  /// Whether the lease's file was written to or closed since this was asked last.
  func takesLeaseNotice() -> Bool {
    defer { isLeaseTouched = false }
    return isLeaseTouched
  }

  /// What the notifications say in particular matters for the lease only; otherwise the tables are
  /// looked at.
  private func drain() {
    var events = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(handle, &events, events.count)
      guard count > 0 else { return }
      note(events[..<count])
    }
  }
}

#if os(Linux)
  extension FileNotifier {
    private static func open() -> Int32 { inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC)) }

    /// Watches the folder and the log of this moment; what is watched already stays so.
    ///
    /// What cannot be watched is found by looking now and then all the same.
    private func watch() {
      guard handle >= 0 else { return }
      if let lease {
        leaseWatch = inotify_add_watch(handle, lease, UInt32(IN_MODIFY | IN_CLOSE_WRITE))
      }
      inotify_add_watch(handle, folder, UInt32(IN_CREATE | IN_MOVED_TO))
      inotify_add_watch(handle, log, UInt32(IN_MODIFY | IN_DELETE_SELF | IN_MOVE_SELF))
    }

    /// Each event begins with the number of its watch; the length of a name stands in its head.
    private func note(_ events: ArraySlice<UInt8>) {
      let (head, lengthPlace) = (16, 12)
      events.withUnsafeBytes { bytes in
        var start = 0
        while start + head <= bytes.count {
          let number = bytes.loadUnaligned(fromByteOffset: start, as: Int32.self)
          let length = bytes.loadUnaligned(fromByteOffset: start + lengthPlace, as: UInt32.self)
          if number == leaseWatch, leaseWatch >= 0 { isLeaseTouched = true }
          start += head + Int(length)
        }
      }
    }
  }
#else
  extension FileNotifier {
    private static func open() -> Int32 { -1 }

    private func watch() {}

    private func note(_ events: ArraySlice<UInt8>) {}
  }
#endif
