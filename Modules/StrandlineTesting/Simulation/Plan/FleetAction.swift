import StrandlineModels

/// One thing that happens in a simulated fleet.
///
/// What is random in it follows from its own seed, so it means the same in any part of a plan.
public struct FleetAction: Hashable, Sendable {
  /// What happens.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case edit = "edits"
    case editRapidly = "edits rapidly"
    case editByOtherClient = "is edited by another SQLite client"
    case deleteMany = "deletes nearly everything"
    case runCycle = "runs a cycle to its end"
    case takeSteps = "takes some steps of a cycle"
    case passTime = "lets time pass"
    case changeLink = "gets a bad link"
    case mendLink = "gets a good link"
    case expireCursor = "will find its cursor expired"
    case kill = "is killed"
    case losePower = "loses power"
    case backUpDevice = "is backed up"
    case restoreDevice = "is put back from its backup"
    case cloneDevice = "is cloned"
    case wipeDevice = "loses its store"
    case join = "is joined by a new device"
    case setClockWrong = "gets a wrong clock"
    case setClockRight = "gets its clock set right"
    case stayAway = "works while the others are away for long"
    case backUpServer = "sees the server backed up"
    case restoreServer = "sees the server put back"
    case purgeZone = "sees the zone purged"
    case answerQuestion = "answers what it is asked"
    case signOut = "signs out"
    case useOtherAccount = "signs in to another account"
    case signIn = "signs in again"
    case refuseRecords = "gets records refused"
    case takeRecords = "gets no record refused any more"
    case switchOff = "switches sync off"
    case switchOn = "switches sync on"
    case upgradeModel = "gets the newer model"
    case prune = "prunes its history"
  }

  /// What happens.
  package let kind: Kind
  /// Which device it happens to, taken modulo the devices that there are.
  package let device: Int
  /// What is random in it follows from this.
  package let seed: UInt64

  /// Makes an action.
  package init(_ kind: Kind, device: Int, seed: UInt64) {
    self.kind = kind
    self.device = device
    self.seed = seed
  }

  var random: SeededGenerator { SeededGenerator(seed: seed) }
}

extension FleetAction: CustomStringConvertible {
  /// The device and what happens to it.
  public var description: String { "device \(device) \(kind.rawValue)" }
}
