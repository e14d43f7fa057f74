import Synchronization

/// One device's stream of hints: a small buffer between the hub that fills it and the
/// connection that empties it.
package final class EventStream: Sendable {
  /// How far a stream has come.
  package enum Standing: Sendable {
    /// Hints go on coming.
    case open
    /// What waits is still read, and then it ends.
    case ending
    /// Its reader was too slow; nothing of it is read any more.
    case overflowed
  }

  private struct State {
    var waiting: [UInt8] = []
    var standing = Standing.open
    var wake: (@Sendable () -> Void)?
    var leave: (@Sendable () -> Void)?
  }

  /// The account whose hints it carries.
  package let account: String
  private let capacity: Int
  private let state = Mutex(State())

  /// Makes an empty stream that ends when more bytes than its capacity wait.
  package init(account: String, capacity: Int) {
    self.account = account
    self.capacity = capacity
  }

  /// How far it has come.
  package var standing: Standing { state.withLock { $0.standing } }

  /// Adds bytes and wakes the reader; a reader that is too slow loses the stream.
  package func add(_ bytes: [UInt8]) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.standing == .open else { return nil }
      if state.waiting.count + bytes.count > capacity {
        state.standing = .overflowed
        state.waiting = []
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
      if state.waiting.isEmpty { return state.standing == .open ? [] : nil }
      if state.waiting.count <= count {
        defer { state.waiting = [] }
        return state.waiting
      }
      let taken = Array(state.waiting.prefix(count))
      state.waiting.removeFirst(count)
      return taken
    }
  }

  /// Ends the stream after what waits.
  package func close() {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.standing == .open else { return nil }
      state.standing = .ending
      return state.wake
    }
    wake?()
  }

  /// Ends the stream at once and wakes its reader, also where it had ended before.
  package func cutOff() {
    let wake = state.withLock { state in
      state.standing = .overflowed
      state.waiting = []
      return state.wake
    }
    wake?()
  }

  /// Says what to call when there is something to take or the stream has ended.
  package func onWake(_ wake: (@Sendable () -> Void)?) {
    state.withLock { $0.wake = wake }
  }

  /// Says what to call when the reader has gone.
  package func onLeave(_ leave: @escaping @Sendable () -> Void) {
    state.withLock { $0.leave = leave }
  }

  /// Says that nobody reads any more.
  package func leave() {
    let leave = state.withLock { state in
      defer { (state.leave, state.wake, state.waiting) = (nil, nil, []) }
      if state.standing == .open { state.standing = .ending }
      return state.leave
    }
    leave?()
  }
}
