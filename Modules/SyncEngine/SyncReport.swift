public import StrandlineModels

/// What one cycle with one peer was seen to do.
public struct SyncReport: Sendable {
  /// The peer, as the person wrote it.
  public var peer: String
  /// How many records the import changed.
  public var imported: Int
  /// How many records the export sent and the peer acknowledged.
  public var exported: Int
  /// How many records were set aside in this cycle.
  public var setAside: Int
  /// How many values were found to have lost.
  public var conflicts: Int
  /// When the store held all that the peer had and nothing was pending, in milliseconds since
  /// 1970; nil where that was not seen.
  public var caughtUpAt: Int64?
  /// Why the cycle did not come to its end.
  public var error: (any ExplainedError)?

  /// Whether the cycle did anything that a person would want to hear of.
  public var isWorthTelling: Bool {
    imported + exported + setAside + conflicts > 0 || error != nil
  }

  package init(peer: String, error: (any ExplainedError)? = nil) {
    self.peer = peer
    self.error = error
    imported = 0
    exported = 0
    setAside = 0
    conflicts = 0
  }
}
