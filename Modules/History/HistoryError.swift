public import StrandlineModels

/// Why history could not be read or a consumer's place not be saved.
public struct HistoryError: ExplainedError {
  /// What happened.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The stable name.
    public let rawValue: String

    /// Names a code.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// History no longer holds what comes after the token.
    public static let historyExpired = Code(rawValue: "historyExpired")
    /// The token belongs to another store.
    public static let tokenFromAnotherStore = Code(rawValue: "tokenFromAnotherStore")
  }

  /// What happened.
  public let code: Code
  /// One sentence: what could not be done, and why.
  public let message: String
  /// What to do now.
  public let advice: String

  /// The stable name of the code.
  public var codeName: String { code.rawValue }

  static let expired = HistoryError(
    code: .historyExpired,
    message: "Could not read history, it was pruned beyond the token.",
    advice: "Load everything again, then go on from the present token.")

  static let anotherStore = HistoryError(
    code: .tokenFromAnotherStore,
    message: "Could not read history, the token belongs to another store.",
    advice: "Start from the beginning of this store's history.")
}
