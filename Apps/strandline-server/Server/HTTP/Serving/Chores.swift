import Foundation
import StrandlineStorage
import Synchronization

/// The two threads beside the sockets: one that ticks, and one that watches the database file.
final class Chores: Sendable {
  private let isEnded = Mutex(false)
  private let tickEnds = DispatchSemaphore(value: 0)
  /// Closing this end of a pipe wakes the watch, which waits at the other.
  private let stop: Mutex<Int32>
  private let running = DispatchGroup()

  /// Starts both.
  ///
  /// - Parameters:
  ///   - tickMilliseconds: The time between two ticks.
  ///   - watchedFile: The database file; nil to look at each tick alone.
  ///   - tick: Called at each tick.
  ///   - look: Called where something may have changed; tells whether it had.
  init(
    tickMilliseconds: Int, watchedFile: String?, tick: @escaping @Sendable () -> Void,
    look: @escaping @Sendable () -> Bool
  ) {
    var ends: [Int32] = [-1, -1]
    let isWatching = watchedFile != nil && pipe(&ends) == 0
    let (readEnd, writeEnd) = (ends[0], ends[1])
    for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    stop = Mutex(writeEnd)
    start("strandline.tick") { [self] in
      while !isEnded.withLock({ $0 }) {
        tick()
        if !isWatching { _ = look() }
        _ = tickEnds.wait(timeout: .now() + .milliseconds(tickMilliseconds))
      }
    }
    guard isWatching, let watchedFile else { return }
    start("strandline.watch") {
      Self.watch(watchedFile, until: readEnd, look)
      close(readEnd)
    }
  }

  /// Ends both and waits for that.
  func end() {
    isEnded.withLock { $0 = true }
    tickEnds.signal()
    stop.withLock { stop in
      if stop >= 0 { close(stop) }
      stop = -1
    }
    running.wait()
  }

  private func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    running.enter()
    let thread = Thread { [running] in
      body()
      running.leave()
    }
    thread.name = name
    thread.start()
  }

  /// Looks whenever the system tells of a write, shortly after it again, since pages are told of
  /// before readers see them, and now and then, for what the system does not tell.
  private static func watch(
    _ file: String, until stop: Int32, _ look: @Sendable () -> Bool
  ) {
    let pacing = WatchPacing(longestWait: 1000)
    let notifier = FileNotifier(path: file, stop: stop, isNotified: pacing.usesNotifications)
    var wait = pacing.shortestWait
    while true {
      let isChanged = look()
      switch notifier.wait(milliseconds: wait) {
      case .stopped: return
      case .changed: wait = pacing.shortestWait
      case .timeOver: wait = isChanged ? pacing.shortestWait : pacing.wait(after: wait)
      }
    }
  }
}
