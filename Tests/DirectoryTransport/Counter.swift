import Synchronization

/// Counts from any thread.
final class Counter: Sendable {
  private let number = Mutex(0)

  var value: Int { number.withLock { $0 } }

  func count() {
    number.withLock { $0 += 1 }
  }
}
