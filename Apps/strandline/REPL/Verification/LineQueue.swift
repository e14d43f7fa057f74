import Synchronization

/// Lines that one thread adds and one task takes.
final class LineQueue: Sendable {
  private struct State {
    var lines: [String] = []
    var hasEnded = false
    var waiter: CheckedContinuation<String?, Never>?
  }

  private let state = Mutex(State())

  /// Adds a line.
  func add(_ line: String) {
    let waiter = state.withLock { state -> CheckedContinuation<String?, Never>? in
      guard let waiter = state.waiter else {
        state.lines.append(line)
        return nil
      }
      state.waiter = nil
      return waiter
    }
    waiter?.resume(returning: line)
  }

  /// Says that no more lines come.
  func end() {
    let waiter = state.withLock { state in
      state.hasEnded = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: nil)
  }

  /// Waits for the next line; nil at the end, and where the task is cancelled.
  func next() async -> String? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> String?? in
          if !state.lines.isEmpty { return .some(state.lines.removeFirst()) }
          if state.hasEnded || Task.isCancelled { return .some(nil) }
          state.waiter = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume(returning: nil)
    }
  }
}
