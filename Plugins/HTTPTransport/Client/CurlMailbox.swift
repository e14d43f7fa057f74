import CCurl
import Synchronization

/// What the rest of the program asks of the client's thread.
enum CurlMessage: Sendable {
  /// Send a request.
  case begin(CurlOrder)
  /// Stop it, since nobody wants the answer any more.
  case cancel(CurlOrder)
}

/// curl's handle of all transfers, as far as other threads than the client's own may use it.
///
/// It may cross threads, because
/// 1. the only thing done with it here is `curl_multi_wakeup`, which curl documents to be safe
///    from any thread while the handle exists;
/// 2. ``CurlMailbox`` calls it under its lock, and the client's thread takes the handle out under
///    the same lock before it frees it, so it exists during every call.
struct CurlWaker: @unchecked Sendable {
  private let multi: UnsafeMutableRawPointer

  /// Wraps the handle.
  init(_ multi: UnsafeMutableRawPointer) {
    self.multi = multi
  }

  /// Ends the wait of the client's thread.
  func wake() {
    curl_multi_wakeup(multi)
  }
}

/// The queue to the client's thread; any thread may post, and posting never blocks for long.
final class CurlMailbox: Sendable {
  private struct State {
    var messages: [CurlMessage] = []
    var isClosed = false
    var waker: CurlWaker?
    var hasEnded = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Hands a message over, or returns false when the client was shut down.
  @discardableResult
  func post(_ message: CurlMessage) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.messages.append(message)
      state.waker?.wake()
      return true
    }
  }

  /// Refuses further messages and lets the thread end.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.waker?.wake()
    }
  }

  /// Waits until the thread has ended.
  func end() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiting.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }
}

// What only the client's thread calls.
extension CurlMailbox {
  /// Says how the thread is woken, or that it cannot be any more.
  func setWaker(_ waker: CurlWaker?) {
    state.withLock { $0.waker = waker }
  }

  /// Takes everything that has arrived, and tells whether the client was shut down.
  func takeAll() -> (messages: [CurlMessage], isClosed: Bool) {
    state.withLock { state in
      defer { state.messages = [] }
      return (state.messages, state.isClosed)
    }
  }

  /// Tells everybody who waits that the thread has ended.
  func noteEnd() {
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
