public import StrandlineModels

/// A save or a reload of a store object that failed.
public struct AppStoreFailure: ExplainedError {
  /// What failed.
  public enum Activity: String, Hashable, Sendable {
    /// Changes were to be saved; nothing was changed.
    case save
    /// What is shown was to be fetched anew; what was shown before stays.
    case reload
  }

  /// What failed.
  public let activity: Activity
  /// The log identifier of the store object.
  public let identifier: String
  /// Why it failed.
  public let error: any Error

  /// The stable name of the error underneath.
  public var codeName: String { explained?.codeName ?? "unexpected" }
  /// One sentence: what could not be done, and why.
  public var message: String {
    explained?.message
      ?? (activity == .save
        ? "Could not save the changes, \(error)." : "Could not fetch what is shown, \(error).")
  }
  /// What to do now.
  public var advice: String { explained?.advice ?? "Try again." }
  /// The activity and the identifier, for diagnostics.
  public var context: [String: String] {
    ["activity": activity.rawValue, "store": identifier]
      .merging(explained?.context ?? [:]) { first, _ in first }
  }
  /// The error underneath.
  public var cause: (any Error)? { error }
  /// The line for a log, which begins with the identifier.
  public var logLine: String { "\(identifier): \(activity.rawValue) failed: \(description)" }

  private var explained: (any ExplainedError)? { error as? any ExplainedError }

  init(_ activity: Activity, _ identifier: String, _ error: any Error) {
    self.activity = activity
    self.identifier = identifier
    self.error = error
  }
}
