import Synchronization

/// What the rest of the program asks of the editor's thread.
enum EditorMessage: Sendable {
  /// Read a line.
  case read(ReadRequest)
  /// Stop reading that line, since its reader was cancelled.
  case cancel(UInt64)
  /// Print text, above the line if one is being edited.
  case print(String)
  /// Show another prompt, also for the line that is being edited.
  case prompt(String)
  /// Give the terminal to somebody else, then say so.
  case release(CheckedContinuation<Void, Never>)
  /// Take the terminal back.
  case hold
  /// Restore the terminal and end the thread, then say so.
  case close(CheckedContinuation<Void, Never>)
}

/// One line that somebody waits for.
struct ReadRequest: Sendable {
  let id: UInt64
  let prompt: String
  let keepsHistory: Bool
  let completes: Bool
  let continuation: CheckedContinuation<LineResult, Never>
}

/// The queue to the editor's thread; any thread may post, and posting never blocks for long.
final class EditorMailbox: Sendable {
  private struct State {
    var messages: [EditorMessage] = []
    var isClosed = false
    var lastID: UInt64 = 0
  }

  private let state = Mutex(State())
  let pipe: WakePipe

  init() throws(TerminalError) {
    pipe = try WakePipe()
  }

  func nextID() -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// Hands a message over, or returns false when the thread has ended.
  @discardableResult
  func post(_ message: EditorMessage) -> Bool {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.messages.append(message) }
      return !state.isClosed
    }
    if isOpen { pipe.wake() }
    return isOpen
  }

  /// Takes everything that has arrived.
  func takeAll() -> [EditorMessage] {
    state.withLock { state in
      defer { state.messages = [] }
      return state.messages
    }
  }

  /// Refuses further messages and returns those that came too late.
  func close() -> [EditorMessage] {
    state.withLock { state in
      state.isClosed = true
      defer { state.messages = [] }
      return state.messages
    }
  }
}
