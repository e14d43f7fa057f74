/// How often a watcher looks at its store, in milliseconds.
///
/// The system's notifications say when to look; a look now and then finds what they do not tell,
/// as on network file systems. Each look that finds nothing doubles the wait and more.
package struct WatchPacing: Sendable {
  /// The wait after something happened.
  ///
  /// It is short, since the system tells of the pages of a commit before SQLite makes them
  /// visible to readers: the look that follows at once may still see nothing.
  package var shortestWait: Int32
  /// The wait of a store at which nothing happens.
  package var longestWait: Int32
  /// The time after a change in which more of a burst are gathered.
  package var gap: Int32
  /// Whether the system's notifications are used where there are any.
  package var usesNotifications: Bool

  /// Makes a pacing.
  package init(
    shortestWait: Int32 = 5, longestWait: Int32 = 10_000, gap: Int32 = 20,
    usesNotifications: Bool = true
  ) {
    self.shortestWait = shortestWait
    self.longestWait = longestWait
    self.gap = gap
    self.usesNotifications = usesNotifications
  }

  /// The wait after a look that found nothing.
  package func wait(after last: Int32) -> Int32 { min(max(1, last) * 3, longestWait) }
}
