import Foundation

/// The system's notifications about some folders, where it gives any.
///
/// Watches are few on some systems and used up by other programs; a folder that cannot be watched
/// is seen by looking at it all the same.
final class FolderNotifier {
  /// How a time of waiting ended.
  enum Waited {
    case quiet
    case notified
    case stopped
  }

  private struct Watch {
    let number: Int32
    /// The folder that it is on: one that was made anew has another.
    let node: UInt64
  }

  private static let events = UInt32(
    IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE | IN_ATTRIB
      | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
  private static let headerLength = 16

  private let handle: Int32
  private let conditions: FileConditions
  private var watches: [String: Watch] = [:]

  init(conditions: FileConditions) {
    self.conditions = conditions
    let isRefused = conditions.failure(.watch, "") != nil
    handle = isRefused ? -1 : inotify_init1(O_NONBLOCK | O_CLOEXEC)
  }

  deinit {
    if handle >= 0 { close(handle) }
  }

  /// Watches some folders and no others; tells whether one is watched that was not before.
  func watch(_ folders: [String: UInt64]) -> Bool {
    guard handle >= 0 else { return false }
    for (path, watch) in watches where folders[path] != watch.node {
      inotify_rm_watch(handle, watch.number)
      watches[path] = nil
    }
    var isNew = false
    for (path, node) in folders where watches[path] == nil {
      guard conditions.failure(.watch, path) == nil else { continue }
      let number = inotify_add_watch(handle, path, Self.events)
      guard number >= 0 else { continue }
      watches[path] = Watch(number: number, node: node)
      isNew = true
    }
    return isNew
  }

  /// Waits for a notification that matters, or some time.
  func wait(_ stop: Int32, milliseconds: Int32) -> Waited {
    let end = DispatchTime.now() + .milliseconds(Int(milliseconds))
    while true {
      let left = end.uptimeNanoseconds.subtractingReportingOverflow(
        DispatchTime.now().uptimeNanoseconds)
      let time = left.overflow ? 0 : Int32(left.partialValue / 1_000_000)
      var handles = [
        pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
        pollfd(fd: handle, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&handles, nfds_t(handles.count), time) > 0 else { return .quiet }
      if handles[0].revents != 0 { return .stopped }
      if takeEvents() { return .notified }
    }
  }

  /// Waits some time; tells whether the watch was ended meanwhile.
  static func isStopped(_ stop: Int32, within milliseconds: Int32) -> Bool {
    var handle = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
    return poll(&handle, 1, milliseconds) > 0
  }

  /// Reads all notifications; tells whether any is about something that is not hidden.
  private func takeEvents() -> Bool {
    var matters = false
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(handle, &bytes, bytes.count)
      guard count > 0 else { return matters }
      bytes.withUnsafeBytes { buffer in
        var start = 0
        while start + Self.headerLength <= count {
          let number = buffer.loadUnaligned(fromByteOffset: start, as: Int32.self)
          let mask = buffer.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)
          let length = Int(buffer.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
          let isHidden = length > 0 && buffer[start + Self.headerLength] == UInt8(ascii: ".")
          if !isHidden { matters = true }
          if mask & UInt32(IN_IGNORED) != 0 {
            // The folder is gone; one that is made in its place is watched anew.
            watches = watches.filter { $0.value.number != number }
          }
          start += Self.headerLength + length
        }
      }
    }
  }
}
