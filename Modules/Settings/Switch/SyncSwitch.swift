import StrandlineModels
import StrandlineStorage

/// Whether the person wants sync, and which cloud copies are still to be purged, as the store
/// keeps it.
///
///     off ──turnOn──▶ on
///      ▲               │
///      └───turnOff─────┘
///
///     no purge ──turnOff(purge)──▶ pending ──purgeBegan──▶ tried ──purged──▶ no purge
///                                    ▲  │                  │  │
///                                    │  └─turnOn, keepCopy─┘  │
///                                    └────────purgeFailed─────┘
///
/// A purge that is dropped after it was tried may have reached the zone all the same, without its
/// answer. It is remembered as withdrawn, so that the person who asked for it is not asked who did.
public struct SyncSwitch: Hashable, Sendable {
  /// Whether the person wants sync.
  public private(set) var isWanted: Bool
  /// Whether cycles run by themselves.
  public private(set) var isAutomatic: Bool
  /// The cloud copies that are still to be purged, in the order of their peers' numbers.
  public private(set) var purges: [PendingPurge]
  /// When sync was switched on or off last, in milliseconds since 1970; nil for never.
  public private(set) var changed: Int64?
  /// The peers whose purge was dropped after it was tried.
  package private(set) var withdrawn: Set<Int64>

  /// Whether a cloud copy is still to be purged.
  public var isPurgePending: Bool { !purges.isEmpty }

  /// What can happen to the switch.
  public enum Event: Hashable, Sendable {
    /// The person switched sync on, or configured a transport by hand; pending purges are dropped.
    case turnOn
    /// The person switched sync off, and asked for the cloud copies to be purged or for nothing
    /// more; a purge that was asked for before stays pending.
    case turnOff(purge: Bool)
    /// The person changed their mind about purges that are still pending.
    case keepCopy
    /// The purge of a peer's zone is about to be asked for.
    case purgeBegan(Int64)
    /// A peer's zone was purged, or was gone already.
    case purged(Int64)
    /// A peer's zone could not be purged.
    case purgeFailed(Int64, PendingPurge.Failure)
    /// The person chose whether cycles run by themselves.
    case setAutomatic(Bool)
  }

  /// A peer that has a zone, which a purge would empty.
  public struct Zone: Hashable, Sendable {
    /// The peer's number.
    public let peer: Int64
    /// The transport and its address as the person wrote them.
    public let specification: String

    /// Names a peer that has a zone.
    public init(peer: Int64, specification: String) {
      self.peer = peer
      self.specification = specification
    }
  }

  /// Starts from what was stored.
  public init(
    isWanted: Bool = false, isAutomatic: Bool = true, purges: [PendingPurge] = [],
    changed: Int64? = nil
  ) {
    self.init(
      isWanted: isWanted, isAutomatic: isAutomatic, purges: purges, changed: changed,
      withdrawn: [])
  }

  package init(
    isWanted: Bool, isAutomatic: Bool, purges: [PendingPurge], changed: Int64?,
    withdrawn: Set<Int64>
  ) {
    self.isWanted = isWanted
    self.isAutomatic = isAutomatic
    self.purges = purges
    self.changed = changed
    self.withdrawn = withdrawn
  }

  /// Takes one step.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - zones: The zones of the followed peers; where there is none, nothing is to be purged.
  ///   - now: The time, in milliseconds since 1970.
  public mutating func handle(_ event: Event, zones: [Zone] = [], at now: Int64) {
    switch event {
    case .turnOn:
      if !isWanted { changed = now }
      isWanted = true
      dropPurges()
    case .turnOff(let purge):
      if isWanted { changed = now }
      isWanted = false
      if purge { for zone in zones { ask(zone, at: now) } }
    case .keepCopy: dropPurges()
    case .purgeBegan(let peer): change(peer) { $0.attempts += 1 }
    case .purged(let peer):
      purges.removeAll { $0.peer == peer }
      withdrawn.remove(peer)
    case .purgeFailed(let peer, let failure): change(peer) { $0.failure = failure }
    case .setAutomatic(let automatic): isAutomatic = automatic
    }
  }

  private mutating func ask(_ zone: Zone, at now: Int64) {
    guard !purges.contains(where: { $0.peer == zone.peer }) else { return }
    purges.append(PendingPurge(peer: zone.peer, specification: zone.specification, asked: now))
    purges.sort { $0.peer < $1.peer }
    withdrawn.remove(zone.peer)
  }

  private mutating func dropPurges() {
    withdrawn.formUnion(purges.filter { $0.attempts > 0 }.map(\.peer))
    purges = []
  }

  private mutating func change(_ peer: Int64, _ body: (inout PendingPurge) -> Void) {
    for index in purges.indices where purges[index].peer == peer { body(&purges[index]) }
  }
}
