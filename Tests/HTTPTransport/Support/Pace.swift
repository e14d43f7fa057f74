import StrandlineHTTPTransport
import Synchronization

/// Waits that end when a test says so, and that are noted.
final class PaceLog: Sendable {
  private struct State {
    var waits: [Duration] = []
    var uptime = Duration.zero
    var waiting: [CheckedContinuation<Bool, Never>] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var isCancelled = false
  }

  private let state = Mutex(State())

  /// A pace whose random number is always the same and whose waits take no time.
  ///
  /// But for the last one, which comes after those that are let pass and lasts until it is
  /// cancelled. Each begins with a call that has its number, from 1.
  func pace(
    random: Double = 1, passing: Int = .max, during: @escaping @Sendable (Int) -> Void = { _ in }
  ) -> HintPace {
    var pace = HintPace()
    pace.random = { random }
    pace.uptime = { [self] in state.withLock { $0.uptime } }
    pace.sleep = { [self] duration in
      during(waits.count + 1)
      return await sleep(duration, passing)
    }
    return pace
  }

  /// All waits so far.
  var waits: [Duration] { state.withLock { $0.waits } }

  /// Lets time pass.
  func advance(by duration: Duration) { state.withLock { $0.uptime += duration } }

  /// Waits until there were so many waits.
  func reach(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.waits.count >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  private func sleep(_ duration: Duration, _ passing: Int) async -> Bool {
    let (isHeld, reached) = state.withLock { state in
      state.waits.append(duration)
      let count = state.waits.count
      let reached = state.watchers.filter { $0.count <= count }.map(\.continuation)
      state.watchers.removeAll { $0.count <= count }
      return (count > passing, reached)
    }
    for continuation in reached { continuation.resume() }
    guard isHeld else { return !Task.isCancelled }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = state.withLock { state in
          if !state.isCancelled { state.waiting.append(continuation) }
          return state.isCancelled
        }
        if isCancelled { continuation.resume(returning: false) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.isCancelled = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume(returning: false) }
    }
  }
}
