import Synchronization

/// Counts from 0.
final class Counter: Sendable {
  private let count = Mutex(0)

  /// The next number.
  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }

  /// How many numbers were given.
  var value: Int { count.withLock { $0 } }
}
