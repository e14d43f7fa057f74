public import StrandlineModels
import StrandlineStorage
import StrandlineTransport

/// What became of a cloud copy that the person asked to be purged.
public struct PurgeOutcome: Sendable {
  /// How it ended.
  public enum End: Sendable {
    /// The zone was purged.
    case purged
    /// The zone was gone already, or had been purged before.
    case wasGone
    /// It stays pending, for this reason.
    case pending(any ExplainedError)
  }

  /// The peer, as the person wrote it.
  public let peer: String
  /// How it ended.
  public let end: End

  /// Whether the cloud copy is gone.
  public var isDone: Bool { if case .pending = end { false } else { true } }

  /// Why it stays pending; nil where it does not.
  public var error: (any ExplainedError)? {
    if case .pending(let error) = end { error } else { nil }
  }

  package init(peer: String, end: End) {
    self.peer = peer
    self.end = end
  }
}

/// What a transport's answer to a purge means.
enum PurgeVerdict {
  case purged
  case wasGone
  case failed(any ExplainedError, retryAfter: Int64?)

  /// Judges an error.
  ///
  /// A zone that is not there, that somebody purged, or in whose place another one stands, holds
  /// nothing of the copy any more. What another one holds was not asked about.
  init(_ error: TransportError) {
    switch error.code {
    case .zonePurged, .zoneReplaced, .zoneNotFound: self = .wasGone
    default: self.init(failure: error)
    }
  }

  /// What an error means after which nothing is known of the zone.
  init(failure error: TransportError) {
    let told: Int64? = if case .retry(let wait) = error.remedy { wait } else { nil }
    self = .failed(error, retryAfter: told)
  }

  /// Judges whose data would be purged; nil where it is the person's own.
  ///
  /// - Parameters:
  ///   - state: Who is signed in.
  ///   - peer: The peer.
  ///   - expected: The account that the configuration names, if it names one.
  ///   - isEphemeral: Whether the zones end with this process, so that accounts come and go.
  init?(
    _ state: AccountState, of peer: PeerRow, expected: String?, isEphemeral: Bool
  ) {
    switch state {
    case .available(let account):
      let isOwn = isEphemeral || peer.account == nil || peer.account == account
      if isOwn && (expected == nil || expected == account) { return nil }
      self = .failed(SyncError.purgeOfAnother(peer.specification), retryAfter: nil)
    case .signedOut:
      self = .failed(
        SyncError.purgeWithoutAccount(peer.specification, "nobody is signed in"), retryAfter: nil)
    case .restricted:
      self = .failed(
        SyncError.purgeWithoutAccount(peer.specification, "this account may not use it"),
        retryAfter: nil)
    case .undetermined:
      self = .failed(
        SyncError.purgeWithoutAccount(
          peer.specification, "the account cannot be told at the moment"), retryAfter: nil)
    }
  }
}

extension SyncError {
  static func purgeOfAnother(_ peer: String) -> SyncError {
    SyncError(
      .accountChanged,
      "Could not purge the cloud copy in '\(peer)', another account is signed in.",
      advice: "Sign in with the account that was synced with; nothing of the other one's is "
        + "touched.")
  }

  static func purgeWithoutAccount(_ peer: String, _ reason: String) -> SyncError {
    SyncError(
      .accountUnavailable, "Could not purge the cloud copy in '\(peer)', \(reason).",
      advice: "It is purged when the account is there again.")
  }
}
