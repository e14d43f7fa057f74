public import StrandlineModels

/// Why settings could not be read or written.
public struct SettingsError: ExplainedError {
  /// What happened.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The stable name.
    public let rawValue: String

    /// Names a code.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The configuration file cannot be read or written.
    public static let unreadableConfiguration = Code(rawValue: "unreadableConfiguration")
    /// The configuration file says something that is not known.
    public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
  }

  /// What happened.
  public let code: Code
  /// One sentence: what could not be done, and why.
  public let message: String
  /// What to do now.
  public let advice: String
  /// The error underneath.
  public let cause: (any Error)?

  /// The stable name of the code.
  public var codeName: String { code.rawValue }

  init(_ code: Code, _ message: String, advice: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.advice = advice
    self.cause = cause
  }
}
