public import StrandlineStorage

/// What a store's tables say of syncing with one peer at one moment.
///
/// It is computed from what was observed and recorded, so another process that reads only the
/// database gets the same answer. It never says that everything is synced, which nobody can know,
/// and has no percentage.
public struct StatusSnapshot: Hashable, Sendable {
  /// What the engine does now.
  public enum Phase: Hashable, Sendable {
    /// No activity runs.
    case idle
    /// The account and the zone are looked up.
    case settingUp
    /// Changes of others are fetched and merged.
    case importing
    /// Changes of this device are sent.
    case exporting
    /// Nothing runs, and the latest activity of some kind failed, with its message.
    case failed(String)

    /// The stable name, for programs.
    public var name: String {
      switch self {
      case .idle: "idle"
      case .settingUp: "settingUp"
      case .importing: "importing"
      case .exporting: "exporting"
      case .failed: "failed"
      }
    }
  }

  /// Where this store stands with the peer.
  public enum Standing: String, Hashable, Sendable {
    /// The person has switched sync off, or no transport is configured.
    case off
    /// No setup or import was seen to succeed yet.
    case settingUp
    /// Something is pending, a catch-up is under way, or deletes from elsewhere are held.
    case working
    /// At the moment named by ``StatusSnapshot/asOf`` nothing was pending, and everything that
    /// the peer had was imported.
    case caughtUp
    /// The next attempt comes at ``StatusSnapshot/until``, for the reason that is given.
    case waiting
    /// Nothing is tried until somebody does something: the reason and the cure say what.
    case blocked
  }

  /// What other devices have told a peer of what they hold.
  public struct Receipts: Hashable, Sendable {
    /// How many other devices have told it.
    public var devices: Int
    /// How many of them hold everything that this store sent there.
    public var complete: Int
    /// Whether this store has sent anything there.
    public var hasSent: Bool

    /// Counts devices.
    public init(devices: Int = 0, complete: Int = 0, hasSent: Bool = false) {
      self.devices = devices
      self.complete = complete
      self.hasSent = hasSent
    }
  }

  /// A cloud copy that is still to be purged.
  public struct Purge: Hashable, Sendable {
    /// Why the last attempt did not succeed; nil before the first one.
    public var reason: String?
    /// What to do about it.
    public var cure: String?
    /// When it is tried again, in milliseconds since 1970.
    public var until: Int64?
  }

  /// The device's name.
  public var device: String
  /// The peer as the person wrote it; `none` where none is followed.
  public var peer: String
  /// What the engine does now.
  public var phase: Phase
  /// Where this store stands.
  public var standing: Standing
  /// When the store was last seen to be caught up, in milliseconds since 1970.
  public var asOf: Int64?
  /// When the next attempt comes, in milliseconds since 1970.
  public var until: Int64?
  /// Why it waits or is blocked.
  public var reason: String?
  /// The stable name of the reason.
  public var reasonCode: String?
  /// What to do about it.
  public var cure: String?
  /// What the person has to decide before the peer is synced with again.
  public var question: PeerQuestion?
  /// How many records of each entity are pending.
  public var pendingByEntity: [String: Int]
  /// When the oldest pending change was made, in milliseconds since 1970.
  public var oldestPending: Int64?
  /// How many records the peer refused.
  public var setAside: Int
  /// How many references point at records that are not here.
  public var orphans: Int
  /// How many values lost to concurrent ones and are listed.
  public var conflicts: Int
  /// How many edits wait for the insert that they belong to.
  public var parked: Int
  /// How many deletes from elsewhere wait for the person's word: the peer no longer has these
  /// records, and they are still here.
  public var heldDeletes = 0
  /// Whether a long catch-up is under way, so that related records may be missing.
  public var isCatchingUp: Bool
  /// What the zone was known to lack when it was read last, as sentences; while there is any, the
  /// store is not caught up.
  public var waitingFor: [String] = []
  /// What people may want to know of the zone and what holds nothing back, as sentences.
  public var notices: [String] = []
  /// Whether an acknowledgement proves only that others can find the changes: they are in the
  /// folder, and whether they left this disk is unknown.
  public var isPublished = false
  /// What other devices have told the peer.
  public var receipts = Receipts()
  /// When an activity was last seen to succeed, in milliseconds since 1970.
  public var lastSuccessfulActivity: Int64?
  /// What the person wants.
  public var isWanted: Bool
  /// Whether cycles may run now.
  public var isActive: Bool
  /// Whether a purge of the cloud copy is still to be done.
  public var isPurgePending: Bool
  /// Why the purge of this peer's cloud copy is still to be done; nil where none is.
  public var purge: Purge?
  /// Whether the person lets cycles begin by themselves.
  public var isAutomatic = true
  /// What an app may show in place of records; it holds for the store and not for this peer alone.
  public var firstLaunch: FirstLaunch
  /// What was seen of setup, import and export, each by itself.
  public var activities: [Activity] = []
  /// The process that has the store's lease, if one has.
  public var leaseHolder: String?

  /// How many records are pending.
  public var pending: Int { pendingByEntity.values.reduce(0, +) }
}
