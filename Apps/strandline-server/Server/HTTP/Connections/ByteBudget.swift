import Synchronization

/// How many bytes all requests together may keep in memory.
final class ByteBudget: Sendable {
  private let limit: Int
  private let used = Mutex(0)

  init(limit: Int) {
    self.limit = limit
  }

  /// Takes some bytes; false where there are too few left.
  func take(_ count: Int) -> Bool {
    used.withLock { used in
      // One request is always let through, however large.
      guard used == 0 || used + count <= limit else { return false }
      used += count
      return true
    }
  }

  /// Gives bytes back.
  func give(_ count: Int) {
    used.withLock { $0 -= count }
  }
}
