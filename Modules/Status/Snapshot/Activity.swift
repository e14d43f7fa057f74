import StrandlineStorage

extension StatusSnapshot {
  /// What was seen of one kind of activity with the peer.
  ///
  /// Each kind is told by itself: a good import says nothing of a failed export.
  public struct Activity: Hashable, Sendable {
    /// What the engine does with a peer.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// The account and the zone are looked up.
      case setup
      /// Changes of others are fetched and merged.
      case `import`
      /// Changes of this device are sent.
      case export
    }

    /// How the latest one went.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
      /// None was seen.
      case notObserved
      /// It runs.
      case running
      /// It was seen to succeed.
      case succeeded
      /// It was seen to fail, or ended without success.
      case failed
      /// Its process ended before it did.
      case interrupted
      /// It did not succeed, and the store was seen to be caught up after that.
      case settled
    }

    /// What the engine does.
    public let kind: Kind
    /// How the latest one went.
    public let outcome: Outcome
    /// When the latest one began, in milliseconds since 1970.
    public let start: Int64?
    /// When the latest one ended, in milliseconds since 1970.
    public let end: Int64?
    /// When one was last seen to succeed, in milliseconds since 1970.
    public let lastSuccess: Int64?
    /// The stable name of the latest one's error.
    public internal(set) var errorCode: String?
    /// What the latest one could not do and why.
    public internal(set) var errorMessage: String?
    /// What to do about that.
    public internal(set) var errorAdvice: String?

    /// - Parameters:
    ///   - kind: What the engine does.
    ///   - latest: The latest event of that kind.
    ///   - lastSuccess: When one ended with success.
    ///   - mayRun: Whether an event without an end can still run.
    ///   - caughtUp: When the store was last seen to be caught up with the peer.
    init(
      _ kind: Kind, latest: EventRow?, lastSuccess: Int64?, mayRun: Bool, caughtUp: Int64?
    ) {
      self.kind = kind
      self.lastSuccess = lastSuccess
      outcome = Self.outcome(latest, mayRun: mayRun, caughtUp: caughtUp)
      start = latest?.started
      end = latest?.ended
      let isTold = outcome == .failed
      errorCode = isTold ? latest?.code ?? Self.unexplainedCode : nil
      errorMessage = isTold ? latest?.message ?? Self.unexplained(kind.rawValue) : nil
      errorAdvice = isTold ? latest?.advice ?? Self.unexplainedAdvice : nil
    }

    private static func outcome(_ latest: EventRow?, mayRun: Bool, caughtUp: Int64?) -> Outcome {
      guard let latest else { return .notObserved }
      if latest.ended == nil && mayRun { return .running }
      if latest.ended != nil && latest.succeeded == true { return .succeeded }
      // An answer that was lost leaves a failed export behind, which nothing follows where the
      // zone had taken the changes.
      if let caughtUp, caughtUp >= latest.ended ?? latest.started { return .settled }
      return latest.ended == nil ? .interrupted : .failed
    }

    /// The same with another error, as for a text that goes to somebody else.
    package func replacingError(code: String?, message: String?, advice: String?) -> Activity {
      var other = self
      (other.errorCode, other.errorMessage, other.errorAdvice) = (code, message, advice)
      return other
    }

    /// The code of an activity that ended without success and without an error.
    static let unexplainedCode = "unexplained"
    static let unexplainedAdvice = "It is tried again by itself."

    static func unexplained(_ kind: String) -> String {
      "Could not finish the \(kind), no reason was told."
    }
  }

  /// The activities whose latest run failed.
  public var failures: [Activity] { activities.filter { $0.outcome == .failed } }

  /// What was seen of one kind of activity.
  public func activity(_ kind: Activity.Kind) -> Activity? {
    activities.first { $0.kind == kind }
  }
}
