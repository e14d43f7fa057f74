import Foundation

/// The time between two bytes of a server that drips; nothing is concluded from how long it was.
struct DripPause: Sendable {
  /// Lets a thread of a script wait.
  func wait() {
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(100))
  }
}
