import StrandlineModels

/// Why a command of the server could not be carried out, and how the program ends.
package struct CommandFailure: ExplainedError {
  /// How the program ends, for scripts to tell failures apart.
  package enum ExitCode: Int32, Sendable {
    /// Everything was done.
    case done = 0
    /// A command failed.
    case failed = 1
    /// A command or an option was wrong in itself.
    case usage = 2
    /// The data folder cannot be used.
    case data = 3
    /// The person interrupted it.
    case interrupted = 130
  }

  /// A stable name for programs.
  package let codeName: String
  /// What could not be done, and why.
  package let message: String
  /// What to do.
  package let advice: String
  /// How the program ends.
  package let exitCode: ExitCode
  /// The error underneath.
  package let cause: (any Error)?

  /// Makes an error.
  package init(
    _ codeName: String, _ message: String, advice: String = "", exitCode: ExitCode = .failed,
    cause: (any Error)? = nil
  ) {
    self.codeName = codeName
    self.message = message
    self.advice = advice
    self.exitCode = exitCode
    self.cause = cause
  }

  /// A command or an option that is wrong in itself.
  static func usage(_ message: String, _ advice: String) -> CommandFailure {
    CommandFailure("usage", message, advice: advice, exitCode: .usage)
  }

  /// Takes over what another error says.
  static func translated(_ error: any Error) -> CommandFailure {
    switch error {
    case let failure as CommandFailure: failure
    case let error as any ExplainedError:
      CommandFailure(error.codeName, error.message, advice: error.advice, cause: error)
    default:
      CommandFailure("unexpected", "Could not finish, \(error).", cause: error)
    }
  }
}
