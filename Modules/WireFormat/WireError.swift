public import StrandlineModels

/// Why bytes could not be read, and at which of them.
public struct WireError: ExplainedError, Hashable {
  /// What is wrong.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The stable name.
    public let rawValue: String

    /// Names a code.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The bytes end too early.
    public static let truncated = Code(rawValue: "truncated")
    /// These bytes are no CBOR.
    public static let malformed = Code(rawValue: "malformed")
    /// Something else is expected here.
    public static let wrongType = Code(rawValue: "wrongType")
    /// A key stands twice.
    public static let duplicateKey = Code(rawValue: "duplicateKey")
    /// A key or a length is not written in the one deterministic form.
    public static let notDeterministic = Code(rawValue: "notDeterministic")
    /// A text is not UTF-8.
    public static let badText = Code(rawValue: "badText")
    /// More bytes follow the end.
    public static let trailingBytes = Code(rawValue: "trailingBytes")
    /// Values are nested too deep.
    public static let tooDeep = Code(rawValue: "tooDeep")
    /// A count or a length is beyond its limit.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// A number is outside what it may be.
    public static let outOfRange = Code(rawValue: "outOfRange")
    /// A part that must be there is missing.
    public static let missing = Code(rawValue: "missing")
    /// The bytes are in a format that is newer than this version.
    public static let newerFormat = Code(rawValue: "newerFormat")
  }

  /// What is wrong.
  public let code: Code
  /// What was being read, such as `batch`.
  public let subject: String
  /// The byte at which it is wrong, from 0.
  public let position: Int
  /// The reason as a part of a sentence.
  public let reason: String

  /// Describes what is wrong.
  public init(_ code: Code, _ subject: String, at position: Int, _ reason: String) {
    self.code = code
    self.subject = subject
    self.position = position
    self.reason = reason
  }

  /// The stable name of the code.
  public var codeName: String { code.rawValue }

  /// What could not be read, why, and where.
  public var message: String {
    "Could not read the \(subject), \(reason) (byte \(position))."
  }

  /// What a person can do.
  public var advice: String {
    code == .newerFormat
      ? "Update this app." : "Have it sent again by the device that wrote it."
  }

  /// The position, for diagnostics.
  public var context: [String: String] { ["byte": String(position)] }
}
