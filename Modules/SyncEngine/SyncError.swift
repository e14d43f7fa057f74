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
    /// Nobody is signed in, or the account may not be used.
    public static let accountUnavailable = Code(rawValue: "accountUnavailable")
    /// Another account is found than the configuration names.
    public static let wrongAccount = Code(rawValue: "wrongAccount")
    /// Two of the followed peers are one zone.
    public static let sameZone = Code(rawValue: "sameZone")
    /// Another zone stands where the known one was.
    public static let zoneReplaced = Code(rawValue: "zoneReplaced")
    /// The first sync would have laid aside what it must not.
    public static let firstSyncRefused = Code(rawValue: "firstSyncRefused")
    /// A question about the peer was answered while it was synced with.
    public static let answered = Code(rawValue: "answered")
    /// The store was not caught up in time.
    public static let notCaughtUp = Code(rawValue: "notCaughtUp")
    /// The cycle was ended before its end, since somebody stopped the engine.
    public static let interrupted = Code(rawValue: "interrupted")
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

extension SyncError {
  /// That peers were not caught up in time, and what each waits for.
  package static func notCaughtUp(_ reports: [PeerReport]) -> SyncError {
    let names = reports.map { "'\($0.peer)'" }.joined(separator: " and ")
    let reasons = reports.compactMap { report -> String? in
      guard let reason = report.error?.message ?? report.waitingFor.first else { return nil }
      return reports.count == 1 ? reason : "\(report.peer): \(reason)"
    }
    return SyncError(
      .notCaughtUp,
      "Could not catch up with \(names) in time"
        + (reasons.isEmpty ? "." : ": " + reasons.joined(separator: " ")),
      advice: reports.lazy.compactMap(\.error).first?.advice ?? "Try again, or wait longer.")
  }

  static func interrupted(_ peer: String) -> SyncError {
    SyncError(
      .interrupted, "Could not finish syncing with '\(peer)', it was stopped.",
      advice: "The next cycle goes on where it was.")
  }

  static var notFollowed: SyncError {
    SyncError(
      .switchedOff, "Could not sync, the peer is no longer followed.",
      advice: "Follow it again; everything is saved on this device until then.")
  }

  static func wrongAccount(_ peer: String, expected: String) -> SyncError {
    SyncError(
      .wrongAccount,
      "Could not sync with '\(peer)', the account that is signed in is not '\(expected)', which "
        + "the configuration names.",
      advice: "Sign in with that account, or correct \"account\" in the configuration; nothing was "
        + "deleted or uploaded.")
  }

  static func sameZone(_ peer: String, as other: String) -> SyncError {
    SyncError(
      .sameZone,
      "Could not sync with '\(peer)', it is the same zone as '\(other)', which is followed too.",
      advice: "Remove one of the two; nothing was sent to this one.")
  }
}
