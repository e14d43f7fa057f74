import StrandlineDirectoryTransport
import Synchronization

/// Which calls of the file system are to fail, set by a test while the transport works.
final class FaultPlan: Sendable {
  private struct State {
    var faults: [Fault] = []
    var asked: [FileCall: [String]] = [:]
  }

  private struct Fault {
    let call: FileCall
    let part: String
    let number: Int32
    var passing: Int
    var times: Int
  }

  private let state = Mutex(State())

  /// Lets calls on paths that contain a text fail so often, after some that pass.
  func fail(
    _ call: FileCall, _ part: String = "", with number: Int32, times: Int = .max,
    passing: Int = 0
  ) {
    let fault = Fault(call: call, part: part, number: number, passing: passing, times: times)
    state.withLock { $0.faults.append(fault) }
  }

  /// Ends all faults.
  func heal() {
    state.withLock { $0.faults = [] }
  }

  /// The paths for which a call was made since the last asking.
  func asked(_ call: FileCall) -> [String] {
    state.withLock { state in state.asked.removeValue(forKey: call) ?? [] }
  }

  /// The conditions that follow the plan.
  var conditions: FileConditions {
    FileConditions(failure: { [self] call, path in answer(call, path) })
  }

  private func answer(_ call: FileCall, _ path: String) -> Int32? {
    state.withLock { state in
      state.asked[call, default: []].append(path)
      let found = state.faults.firstIndex {
        $0.call == call && $0.times > 0 && ($0.part.isEmpty || path.contains($0.part))
      }
      guard let found else { return nil }
      if state.faults[found].passing > 0 {
        state.faults[found].passing -= 1
        return nil
      }
      state.faults[found].times -= 1
      return state.faults[found].number
    }
  }
}
