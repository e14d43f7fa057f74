import Synchronization

/// One device's stream of hints: a small buffer between the hub that fills it and the
/// connection that empties it.
package final class EventStream: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    var isClosed = false
    var wake: (@Sendable () -> Void)?
  }

  /// The account whose hints it carries.
  package let account: String
  private let capacity: Int
  private let state = Mutex(State())

  /// Makes an empty stream that is closed when more bytes than its capacity wait.
  package init(account: String, capacity: Int) {
    self.account = account
    self.capacity = capacity
  }

  /// Adds bytes and wakes the reader; a reader that is too slow loses the stream.
  package func add(_ bytes: [UInt8]) {
    let wake = state.withLock { state in
      guard !state.isClosed else { return state.wake }
      if state.waiting.count + bytes.count > capacity {
        state.isClosed = true
      } else {
        state.waiting += bytes
      }
      return state.wake
    }
    wake?()
  }

  /// Takes what waits; nil when nothing will come any more.
  package func take(atMost count: Int) -> [UInt8]? {
    state.withLock { state in
      if state.waiting.isEmpty, state.isClosed { return nil }
      let taken = Array(state.waiting.prefix(count))
      state.waiting.removeFirst(taken.count)
      return taken
    }
  }

  /// Ends the stream after what waits.
  package func close() {
    let wake = state.withLock { state in
      state.isClosed = true
      return state.wake
    }
    wake?()
  }

  /// Says what to call when there is something to take or the stream has ended.
  package func onWake(_ wake: (@Sendable () -> Void)?) {
    state.withLock { $0.wake = wake }
    wake?()
  }
}
