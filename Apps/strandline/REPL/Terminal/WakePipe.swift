import Foundation

/// A pipe whose only use is to end a `poll` from another thread or a signal handler.
///
/// A byte 0 says that there is mail; any other byte is the number of a signal. Both ends are
/// non-blocking: a full pipe already wakes its reader, and the one lost byte is at worst one of
/// 65,536 equal signals.
package final class WakePipe: Sendable {
  /// The end to poll.
  package let readEnd: Int32
  /// The end that signal handlers write to.
  package let writeEnd: Int32

  /// Opens a pipe that child processes do not inherit.
  package init() throws(TerminalError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .system("open a pipe for the terminal", errno) }
    readEnd = ends[0]
    writeEnd = ends[1]
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
    }
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Ends the poll of whoever waits.
  package func wake() {
    var byte: UInt8 = 0
    _ = write(writeEnd, &byte, 1)
  }

  /// Empties the pipe and returns the signals in it.
  package func drain() -> [Int32] {
    var signals: [Int32] = []
    var buffer = [UInt8](repeating: 0, count: 256)
    while true {
      let count = read(readEnd, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return signals }
      signals += buffer[..<count].filter { $0 != 0 }.map(Int32.init)
    }
  }
}
