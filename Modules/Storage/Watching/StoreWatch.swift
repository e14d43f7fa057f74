import Foundation

/// The watch over a store's file for what other processes commit.
///
/// It runs on a thread of its own, since it blocks, and ends when the last reference to it goes.
final class StoreWatch: Sendable {
  /// Closing this end of a pipe wakes the thread, which waits at the other.
  private let stop: Int32

  /// Hears of each look; false ends the watch.
  typealias Report = @Sendable (Result<OtherWriters.Finding, any Error>) -> Bool

  /// Starts to watch; nil where the process has no descriptor left.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - known: The place in history up to which transactions are known already.
  ///   - report: Called on the watch's own thread.
  ///   - end: Called on that thread when it ends.
  init?(
    _ store: WatchedStore, after known: Int64, _ report: @escaping Report,
    atEnd end: @escaping @Sendable () -> Void
  ) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    let (readEnd, writeEnd) = (ends[0], ends[1])
    // A child process that inherited the writing end would keep the watch from ending.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    stop = writeEnd
    Thread.detachNewThread {
      Thread.current.name = "strandline.watch"
      Self.run(store, after: known, until: readEnd, report)
      close(readEnd)
      end()
    }
  }

  deinit {
    close(stop)
  }

  /// After how many looks a lease that was touched is seen to be free.
  private static let leaseLooks = 4

  private static func run(
    _ store: WatchedStore, after known: Int64, until stop: Int32, _ report: Report
  ) {
    let pacing = store.pacing
    // The notifications begin before the first look, so that nothing falls between.
    let notifier = FileNotifier(
      path: store.path, stop: stop, isNotified: pacing.usesNotifications,
      lease: SyncLease.path(ofStoreAt: store.path))
    let others = OtherWriters(store)
    var known = known
    var wait = pacing.shortestWait
    // The system tells of a closed file before the lock on it goes, so that some looks follow.
    var leaseLooks = 0
    while true {
      var result = Result { try others.look(after: known) }
      if notifier.takesLeaseNotice() { leaseLooks = Self.leaseLooks }
      if leaseLooks > 0 {
        leaseLooks -= 1
        result = result.map(\.withTouchedLease)
      }
      guard report(result) else { return }
      let isChanged = if case .success(let finding) = result { finding.isChanged } else { false }
      if case .success(let finding) = result { known = finding.known }
      if isChanged && notifier.pauseStopped(milliseconds: pacing.gap) { return }
      switch notifier.wait(milliseconds: wait) {
      case .stopped: return
      case .changed: wait = pacing.shortestWait
      case .timeOver: wait = isChanged ? pacing.shortestWait : pacing.wait(after: wait)
      }
    }
  }
}
