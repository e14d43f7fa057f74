public import StrandlineModels

/// Why history could not be read, a consumer's place not be saved or a value not be brought back.
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
    /// The token lies beyond the end of history.
    public static let tokenBeyondHistory = Code(rawValue: "tokenBeyondHistory")
    /// Another task or process saved the consumer's place meanwhile.
    public static let consumerMoved = Code(rawValue: "consumerMoved")
    /// The record did not exist at the token.
    public static let recordNotThere = Code(rawValue: "recordNotThere")
    /// No earlier value of the record is held any more.
    public static let valuesNotHeld = Code(rawValue: "valuesNotHeld")
    /// The list of values that lost has no entry of that number.
    public static let unknownConflict = Code(rawValue: "unknownConflict")
  }

  /// What happened.
  public let code: Code
  /// One sentence: what could not be done, and why.
  public let message: String
  /// What to do now.
  public let advice: String

  /// The stable name of the code.
  public var codeName: String { code.rawValue }
}

extension HistoryError {
  static let expired = HistoryError(
    code: .historyExpired,
    message: "Could not read history, it was pruned beyond the token.",
    advice: "Load everything again, then go on from the present token.")

  static func expired(for consumer: String) -> HistoryError {
    HistoryError(
      code: .historyExpired,
      message: "Could not read history for '\(consumer)', it was pruned beyond its place.",
      advice: "Load everything again, then go on from the present token.")
  }

  static let anotherStore = HistoryError(
    code: .tokenFromAnotherStore,
    message: "Could not read history, the token belongs to another store.",
    advice: "Start from the beginning of this store's history.")

  static let beyond = HistoryError(
    code: .tokenBeyondHistory,
    message: "Could not read history, the token lies beyond its end: the store was restored from "
      + "a backup that is older.",
    advice: "Load everything again, then go on from the present token.")

  static func moved(_ consumer: String) -> HistoryError {
    HistoryError(
      code: .consumerMoved,
      message: "Could not save the place of '\(consumer)', it was saved by another task or process "
        + "while this one worked.",
      advice: "Let one at a time use the name; the changes were processed more than once.")
  }

  static func notThere(_ entity: String, _ id: RecordID, at sequence: Int64) -> HistoryError {
    HistoryError(
      code: .recordNotThere,
      message: "Could not restore \(entity) \(id), it did not exist at \(sequence).",
      advice: "Name a later token, or delete the record.")
  }

  static func notHeld(_ entity: String, _ id: RecordID) -> HistoryError {
    HistoryError(
      code: .valuesNotHeld,
      message: "Could not restore \(entity) \(id), none of its earlier values is held any more.",
      advice: "Write \"preserve\": true in the model at properties whose values history is to keep."
    )
  }

  static func unknownConflict(_ number: Int64) -> HistoryError {
    HistoryError(
      code: .unknownConflict,
      message:
        "Could not restore the value of conflict \(number), the list has none of that number.",
      advice: "List the conflicts to see their numbers.")
  }

  static func strangeConflict(_ number: Int64) -> HistoryError {
    HistoryError(
      code: .unknownConflict,
      message: "Could not restore the value of conflict \(number), the model does not have its "
        + "property.",
      advice: "Open the store with the model that has it.")
  }
}
