import Synchronization

/// A clock that moves only when a test says so.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let number: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var next = 0
    var sleepers: [Sleeper] = []
  }

  private let state = Mutex(State())
  private let (naps, nap) = AsyncStream.makeStream(of: Void.self)

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        let isLate = state.withLock { state -> Bool in
          if Task.isCancelled { return true }
          state.sleepers.append(
            Sleeper(number: number, deadline: deadline, continuation: continuation))
          return false
        }
        if isLate { continuation.resume(throwing: CancellationError()) }
        nap.yield()
      }
    } onCancel: {
      let cancelled = state.withLock { state in
        let found = state.sleepers.filter { $0.number == number }
        state.sleepers.removeAll { $0.number == number }
        return found
      }
      for sleeper in cancelled { sleeper.continuation.resume(throwing: CancellationError()) }
    }
  }

  /// Waits until one more sleep has begun.
  func waitForSleep() async {
    for await _ in naps { return }
  }

  /// Moves on, and wakes whoever has slept long enough.
  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      defer { state.sleepers.removeAll { $0.deadline <= now } }
      return state.sleepers.filter { $0.deadline <= now }
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }
}
