/// A cloud copy that the person asked to be purged, until that is done.
public struct PendingPurge: Hashable, Sendable {
  /// Why the last attempt did not succeed.
  public struct Failure: Hashable, Sendable {
    /// The stable name of the reason.
    public var code: String
    /// What could not be done, and why.
    public var message: String
    /// What to do about it.
    public var advice: String
    /// When the next attempt comes, in milliseconds since 1970; nil where it comes with the next
    /// start.
    public var retryAt: Int64?

    /// Describes a failure.
    public init(code: String, message: String, advice: String, retryAt: Int64?) {
      self.code = code
      self.message = message
      self.advice = advice
      self.retryAt = retryAt
    }
  }

  /// The number of the peer whose zone is meant.
  public let peer: Int64
  /// The transport and its address as the person wrote them.
  public let specification: String
  /// When the person asked for it, in milliseconds since 1970.
  public let asked: Int64
  /// How often it was tried.
  public internal(set) var attempts: Int
  /// Why the last attempt did not succeed; nil before the first one ended.
  public internal(set) var failure: Failure?

  /// Describes a purge that is pending.
  public init(
    peer: Int64, specification: String, asked: Int64, attempts: Int = 0, failure: Failure? = nil
  ) {
    self.peer = peer
    self.specification = specification
    self.asked = asked
    self.attempts = attempts
    self.failure = failure
  }

  /// Whether an attempt may be made now.
  ///
  /// A time farther ahead than any wait may be was written by a clock that has been set back since.
  ///
  /// - Parameters:
  ///   - now: The time, in milliseconds since 1970.
  ///   - longestWait: The longest wait that there is, in milliseconds.
  /// - Returns: Whether the wait is over.
  public func isDue(at now: Int64, longestWait: Int64) -> Bool {
    guard let retryAt = failure?.retryAt else { return true }
    return now >= retryAt || retryAt - now > longestWait
  }
}
