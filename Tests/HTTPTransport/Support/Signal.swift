import Foundation
import Synchronization

/// Something that happens once, for which threads and tasks can wait.
final class Signal: Sendable {
  private struct State {
    var hasFired = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let semaphore = DispatchSemaphore(value: 0)

  /// Lets everybody go on who waits, now and later.
  func fire() {
    let waiting = state.withLock { state in
      state.hasFired = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
    semaphore.signal()
  }

  /// Whether it has happened.
  var hasFired: Bool { state.withLock { $0.hasFired } }

  /// Lets a task wait.
  func wait() async {
    await withCheckedContinuation { continuation in
      let hasFired = state.withLock { state in
        if !state.hasFired { state.waiting.append(continuation) }
        return state.hasFired
      }
      if hasFired { continuation.resume() }
    }
  }

  /// Lets a thread of a script wait.
  func block() {
    semaphore.wait()
    semaphore.signal()
  }
}

/// Bytes that a test hands to the thread of a script; nil ends it.
final class Feed: Sendable {
  private let waiting = Mutex<[[UInt8]?]>([])
  private let semaphore = DispatchSemaphore(value: 0)

  /// Hands some bytes over.
  func add(_ bytes: [UInt8]) { push(bytes) }

  /// Hands some text over.
  func add(_ text: String) { push(Array(text.utf8)) }

  /// Says that nothing more will come.
  func end() { push(nil) }

  /// The next bytes; blocks until some are there.
  func next() -> [UInt8]? {
    semaphore.wait()
    return waiting.withLock { $0.removeFirst() }
  }

  private func push(_ bytes: [UInt8]?) {
    waiting.withLock { $0.append(bytes) }
    semaphore.signal()
  }
}
