import Foundation
package import StrandlineTransport

/// Watches a folder for changes of its listing.
///
/// The truth is a look at the folder every one to ten seconds, the more seldom the longer nothing
/// happens, since network shares and many carriers cause no notifications. Where the system does
/// notify, the folder is looked at once.
package struct FolderHints: Sendable {
  /// For how many milliseconds nothing is done after a notification, so that a carrier that writes
  /// thousands of files causes few hints.
  private static let rest: Int32 = 200
  /// Every so many looks, nothing is concluded from a folder's time of change.
  private static let thoroughLook = 6

  let root: String
  let conditions: FileConditions
  let waits: ClosedRange<Int32>

  /// Makes a watch over a folder, which need not be there.
  ///
  /// - Parameters:
  ///   - root: The folder.
  ///   - conditions: How the file system behaves.
  ///   - waits: The shortest and the longest time between two looks, in milliseconds.
  package init(
    root: String, conditions: FileConditions = FileConditions(),
    waits: ClosedRange<Int32> = 1000...10_000
  ) {
    self.root = root
    self.conditions = conditions
    self.waits = waits
  }

  /// Starts to watch; the watch ends when nobody listens any more.
  package func stream() -> AsyncStream<Hint> {
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
    Thread.detachNewThread { [self] in
      watch(until: readEnd, continuation)
      close(readEnd)
    }
    return stream
  }

  private func watch(until stop: Int32, _ continuation: AsyncStream<Hint>.Continuation) {
    let notifier = FolderNotifier(conditions: conditions)
    let survey = FolderSurvey(of: root, conditions: conditions)
    // The first hint tells that the watch has begun.
    var isTold = false
    var wait = waits.lowerBound
    for look in 0... {
      if survey.look(isThorough: look % Self.thoroughLook == 0) { isTold = false }
      // What came into a folder before it was watched was not notified.
      if notifier.watch(survey.folders), survey.look(isThorough: true) { isTold = false }
      if isTold {
        wait = min(wait * 3 / 2, waits.upperBound)
      } else {
        continuation.yield(Hint())
        wait = waits.lowerBound
        isTold = true
      }
      switch notifier.wait(stop, milliseconds: wait) {
      case .quiet: continue
      case .stopped: return
      case .notified:
        isTold = false
        if FolderNotifier.isStopped(stop, within: Self.rest) { return }
      }
    }
  }
}
