import StrandlineModels
import StrandlineTransport

extension GateFailure {
  /// What any error means for a gate.
  init(_ error: any Error) {
    switch error {
    case let error as GateFailure: self = error
    case let error as any ExplainedError:
      self.init(
        error.codeName, error.message, advice: error.advice, isTransport: error is TransportError)
    default:
      self.init("unexpected", "Could not go on, \(error).", advice: "Try again.")
    }
  }

  /// Something else was observed than the gate asks for.
  static func notSeen(_ message: String, advice: String = GateFailure.report) -> GateFailure {
    GateFailure("gateFailed", message, advice: advice)
  }

  /// A device did not answer in time.
  static func silent(_ device: String, seconds: Int) -> GateFailure {
    GateFailure(
      "timedOut",
      "Could not go on with device \(device), it did not answer for \(seconds) seconds.",
      advice: "Check whether the machine or the peer is overloaded, then verify again.")
  }

  /// A device's process is gone.
  static func ended(_ device: String) -> GateFailure {
    GateFailure(
      "deviceEnded", "Could not go on, the process of device \(device) has ended.",
      advice: "Look above for what it said last, then verify again.")
  }

  private static let report =
    "Do not release; make a support bundle and look into events and trace."
}
