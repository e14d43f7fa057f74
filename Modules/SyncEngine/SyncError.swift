public import StrandlineModels

/// Why the engine could not sync.
public struct SyncError: ExplainedError {
  /// What happened.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The stable name.
    public let rawValue: String

    /// Names a code.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Another account stands where the known one was.
    public static let accountChanged = Code(rawValue: "accountChanged")
    /// Another zone stands where the known one was.
    public static let zoneReplaced = Code(rawValue: "zoneReplaced")
    /// The store was not caught up in time.
    public static let notCaughtUp = Code(rawValue: "notCaughtUp")
    /// The person switched sync off.
    public static let switchedOff = Code(rawValue: "switchedOff")
  }

  /// What happened.
  public let code: Code
  /// One sentence: what could not be done, and why.
  public let message: String
  /// What to do now.
  public let advice: String

  /// The stable name of the code.
  public var codeName: String { code.rawValue }

  package init(_ code: Code, _ message: String, advice: String) {
    self.code = code
    self.message = message
    self.advice = advice
  }
}
