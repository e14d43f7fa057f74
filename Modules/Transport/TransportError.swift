public import StrandlineModels

/// Why a transport could not do what it was asked, and what to do about it.
public struct TransportError: ExplainedError {
  /// What happened.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The stable name.
    public let rawValue: String

    /// Names a code; the ones below are those that the engine knows.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Nobody answered.
    public static let unreachable = Code(rawValue: "unreachable")
    /// Nobody is signed in, or the account may not be used.
    public static let accountUnavailable = Code(rawValue: "accountUnavailable")
    /// The account may not use the service.
    public static let accountRestricted = Code(rawValue: "accountRestricted")
    /// The account cannot be told at the moment.
    public static let accountUndetermined = Code(rawValue: "accountUndetermined")
    /// The access token is missing, wrong, expired or revoked.
    public static let notAuthorized = Code(rawValue: "notAuthorized")
    /// The zone or folder does not exist.
    public static let zoneNotFound = Code(rawValue: "zoneNotFound")
    /// Another zone stands where the known one was.
    public static let zoneReplaced = Code(rawValue: "zoneReplaced")
    /// Somebody asked for the zone to be purged.
    public static let zonePurged = Code(rawValue: "zonePurged")
    /// The zone no longer holds what comes after the cursor.
    public static let cursorExpired = Code(rawValue: "cursorExpired")
    /// The zone was put back to an earlier state.
    public static let zoneRestored = Code(rawValue: "zoneRestored")
    /// What the zone holds of this device is not what the store wrote: it was restored or cloned.
    public static let deviceRestored = Code(rawValue: "deviceRestored")
    /// Too many calls.
    public static let throttled = Code(rawValue: "throttled")
    /// The environment does not know an entity or property.
    public static let schemaRefused = Code(rawValue: "schemaRefused")
    /// The page or record is larger than the zone takes.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// A stamp lies in the future: this device's clock is off.
    public static let clockSkew = Code(rawValue: "clockSkew")
    /// The account's or the disk's space is used up.
    public static let quota = Code(rawValue: "quota")
    /// What was read does not make sense.
    public static let damaged = Code(rawValue: "damaged")
    /// The other side speaks a version that this one does not.
    public static let incompatibleVersion = Code(rawValue: "incompatibleVersion")
    /// The request itself was wrong; a fault of the caller.
    public static let invalidRequest = Code(rawValue: "invalidRequest")
    /// The kind of transport or its address is not known.
    public static let unknownTransport = Code(rawValue: "unknownTransport")
  }

  /// What the engine does next.
  public enum Remedy: Hashable, Sendable {
    /// Try again, not before so many milliseconds if the other side said so.
    case retry(afterMilliseconds: Int64?)
    /// Wait until the account or the token is in order.
    case waitForAccount
    /// Compare everything with the zone, both ways.
    case compareAll
    /// Send in smaller portions.
    case split
    /// Wait until the device's clock is right.
    case fixClock
    /// Stop and ask the person.
    case ask
    /// Nothing can be done by the engine.
    case stop
  }

  /// What happened.
  public let code: Code
  /// One sentence: what could not be done, to what, and why.
  public let message: String
  /// What a person can do.
  public let advice: String
  /// What the engine does.
  public let remedy: Remedy
  /// Facts for diagnostics.
  public let context: [String: String]
  /// The error underneath.
  public let cause: (any Error)?

  /// The stable name of the code.
  public var codeName: String { code.rawValue }

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, advice: String = "", remedy: Remedy,
    context: [String: String] = [:], cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.advice = advice
    self.remedy = remedy
    self.context = context
    self.cause = cause
  }
}
