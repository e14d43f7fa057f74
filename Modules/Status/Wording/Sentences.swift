// All that people read of the state of sync, in one place. A name in braces is filled in, and
// {one|many} is chosen by the number {n}. Nothing here blames anybody or claims what nobody can see.
extension Wording {
  /// What is said of one state.
  public struct Sentence: Hashable, Sendable {
    /// In plain language.
    public let plain: String
    /// In the fewest words.
    public let short: String
    /// A sign, so that colour is never the only difference.
    public let symbol: String
    /// The name of a colour: `gray`, `blue`, `green`, `orange` or `red`.
    public let color: String

    fileprivate init(_ plain: String, _ short: String, _ symbol: String, _ color: String) {
      self.plain = plain
      self.short = short
      self.symbol = symbol
      self.color = color
    }
  }

  /// The name of a sentence, which no language changes.
  public enum Key: String, Hashable, Sendable, CaseIterable {
    // What the engine does.
    case phaseSettingUp, phaseImporting, phaseExporting, phaseFailed, phaseIdle, phaseUnknown
    // Where the store stands.
    case standingOff, standingOffWithoutTransport, standingSettingUp, standingWorking
    case standingCatchingUp, standingWaiting, standingWaitingUntil, standingBlocked
    case standingCaughtUp, standingCaughtUpInFolder
    // What waits, and what was seen to go out.
    case pendingForExport, pendingForFolder, heldDeletes, moreThings, exported, putInFolder
    // The person's switch.
    case switchOn, switchOnByHand, switchOnBlocked, switchOnWithoutTransport
    case switchOff, switchOffPurgePending
    // What stands in place of records.
    case firstLaunchLoading, firstLaunchChecking, firstLaunchEmpty, firstLaunchHasRecords
    // Why work is put off.
    case deferredOffline, deferredThrottled, deferredSignedOut, deferredRestricted
    case deferredNoAccount, deferredAccountUnknown, deferredDiskFull, deferredSchedule
    // How an activity went.
    case outcomeNotObserved, outcomeRunning, outcomeSucceeded, outcomeFailed
    case outcomeInterrupted, outcomeSettled
    // What the activities of the event log are.
    case activitySetup, activityImport, activityExport, activityHold, activityFirstSync
    case activityCompare, activityConflict, activityIdentity, activityStamps, activityPrune
    case activityMigration, activityCompaction
    // How far a change got.
    case gateSaved, gateImportedFrom, gateExported, gateInFolder, gateImportedBy, gateMergedBy
    case gateNotObserved, seenBy, lastHeard, neverHeard, lastActivity, lastActivityUnseen
    // What a peer asks.
    case questionPurged, questionReplaced, questionNotFound, questionAccount
  }
}

extension Wording.Key {
  /// The key of a state of the first launch.
  public init(_ state: FirstLaunch) {
    self =
      switch state {
      case .loading: .firstLaunchLoading
      case .checking: .firstLaunchChecking
      case .empty: .firstLaunchEmpty
      case .hasRecords: .firstLaunchHasRecords
      }
  }

  /// The key of a reason why work is put off.
  public init(_ deferral: Deferral) {
    self =
      switch deferral {
      case .offline: .deferredOffline
      case .throttled: .deferredThrottled
      case .signedOut: .deferredSignedOut
      case .restricted: .deferredRestricted
      case .noAccount: .deferredNoAccount
      case .accountUnknown: .deferredAccountUnknown
      case .diskFull: .deferredDiskFull
      case .schedule: .deferredSchedule
      }
  }

  /// The key of how an activity went.
  public init(_ outcome: StatusSnapshot.Activity.Outcome) {
    self =
      switch outcome {
      case .notObserved: .outcomeNotObserved
      case .running: .outcomeRunning
      case .succeeded: .outcomeSucceeded
      case .failed: .outcomeFailed
      case .interrupted: .outcomeInterrupted
      case .settled: .outcomeSettled
      }
  }

  /// The key of an activity by its name in the event log; nil for one that is not known.
  public init?(activity kind: String) {
    guard let first = kind.first else { return nil }
    self.init(rawValue: "activity" + first.uppercased() + kind.dropFirst())
  }

  /// What is said.
  public var sentence: Wording.Sentence {
    phases ?? standings ?? switches ?? launches ?? deferrals ?? outcomes ?? activities ?? gates
      ?? Wording.Sentence("Syncing", "Syncing", "…", "gray")
  }

  private var phases: Wording.Sentence? {
    switch self {
    case .phaseSettingUp: .init("Preparing", "Setting up sync", "…", "blue")
    case .phaseImporting: .init("Checking for updates", "Downloading", "↓", "blue")
    case .phaseExporting: .init("Saving changes", "Uploading", "↑", "blue")
    case .phaseFailed: .init("The last attempt did not succeed", "Sync failed", "✗", "red")
    case .phaseIdle: .init("Waiting for sync activity", "Sync completed", "·", "gray")
    case .phaseUnknown: .init("Waiting for sync activity", "Syncing", "…", "gray")
    default: nil
    }
  }

  private var standings: Wording.Sentence? {
    switch self {
    case .standingOff:
      .init(
        "Sync is switched off. Everything is saved on this device.", "Sync is off", "○", "gray")
    case .standingOffWithoutTransport:
      .init(
        "Sync is off: no transport is configured.", "No transport", "○", "gray")
    case .standingSettingUp:
      .init(
        "Checking: no setup or import was seen to succeed yet.", "Checking", "…", "blue")
    case .standingWorking: .init("Working.", "Working", "↻", "blue")
    case .standingCatchingUp:
      .init(
        "Catching up: related records may be missing until that ends.", "Catching up", "↻", "blue")
    case .standingWaiting: .init("Waiting: {reason}", "Waiting", "⏳", "orange")
    case .standingWaitingUntil:
      .init("Waiting until {time}: {reason}", "Waiting until {time}", "⏳", "orange")
    case .standingBlocked: .init("Blocked: {reason}", "Blocked", "✗", "red")
    case .standingCaughtUp:
      .init(
        "Caught up as of {time}: nothing was pending, and everything that was there is here.",
        "Caught up {time}", "✓", "green")
    case .standingCaughtUpInFolder:
      .init(
        "Caught up as of {time}: everything of this device was in the folder, and everything that "
          + "was there is here.", "In the folder {time}", "✓", "green")
    default: nil
    }
  }

  private var switches: Wording.Sentence? {
    switch self {
    case .pendingForExport:
      .init("{n} {change waits|changes wait} to be exported.", "{n} to export", "↑", "blue")
    case .pendingForFolder:
      .init(
        "{n} {change waits|changes wait} to be put in the folder.", "{n} for the folder", "↑",
        "blue")
    case .heldDeletes:
      .init(
        "{n} {delete|deletes} from elsewhere {waits|wait} for your word; the {record is|records "
          + "are} still here.", "{n} {delete|deletes} held", "?", "orange")
    case .moreThings: .init("And {n} {thing|things} more.", "{n} more", "…", "gray")
    case .exported: .init("Exported {n} {change|changes}.", "{n} exported", "↑", "green")
    case .putInFolder: .init("{n} {change|changes} put in the folder.", "{n} put", "↑", "green")
    case .switchOn: .init("on", "on", "●", "green")
    case .switchOnByHand: .init("on, cycles run when they are asked for", "by hand", "◐", "gray")
    case .switchOnBlocked: .init("on, but blocked", "blocked", "✗", "red")
    case .switchOnWithoutTransport:
      .init("on, but no transport is followed", "no transport", "○", "gray")
    case .switchOff: .init("off", "off", "○", "gray")
    case .switchOffPurgePending:
      .init(
        "off, the cloud copy waits to be purged", "off, purge pending", "⏳", "orange")
    default: nil
    }
  }

  private var launches: Wording.Sentence? {
    switch self {
    case .firstLaunchLoading: .init("Opening what is saved here.", "Loading", "…", "blue")
    case .firstLaunchChecking:
      .init(
        "Nothing is here yet; what other devices have was not seen to its end. You can begin to "
          + "write.", "Checking", "…", "blue")
    case .firstLaunchEmpty: .init("Nothing is here yet.", "Empty", "○", "gray")
    case .firstLaunchHasRecords: .init("Records are here.", "Has records", "●", "gray")
    default: nil
    }
  }

  private var deferrals: Wording.Sentence? {
    switch self {
    case .deferredOffline:
      .init("Waiting for a connection; everything is saved here", "No connection", "⏳", "orange")
    case .deferredThrottled:
      .init(
        "Waiting, since the other side is busy; everything is saved here", "Busy", "⏳", "orange")
    case .deferredSignedOut:
      .init(
        "Waiting for somebody to sign in; everything is saved here", "Signed out", "⏸", "orange")
    case .deferredRestricted:
      .init(
        "Waiting, since this account may not use sync; everything is saved here", "Restricted",
        "⏸", "orange")
    case .deferredNoAccount:
      .init(
        "Waiting for an account that the other side knows; everything is saved here",
        "No account", "⏸", "orange")
    case .deferredAccountUnknown:
      .init(
        "Waiting until the account can be told; everything is saved here", "Account unknown",
        "⏳", "orange")
    case .deferredDiskFull:
      .init(
        "Waiting for space on the disk; what was saved stays saved", "Disk full", "⏳", "orange")
    case .deferredSchedule:
      .init(
        "Waiting until sync is asked for; everything is saved here", "By hand", "⏸", "gray")
    default: nil
    }
  }

  private var outcomes: Wording.Sentence? {
    switch self {
    case .outcomeNotObserved: .init("not observed", "not observed", "–", "gray")
    case .outcomeRunning: .init("running", "running", "↻", "blue")
    case .outcomeSucceeded: .init("succeeded", "succeeded", "✓", "green")
    case .outcomeFailed: .init("did not succeed", "failed", "✗", "red")
    case .outcomeInterrupted: .init("interrupted", "interrupted", "◌", "orange")
    case .outcomeSettled:
      .init("did not succeed, and was seen to be settled later", "settled", "✓", "gray")
    default: nil
    }
  }

  private var activities: Wording.Sentence? {
    switch self {
    case .activitySetup: .init("Setup", "Setup", "…", "blue")
    case .activityImport: .init("Import", "Import", "↓", "blue")
    case .activityExport: .init("Export", "Export", "↑", "blue")
    case .activityHold: .init("Deletes were held", "Held", "?", "orange")
    case .activityFirstSync:
      .init("Records were laid aside in the first sync", "First sync", "·", "gray")
    case .activityCompare: .init("Everything is compared anew", "Compare", "⇄", "gray")
    case .activityConflict:
      .init("Values lost to concurrent ones and were kept", "Conflicts", "≠", "gray")
    case .activityIdentity: .init("The store took a new identity", "Identity", "·", "gray")
    case .activityStamps: .init("Times from the future were corrected", "Times", "·", "gray")
    case .activityPrune: .init("Old history was taken away", "Pruning", "·", "gray")
    case .activityMigration: .init("The store was migrated", "Migration", "·", "gray")
    case .activityCompaction: .init("Files were gathered", "Compaction", "·", "gray")
    default: nil
    }
  }

  private var gates: Wording.Sentence? {
    switch self {
    case .gateSaved: .init("saved here", "saved", "●", "gray")
    case .gateImportedFrom: .init("imported from {name}", "imported", "↓", "gray")
    case .gateExported: .init("exported to {name}", "exported", "↑", "gray")
    case .gateInFolder: .init("in the folder {name}", "in the folder", "↑", "gray")
    case .gateImportedBy: .init("imported by {name}", "{name}", "↓", "gray")
    case .gateMergedBy: .init("merged by {name}", "{name}", "·", "gray")
    case .gateNotObserved: .init("not observed", "not observed", "–", "gray")
    case .seenBy: .init("seen by {name} {time}", "{name} {time}", "✓", "green")
    case .lastHeard:
      .init("{name} last heard from {time}", "{name} heard {time}", "–", "gray")
    case .neverHeard: .init("{name} not heard from yet", "{name} not heard", "–", "gray")
    case .lastActivity: .init("last activity {time}", "{time}", "·", "gray")
    case .lastActivityUnseen: .init("no activity was seen yet", "none yet", "–", "gray")
    case .questionPurged:
      .init("{name} had everything there removed{moment}.", "Removed there", "?", "orange")
    case .questionReplaced:
      .init("Another zone stands where the known one was.", "Another zone", "?", "orange")
    case .questionNotFound: .init("The known zone is not there.", "No zone", "?", "orange")
    case .questionAccount:
      .init(
        "The account '{found}' is signed in and not '{known}'.", "Another account", "?", "orange")
    default: nil
    }
  }
}
