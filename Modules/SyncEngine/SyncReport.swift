public import StrandlineModels

/// What cycles with all followed peers of a store were seen to do: one report each, and the sum.
///
/// No success of one peer hides a failure of another: ``peers`` has both, ``error`` is that of the
/// first peer that failed, and ``caughtUpAt`` is there only where every peer was caught up.
public struct SyncReport: Sendable {
  /// What was seen with each peer, in the order in which they are followed.
  public var peers: [PeerReport]

  /// Gathers reports.
  public init(peers: [PeerReport]) {
    self.peers = peers
  }

  /// How many records the imports changed.
  public var imported: Int { peers.reduce(0) { $0 + $1.imported } }
  /// How many records the exports sent and the peers acknowledged; once for each peer.
  public var exported: Int { peers.reduce(0) { $0 + $1.exported } }
  /// How many records were set aside.
  public var setAside: Int { peers.reduce(0) { $0 + $1.setAside } }
  /// How many values were found to have lost.
  public var conflicts: Int { peers.reduce(0) { $0 + $1.conflicts } }
  /// How many deletes from elsewhere were held, since they were too many at once.
  public var heldDeletes: Int { peers.reduce(0) { $0 + $1.heldDeletes } }
  /// What the zones were known to lack, as sentences.
  public var waitingFor: [String] { peers.flatMap(\.waitingFor) }

  /// When the store held all that every peer had and nothing was pending, in milliseconds since
  /// 1970; nil where that was not seen of one of them.
  public var caughtUpAt: Int64? {
    let times = peers.map(\.caughtUpAt)
    return times.contains(nil) ? nil : times.compactMap(\.self).min()
  }

  /// Why the last cycle with a peer did not come to its end, for the first peer of which that
  /// is so.
  public var error: (any ExplainedError)? { peers.lazy.compactMap(\.error).first }

  /// The report of one peer, by the words that the person wrote.
  public subscript(_ peer: String) -> PeerReport? { peers.first { $0.peer == peer } }
}
