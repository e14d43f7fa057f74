public import StrandlineModels

/// What cycles with one peer were seen to do.
public struct PeerReport: Sendable {
  /// The peer, as the person wrote it.
  public var peer: String
  /// How many records the import changed.
  public var imported: Int
  /// How many records the export sent and the peer acknowledged.
  public var exported: Int
  /// How many records were set aside.
  public var setAside: Int
  /// How many values were found to have lost.
  public var conflicts: Int
  /// How many deletes from elsewhere were held, since they were too many at once.
  public var heldDeletes: Int
  /// When the store held all that the peer had and nothing was pending, in milliseconds since
  /// 1970; nil where that was not seen.
  public var caughtUpAt: Int64?
  /// What the zone was known to lack, as sentences; while there is any, nothing is caught up.
  public var waitingFor: [String]
  /// What people may want to know of the zone and what holds nothing back, as sentences.
  public var notices: [String]
  /// What became of a cloud copy that was to be purged; nil where none was.
  public var purge: PurgeOutcome?
  /// Whether an acknowledgement of this peer proves only that others can find the changes.
  public var isPublished: Bool
  /// Whether all is done but what the person has to decide: deletes that are held.
  package var awaitsWord = false
  /// Why the last cycle did not come to its end.
  public var error: (any ExplainedError)?

  /// Whether anything was done that a person would want to hear of.
  public var isWorthTelling: Bool {
    imported + exported + setAside + conflicts + heldDeletes > 0 || error != nil || purge != nil
  }

  package init(peer: String, isPublished: Bool = false, error: (any ExplainedError)? = nil) {
    self.peer = peer
    self.isPublished = isPublished
    self.error = error
    imported = 0
    exported = 0
    setAside = 0
    conflicts = 0
    heldDeletes = 0
    waitingFor = []
    notices = []
  }

  /// Adds what a later cycle with the same peer was seen to do; what it says of the present holds.
  package mutating func add(_ later: PeerReport) {
    imported += later.imported
    exported += later.exported
    setAside += later.setAside
    conflicts += later.conflicts
    heldDeletes += later.heldDeletes
    awaitsWord = later.awaitsWord
    caughtUpAt = later.caughtUpAt
    waitingFor = later.waitingFor
    notices = later.notices
    error = later.error
  }
}
