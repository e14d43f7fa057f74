import Foundation
import Synchronization

/// A few threads that do what blocks, in the order in which it was asked for.
final class WorkerPool: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State {
    /// A queue whose done part is cut off now and then.
    var waiting: [Job?] = []
    var first = 0
    var running = 0
    var isEnding = false

    var count: Int { waiting.count - first }

    mutating func next() -> Job? {
      guard first < waiting.count else { return nil }
      defer {
        waiting[first] = nil
        first += 1
        if first > 1024, first * 2 > waiting.count {
          waiting.removeFirst(first)
          first = 0
        }
      }
      return waiting[first]
    }
  }

  private let limit: Int
  private let threads: Int
  private let state = Mutex(State())
  private let signal = DispatchSemaphore(value: 0)

  /// Starts the threads.
  ///
  /// - Parameters:
  ///   - threads: How many.
  ///   - limit: How many jobs may wait.
  init(threads: Int, limit: Int) {
    self.limit = limit
    self.threads = threads
    for number in 0..<threads {
      let thread = Thread { [self] in run() }
      thread.name = "strandline.answer.\(number)"
      thread.start()
    }
  }

  /// Adds a job; false where too many wait.
  func submit(_ job: @escaping Job) -> Bool {
    let isTaken = state.withLock { state in
      guard !state.isEnding, state.count < limit else { return false }
      state.waiting.append(job)
      return true
    }
    if isTaken { signal.signal() }
    return isTaken
  }

  /// Whether nothing runs or waits.
  var isIdle: Bool { state.withLock { $0.count == 0 && $0.running == 0 } }

  /// Lets the threads end when they have done what waits.
  func end() {
    state.withLock { $0.isEnding = true }
    for _ in 0..<threads { signal.signal() }
  }

  private func run() {
    while true {
      signal.wait()
      let (job, isOver) = state.withLock { state -> (Job?, Bool) in
        let job = state.next()
        if job != nil { state.running += 1 }
        return (job, job == nil && state.isEnding)
      }
      if isOver { return }
      guard let job else { continue }
      job()
      state.withLock { $0.running -= 1 }
    }
  }
}
