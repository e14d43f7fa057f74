import Foundation
import Synchronization

/// A thread of its own that does one thing after the other.
///
/// It is none of the system's shared ones: whoever waits for a read may be using up those, and the
/// read would then never begin.
final class ReadingThread: Sendable {
  private struct Work {
    var waiting: [@Sendable () -> Void] = []
    var isEnding = false
  }

  private let work = Mutex(Work())
  private let signal = DispatchSemaphore(value: 0)

  /// Starts the thread, which lives until it is told to end.
  init() {
    Thread.detachNewThread { [self] in
      while true {
        signal.wait()
        let (job, isEnding) = work.withLock { work in
          (work.waiting.isEmpty ? nil : work.waiting.removeFirst(), work.isEnding)
        }
        if let job { job() } else if isEnding { return }
      }
    }
  }

  /// Does something on the thread, after all that was asked for before.
  func run(_ job: @escaping @Sendable () -> Void) {
    work.withLock { $0.waiting.append(job) }
    signal.signal()
  }

  /// Ends the thread once it has done what it was asked for.
  func end() {
    work.withLock { $0.isEnding = true }
    signal.signal()
  }
}
