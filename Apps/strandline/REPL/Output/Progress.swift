import Foundation
import StrandlineModels
import Synchronization

/// How far long work has come, told once a second, and whether it is to end.
///
/// The work itself says when it has done a step, so that nothing runs beside it.
package final class Progress: Sendable {
  private struct State {
    var done = 0
    var total: Int?
    var verb = ""
    var isCancelled = false
    var told: UInt64
  }

  private let state: Mutex<State>
  private let tell: @Sendable (_ verb: String, _ done: Int, _ total: Int?) -> Void
  private let now: @Sendable () -> UInt64

  /// Takes who is told, and a clock of nanoseconds that never goes back.
  package init(
    now: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds },
    tell: @escaping @Sendable (_ verb: String, _ done: Int, _ total: Int?) -> Void
  ) {
    self.now = now
    self.tell = tell
    state = Mutex(State(told: now()))
  }

  /// Begins another part of the work, such as "Checked", of so many steps.
  package func begin(_ verb: String, total: Int? = nil) {
    state.withLock { state in
      state.verb = verb
      state.total = total
      state.done = 0
    }
  }

  /// Says that a step was done.
  package func advance() throws(CancellationError) {
    let news = state.withLock { state -> (verb: String, done: Int, total: Int?)? in
      state.done += 1
      // A clock is asked now and then only, since it costs more than most steps.
      guard state.done % 64 == 0 else { return nil }
      let moment = now()
      guard moment &- state.told >= 1_000_000_000 else { return nil }
      state.told = moment
      return (state.verb, state.done, state.total)
    }
    if let news { tell(news.verb, news.done, news.total) }
    if state.withLock({ $0.isCancelled }) { throw CancellationError() }
  }

  /// Lets the next step end the work.
  package func cancel() {
    state.withLock { $0.isCancelled = true }
  }
}

extension Session {
  /// Progress that is told on standard error, as an object for programs.
  func progress(_ unit: String) -> Progress {
    let (streams, isJSON) = (streams, isJSON)
    return Progress { verb, done, total in
      guard !isJSON else {
        streams.note(
          JSONValue.object([
            "progress": .object([
              "what": .string(verb), "done": .integer(Int64(done)),
              "total": JSONValue(total.map(Int64.init)),
            ])
          ]).text)
        return
      }
      streams.note("\(verb) \(done)\(total.map { " of \($0)" } ?? "") \(unit). Ctrl-C ends it.")
    }
  }

  /// Runs work that Ctrl-C ends, also in a script.
  func cancellable(
    _ progress: Progress, _ work: @escaping @MainActor @Sendable () async throws -> Void
  ) async throws {
    try await Interruption.cancelling(takesSignals: !isInteractive) {
      try await withTaskCancellationHandler {
        try await work()
      } onCancel: {
        progress.cancel()
      }
    }
  }
}
