/// What the person wants of sync and what is so now, with whatever a change still waits for.
public struct SwitchState: Hashable, Sendable {
  /// Where the switch stands, in one word for programs.
  public enum Standing: String, Hashable, Sendable, CaseIterable {
    /// Sync is off.
    case off
    /// Sync is off, and another process ends what it had begun.
    case offFinishing
    /// Sync is off, and a cloud copy is still to be purged.
    case offPurging
    /// Sync is on.
    case on
    /// Sync is on, and something is waited for before cycles run with every followed peer.
    case onWaiting
  }

  /// Something that a change of the switch waits for.
  public struct Wait: Hashable, Sendable {
    /// The stable name.
    public let code: String
    /// The peer that is concerned; nil for all.
    public let peer: String?
    /// What is waited for, as a sentence.
    public let reason: String
    /// What to do about it; empty where it passes by itself.
    public let cure: String

    package init(_ code: String, peer: String? = nil, reason: String, cure: String = "") {
      self.code = code
      self.peer = peer
      self.reason = reason
      self.cure = cure
    }
  }

  /// What is known of a followed peer.
  package struct Peer: Hashable, Sendable {
    package var id: Int64
    package var specification: String
    package var isBlocked = false
    /// Why it is blocked or waits.
    package var reasonCode: String?
    package var reason: String?
    package var cure: String?
    /// When a cycle with it was last seen to succeed, in milliseconds since 1970.
    package var lastSuccess: Int64?
    /// Whether an activity with it has begun and not ended.
    package var isRunning = false

    package init(id: Int64, specification: String) {
      self.id = id
      self.specification = specification
    }
  }

  /// Whether the person wants sync.
  public let isWanted: Bool
  /// Whether cycles run with at least one peer, as far as was seen.
  public let isActive: Bool
  /// Whether cycles run by themselves.
  public let isAutomatic: Bool
  /// Where the switch stands.
  public let standing: Standing
  /// What is waited for.
  public let waits: [Wait]
  /// The cloud copies that are still to be purged.
  public let purges: [PendingPurge]

  /// Judges what the tables and the lease say.
  ///
  /// - Parameters:
  ///   - state: The switch as the store keeps it.
  ///   - peers: The followed peers.
  ///   - holder: The other process that has the lease; nil where none has.
  package init(_ state: SyncSwitch, peers: [Peer], otherHolder holder: String?) {
    isWanted = state.isWanted
    isAutomatic = state.isAutomatic
    purges = state.purges
    guard state.isWanted else {
      let finishing = holder.flatMap { holder in
        peers.contains(where: \.isRunning) ? SwitchWording.finishing(holder) : nil
      }
      let isPurging = state.isPurgePending
      let held = holder.flatMap { !isPurging ? nil : SwitchWording.purgeElsewhere($0) }
      let left = state.purges.filter { purge in !peers.contains { $0.id == purge.peer } }
      isActive = finishing != nil
      waits = [finishing, held].compactMap(\.self) + left.map(SwitchWording.notFollowed)
      standing = finishing != nil ? .offFinishing : isPurging ? .offPurging : .off
      return
    }
    let found = peers.map { peer in
      Self.wait(peer, since: state.changed, holder, isAutomatic: state.isAutomatic)
    }
    waits = peers.isEmpty ? [SwitchWording.noTransport] : found.compactMap(\.self)
    isActive = found.contains(nil)
    standing = waits.isEmpty ? .on : .onWaiting
  }

  private static func wait(
    _ peer: Peer, since changed: Int64?, _ holder: String?, isAutomatic: Bool
  ) -> Wait? {
    if peer.isBlocked || peer.reason != nil { return SwitchWording.blocked(peer) }
    if let last = peer.lastSuccess, last >= changed ?? .min { return nil }
    if let holder { return SwitchWording.lease(peer, holder) }
    return SwitchWording.firstCycle(peer, isAutomatic: isAutomatic)
  }
}
