import Strandline

extension Gate {
  /// All gates in the order in which they run.
  static let all: [Gate] = peer + way + visible + away + trouble + processes
}

extension GateFailure {
  /// Throws where something else was observed than a gate asks for.
  static func expect(_ holds: Bool, _ message: @autoclosure () -> String) throws {
    if !holds { throw notSeen(message()) }
  }
}
