import StrandlineModels

/// Why a server could not be started.
package struct ServeError: ExplainedError {
  /// What went wrong.
  package enum Code: String, Hashable, Sendable {
    /// The address cannot be listened at.
    case address
    /// The certificate or its key cannot be used.
    case certificate
    /// The system gives no more threads, files or memory.
    case resources
  }

  /// What went wrong.
  package let code: Code
  /// What could not be done, and why.
  package let message: String
  /// What a person can do.
  package let advice: String

  /// The stable name of the code.
  package var codeName: String { code.rawValue }

  /// Describes an error.
  package init(_ code: Code, _ message: String, advice: String) {
    self.code = code
    self.message = message
    self.advice = advice
  }
}
