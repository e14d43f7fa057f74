import Synchronization

/// How many bytes all requests together may keep in memory.
final class ByteBudget: Sendable {
  private let limit: Int
  private let taken = Mutex(0)

  init(limit: Int) {
    self.limit = limit
  }

  /// How many are taken.
  var used: Int { taken.withLock { $0 } }

  /// Takes some bytes; false where there are too few left.
  func take(_ count: Int) -> Bool {
    taken.withLock { used in
      // One request is always let through, however large.
      guard used == 0 || used + count <= limit else { return false }
      used += count
      return true
    }
  }

  /// Takes bytes also where too few are left, for what has to be sent all the same.
  func takeAnyway(_ count: Int) {
    taken.withLock { $0 += count }
  }

  /// Gives bytes back.
  func give(_ count: Int) {
    taken.withLock { $0 -= count }
  }
}
