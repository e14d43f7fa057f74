/// The sentences that people read about the switch.
///
/// None of them says that anything is synced; only what was seen is said.
public enum SwitchWording {
  // MARK: What is waited for

  static let noTransport = SwitchState.Wait(
    "noTransport", reason: "No transport is followed.",
    cure: "Follow one; everything is saved on this device until then.")

  static func blocked(_ peer: SwitchState.Peer) -> SwitchState.Wait {
    SwitchState.Wait(
      peer.reasonCode ?? "blocked", peer: peer.specification,
      reason: peer.reason ?? "Something has to be done before '\(peer.specification)' is synced "
        + "with.", cure: peer.cure ?? "")
  }

  static func lease(_ peer: SwitchState.Peer, _ holder: String) -> SwitchState.Wait {
    SwitchState.Wait(
      "leaseHeld", peer: peer.specification,
      reason: "Another program, \(holder), syncs this store, and its next cycle with "
        + "'\(peer.specification)' was not seen yet.")
  }

  static func firstCycle(_ peer: SwitchState.Peer, isAutomatic: Bool) -> SwitchState.Wait {
    SwitchState.Wait(
      "firstCycle", peer: peer.specification,
      reason: "No cycle with '\(peer.specification)' was seen to succeed since sync was switched "
        + "on.", cure: isAutomatic ? "" : "Sync now; no cycle runs by itself.")
  }

  static func finishing(_ holder: String) -> SwitchState.Wait {
    SwitchState.Wait(
      "finishing",
      reason: "Another program, \(holder), ends what it had begun before sync was switched off.")
  }

  static func purgeElsewhere(_ holder: String) -> SwitchState.Wait {
    SwitchState.Wait(
      "leaseHeld",
      reason: "Another program, \(holder), has the right to sync this store and does the purge.")
  }

  static func notFollowed(_ purge: PendingPurge) -> SwitchState.Wait {
    SwitchState.Wait(
      "notFollowed", peer: purge.specification,
      reason: "The cloud copy in '\(purge.specification)' cannot be purged while that is not "
        + "followed.",
      cure: "Follow it again, or drop the purge with sync off --keep.")
  }

  // MARK: Where the switch stands

  /// That sync is off, and what that means.
  public static let off = "Sync is off. Everything is saved on this device."

  /// Where the switch stands, as one sentence.
  public static func sentence(_ state: SwitchState) -> String {
    switch state.standing {
    case .off: off
    case .offFinishing: "Sync is off: " + reasons(state)
    case .offPurging: "Sync is off, and the cloud copy is still to be purged."
    case .on: "Sync is on."
    case .onWaiting: "Sync is on, and waits: " + reasons(state)
    }
  }

  private static func reasons(_ state: SwitchState) -> String {
    state.waits.flatMap { [$0.reason, $0.cure] }.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Why a purge is still pending and when it is tried again.
  ///
  /// - Parameters:
  ///   - purge: The purge.
  ///   - now: The time, in milliseconds since 1970.
  ///   - time: Writes a moment, given in milliseconds since 1970.
  /// - Returns: The sentences as one text.
  public static func pending(
    _ purge: PendingPurge, now: Int64, time: (Int64) -> String
  ) -> String {
    let what =
      "The cloud copy in '\(purge.specification)' is still to be purged, as was asked at "
      + "\(time(purge.asked))."
    guard let failure = purge.failure else {
      return what
        + (purge.attempts == 0
          ? " It was not tried yet." : " No answer to the last attempt was seen.")
    }
    let next =
      failure.retryAt.flatMap { $0 > now ? "It is tried again at \(time($0))." : nil }
      ?? "It is tried again when syncing starts next."
    return [what, failure.message, failure.advice, next].compactMap(\.self)
      .filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// That a cloud copy was purged.
  public static func purged(_ peer: String, wasGone: Bool) -> String {
    wasGone
      ? "The cloud copy in '\(peer)' was gone already."
      : "The cloud copy in '\(peer)' was purged; everything stays on this device."
  }

  /// What the marks on a store's files say to backup programs.
  public static func backups(_ state: BackupState) -> String {
    let what =
      switch state.extent {
      case .included: "This store's files are in backups as any others."
      case .folder:
        "The store's folder and files are marked to be left out of backups (no-dump attribute and "
          + "CACHEDIR.TAG)."
      case .files:
        "The store's files are marked to be left out of backups (no-dump attribute); their folder "
          + "is not, since other files are in it."
      case .tag:
        "The store's folder is marked to be left out of backups by CACHEDIR.TAG alone; its file "
          + "system has no attribute for it."
      case .partly: "Only some of the store's files are marked to be left out of backups."
      case .unsupported:
        "This store's files cannot be marked to be left out of backups, their file system has no "
          + "such mark."
      }
    return [what, state.trouble].compactMap(\.self).joined(separator: " ")
  }

  // MARK: Before a change

  /// That to purge switches sync off.
  public static let purgeSwitchesOff =
    "Sync is switched off for this, or this device would upload everything again."

  /// What purging the followed zones would do, one sentence after the other.
  public static func purgeSentences(
    _ change: SwitchConsequences, _ time: (Int64) -> String
  ) -> [String] {
    purge(change, time)
  }

  static func consequences(
    _ change: SwitchConsequences, _ time: (Int64) -> String
  ) -> [String] {
    switch change.change {
    case .on: on(change)
    case .off: off(change) + kept(change) + leftOut
    case .offWithPurge: off(change) + purge(change, time) + leftOut
    }
  }

  private static func on(_ change: SwitchConsequences) -> [String] {
    var sentences = change.pendingPurges.map {
      "The purge of the cloud copy in '\($0)' that is still pending is dropped."
    }
    let names = list(change.zones.map { "'\($0.peer)'" })
    sentences.append(
      "Changes of this device go to \(names), and changes that are there come here.")
    let fresh = change.zones.filter { !$0.hasCopy }
    if !fresh.isEmpty && change.records > 0 {
      sentences.append(
        "\(count(change.records, "record")) of this device \(change.records == 1 ? "goes" : "go") "
          + "to \(list(fresh.map { "'\($0.peer)'" })), and what is there already is merged with "
          + "\(change.records == 1 ? "it" : "them").")
    }
    sentences.append("This store's files are in backups again; older backups are not changed.")
    return sentences
  }

  private static func off(_ change: SwitchConsequences) -> [String] {
    var sentences = [
      "Changes are no longer sent or received. Nothing is deleted on this device: "
        + "\(count(change.records, "record")) \(change.records == 1 ? "stays" : "stay") here."
    ]
    if change.unsent > 0 {
      sentences.append(
        "\(count(change.unsent, "record")) \(change.unsent == 1 ? "has" : "have") changes that "
          + "are only on this device; they wait until sync is switched on again.")
    }
    if change.heldDeletes > 0 {
      sentences.append(
        "\(count(change.heldDeletes, "delete")) from elsewhere still "
          + "\(change.heldDeletes == 1 ? "waits" : "wait") for your word.")
    }
    if change.conflicts > 0 {
      sentences.append(
        "\(count(change.conflicts, "value")) that lost to others "
          + "\(change.conflicts == 1 ? "stays" : "stay") in the list of conflicts.")
    }
    return sentences
  }

  private static func kept(_ change: SwitchConsequences) -> [String] {
    var sentences: [String] = []
    let copies = change.zones.filter(\.hasCopy).map { "'\($0.peer)'" }
    if !copies.isEmpty { sentences.append("The cloud copy in \(list(copies)) stays as it is.") }
    sentences += change.pendingPurges.map {
      "The purge of the cloud copy in '\($0)' that was asked for before stays pending."
    }
    return sentences
  }

  private static func purge(
    _ change: SwitchConsequences, _ time: (Int64) -> String
  ) -> [String] {
    let copies = change.zones.filter(\.hasCopy)
    guard !copies.isEmpty else {
      return ["No cloud copy is known of, so nothing is purged."]
    }
    return copies.flatMap { zone in
      [
        "Everything in '\(zone.peer)' is removed; that cannot be undone.",
        zone.isFolder
          ? "Versions and backups that something keeps of the folder are not reached."
          : "Backups of the server are not reached.",
        others(zone, time),
      ]
    }
  }

  private static func others(
    _ zone: SwitchConsequences.Zone, _ time: (Int64) -> String
  ) -> String {
    guard !zone.devices.isEmpty else {
      return "No other device was heard of there; one that still syncs keeps its records and may "
        + "upload them again."
    }
    let names = zone.devices.map { "\($0.name) (last heard from \(time($0.lastHeard)))" }
    return "Other devices keep their records, and one that still syncs may upload them again: "
      + "\(list(names))."
  }

  private static let leftOut = [
    "While sync is off, backup programs that honour it leave this store's files out; older backups "
      + "are not changed."
  ]

  // MARK: Parts

  private static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }

  private static func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "no transport" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }
}
