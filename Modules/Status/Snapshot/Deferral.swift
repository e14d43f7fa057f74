/// Why work is put off although nothing went wrong.
///
/// None of these erases anything, and saving goes on as ever.
public enum Deferral: String, Hashable, Sendable, CaseIterable {
  /// The peer cannot be reached.
  case offline
  /// The peer asked to be left alone for a while.
  case throttled
  /// Nobody is signed in.
  case signedOut
  /// The account may not use sync.
  case restricted
  /// There is no account that the peer knows, or its access token is not taken.
  case noAccount
  /// The account cannot be told at the moment.
  case accountUnknown
  /// The disk that holds the store is full.
  case diskFull
  /// The person let no cycle begin by itself.
  case schedule
}

extension StatusSnapshot {
  /// Why work is put off, where it is and nothing went wrong.
  public var deferral: Deferral? {
    switch standing {
    case .waiting, .blocked: Self.deferrals[reasonCode ?? ""]
    case .working, .settingUp: isWanted && !isAutomatic ? .schedule : nil
    case .off, .caughtUp: nil
    }
  }

  private static let deferrals: [String: Deferral] = [
    "unreachable": .offline, "throttled": .throttled, "accountUnavailable": .signedOut,
    "accountRestricted": .restricted, "notAuthorized": .noAccount,
    "accountUndetermined": .accountUnknown, "diskFull": .diskFull,
  ]
}
