import Foundation
import StrandlineModels

/// Why the terminal or the history file cannot be used.
package struct TerminalError: ExplainedError {
  /// The stable name.
  package let codeName: String
  /// What could not be done, and why.
  package let message: String
  /// What to do.
  package let advice: String

  /// Makes an error.
  package init(_ codeName: String, _ message: String, advice: String) {
    self.codeName = codeName
    self.message = message
    self.advice = advice
  }

  /// A call to the system that failed.
  package static func system(
    _ what: String, _ number: Int32, advice: String = "Free some resources and try again."
  ) -> TerminalError {
    let reason = SystemReason.text(number)
    return TerminalError(
      "systemFailed", "Could not \(what), \(reason).",
      advice: advice)
  }
}
