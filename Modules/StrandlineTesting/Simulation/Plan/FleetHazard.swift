/// A kind of trouble that a simulated fleet may meet.
///
/// Each run draws some of them, and how often each happens, so that a run shows few kinds of
/// trouble together and many runs show all of them.
public enum FleetHazard: String, Hashable, Sendable, CaseIterable {
  /// Messages that are lost, late, doubled, out of order, answered with nonsense or refused for a
  /// while, and links that are down or open in one direction.
  case links
  /// Processes that end between any two steps.
  case kills
  /// Machines that lose power, and with it what was not durable.
  case powerLoss
  /// Devices that are put back from an older backup.
  case deviceRestores
  /// Devices that are copied, with both alive.
  case clones
  /// Devices that lose their store and begin anew.
  case wipes
  /// Devices that join late.
  case joins
  /// Clocks that are wrong, and are set right.
  case clocks
  /// Places in the zone's feed that are no longer known.
  case cursors
  /// Devices that are away until the zone waits for them no longer.
  case absences
  /// Servers that are put back from a backup, announced or not.
  case serverRestores
  /// Zones of which somebody has everything removed, and persons who let their devices begin a new
  /// one.
  case purges
  /// Accounts that are signed out, or others that are signed in for a while.
  case accounts
  /// Records that the server refuses, for themselves or for their size.
  case refusals
  /// Persons who switch sync off and on.
  case switches
  /// Devices that use a newer model than the others for a while.
  case upgrades
  /// History that is pruned early.
  case pruning
  /// Other SQLite clients that write into the stores.
  case otherClients
  /// Values that change several times within one millisecond or second.
  case rapidEdits
  /// Persons who delete nearly everything at once, which is held elsewhere until a person agrees.
  case massDeletes
  /// Groups that need several pages, and uploads that need several groups.
  case smallPages
}

extension FleetHazard {
  /// What happens in a run that has it, with how often against the other actions.
  var actions: [(kind: FleetAction.Kind, weight: Int)] {
    switch self {
    case .links: [(.changeLink, 5), (.mendLink, 2)]
    case .kills: [(.kill, 5)]
    case .powerLoss: [(.losePower, 3)]
    case .deviceRestores: [(.backUpDevice, 4), (.restoreDevice, 3)]
    case .clones: [(.cloneDevice, 2)]
    case .wipes: [(.wipeDevice, 2)]
    case .joins: [(.join, 2)]
    case .clocks: [(.setClockWrong, 3), (.setClockRight, 3)]
    case .cursors: [(.expireCursor, 3)]
    case .absences: [(.stayAway, 3)]
    case .serverRestores: [(.backUpServer, 4), (.restoreServer, 3)]
    case .purges: [(.purgeZone, 2), (.answerQuestion, 6)]
    case .accounts: [(.signOut, 2), (.useOtherAccount, 2), (.signIn, 3)]
    case .refusals: [(.refuseRecords, 3), (.takeRecords, 2)]
    case .switches: [(.switchOff, 3), (.switchOn, 3)]
    case .upgrades: [(.upgradeModel, 3)]
    case .pruning: [(.prune, 4)]
    case .otherClients: [(.editByOtherClient, 12)]
    case .rapidEdits: [(.editRapidly, 10)]
    case .massDeletes: [(.deleteMany, 3)]
    case .smallPages: []
    }
  }

  /// The kinds of trouble that take away what only one had.
  static let thoseThatLose: Set<FleetHazard> = [
    .powerLoss, .deviceRestores, .wipes, .serverRestores, .purges,
  ]

  /// Whether the lists of values that lost may differ between devices once it has happened: a
  /// device that comes late, or twice, is not told of everything.
  var disturbsConflicts: Bool {
    switch self {
    case .powerLoss, .deviceRestores, .clones, .wipes, .joins, .absences, .serverRestores,
      .purges, .upgrades, .pruning, .cursors, .refusals, .clocks, .massDeletes:
      true
    default: false
    }
  }
}
