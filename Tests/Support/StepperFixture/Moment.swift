import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import Synchronization

/// Ends or stops this process when it comes to a place for the nth time.
///
/// A place is `before`, `in` or `after` an effect of a cycle, such as `before apply`, or another
/// thing that the program does: `in save`, `in migration`, `in purge`. `in` counts what happens
/// inside: a look at the clock, which a store takes in its transactions, or a step of writing a
/// file into a folder.
final class Moment: Sendable {
  private struct State {
    var doing = "open"
    var remaining: Int
  }

  /// What is done there.
  enum Action {
    /// The process ends, as a power cut would end it.
    case kill
    /// The process stops until somebody lets it go on.
    case stop
    /// The next call of the system under this name of libfiu's fails.
    case fail(String)

    /// Reads `stop` or a name of libfiu's; nothing means a kill.
    init(_ text: String?) {
      self =
        switch text {
        case nil: .kill
        case "stop": .stop
        case let name?: .fail(name)
        }
    }
  }

  private let place: String?
  private let action: Action
  private let state: Mutex<State>

  init(_ place: String?, occurrence: Int, action: Action) {
    self.place = place
    self.action = action
    state = Mutex(State(remaining: occurrence))
  }

  /// Does something under a name, which `in` is then counted for.
  func around<T>(_ name: String, _ body: () async throws -> T) async rethrows -> T {
    reach("before \(name)")
    state.withLock { $0.doing = name }
    let result = try await body()
    state.withLock { $0.doing = "nothing" }
    reach("after \(name)")
    return result
  }

  /// Something happens inside of what is done now.
  func reachInside() {
    reach("in \(state.withLock { $0.doing })")
  }

  /// The store's clock, whose readings are places.
  var clock: WallClock {
    WallClock { [self] in
      reachInside()
      return WallClock.system.milliseconds
    }
  }

  func observe(_ step: WriteStep, _ path: String) {
    // The text for people is nobody's data, and stands under its own name from the start.
    if !path.hasSuffix("/README.txt") { reachInside() }
  }

  private func reach(_ reached: String) {
    guard reached == place else { return }
    let isNow = state.withLock { state in
      state.remaining -= 1
      return state.remaining == 0
    }
    guard isNow else { return }
    say("reached \(reached)")
    switch action {
    // Sent to this thread, which so goes no step further.
    case .kill: raise(SIGKILL)
    case .stop: raise(SIGSTOP)
    case .fail(let name): if !FailingCall.enableOnce(name) { say("libfiu is not there") }
    }
  }
}

/// Says a line at once; one that cannot be written is lost, which is no matter to the store.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}
