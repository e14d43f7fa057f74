import Strandline

/// The person's switch, and the purge of the cloud copy.
@MainActor enum SwitchCommands {
  static let all: [Command] = [
    Command(
      name: "purge", usage: "purge",
      summary: "Remove the cloud copy; sync is switched off with that.", example: "purge",
      group: .sync, notes: notes, run: purge)
  ]

  /// What `sync on`, `sync off` and `purge` answer with `--json`.
  static let notes = """
    With --json, on, off and purge answer {"switch":{"wanted","active","automatic","standing",
      "pendingPurge","waits":[{"code","peer","reason","cure"}],"purges":[{"peer","asked",
      "attempts","next","code","reason","cure"}],"purged":[…],"backups":{"excluded","extent",
      "trouble"}}}; standing is off, offFinishing, offPurging, on or onWaiting.
    """

  // MARK: On

  static func turnOn(_ session: Session) async throws {
    guard !session.peers.isEmpty else {
      throw CommandError(
        "noTransport", "Could not switch sync on, no transport is configured.",
        advice: "Use transport use SPEC, which switches it on.", exitCode: .transport)
    }
    try requireRight(session, "switch sync on")
    let consequences = try await session.device.synced.consequences(of: .on)
    let isAsked = consequences.isWorthAsking || session.ask != nil
    if consequences.changesAnything && isAsked {
      guard try await session.confirm(text(consequences, session)) else { return }
    }
    try await tell(try await session.device.synced.switchOn(), [], session)
  }

  // MARK: Off

  static func turnOff(_ session: Session, _ input: CommandInput) async throws {
    let (purges, keeps) = (input.has(flag: "purge"), input.has(flag: "keep"))
    guard !(purges && keeps) else {
      throw CommandError(
        "usage", "Could not switch sync off, --purge and --keep exclude each other.",
        advice: "Name one of them.", exitCode: .usage)
    }
    try requireRight(session, "switch sync off")
    let synced = session.device.synced
    let consequences = try await synced.consequences(of: purges ? .offWithPurge : .off)
    guard try await session.confirm(text(consequences, session)) else { return }
    var isPurge = purges
    if !purges && !keeps { isPurge = try await wantsPurge(session) }
    if keeps { try await synced.keepCloudCopy() }
    let state = try await synced.switchOff(purge: isPurge)
    guard isPurge else { return try await tell(state, [], session) }
    let outcomes = try await purgeNow(session)
    try await tell(try await session.device.store.switchState(), outcomes, session)
  }

  /// Asks whether the cloud copy is to go too; nobody to ask, or `--yes`, keeps it.
  private static func wantsPurge(_ session: Session) async throws -> Bool {
    guard !session.options.saysYes, let ask = session.ask else { return false }
    let consequences = try await session.device.synced.consequences(of: .offWithPurge)
    guard consequences.zones.contains(where: \.hasCopy) else { return false }
    let sentences = SwitchWording.purgeSentences(consequences, session.ago)
    return await ask(
      ControlCharacters.visible(
        "Purge the cloud copy as well? No keeps it. " + sentences.joined(separator: " ")
          + " Purge it?"))
  }

  // MARK: Purging

  private static func purge(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(0)
    try requireRight(session, "purge the cloud copy")
    let synced = session.device.synced
    let consequences = try await synced.consequences(of: .offWithPurge)
    let isPending = !consequences.pendingPurges.isEmpty
    guard isPending || consequences.zones.contains(where: \.hasCopy) else {
      throw CommandError(
        "noCloudCopy", "Could not purge the cloud copy, none is known of.",
        advice: "Follow the transport that has it and sync once, which finds its zone.",
        exitCode: .transport)
    }
    if consequences.changesAnything {
      let note = SwitchWording.purgeSwitchesOff + " "
      guard try await session.confirm(note + text(consequences, session)) else { return }
      try await synced.switchOff(purge: true)
    }
    let outcomes = try await purgeNow(session)
    try await tell(try await session.device.store.switchState(), outcomes, session)
    if let error = outcomes.lazy.compactMap(\.error).first {
      throw CommandError(error, exitCode: .transport)
    }
  }

  /// Tries what is pending; where another process has the lease, that one does it.
  private static func purgeNow(_ session: Session) async throws -> [PurgeOutcome] {
    do {
      return try await session.device.synced.purge()
    } catch let error as StorageError where error.code == .leaseHeld {
      // The switch tells who has it.
      return []
    }
  }

  /// Whether another transport may be followed although purges are pending: to name one that is new
  /// switches sync on, which drops them.
  static func mayLeavePurges(_ session: Session, for transport: String?) async throws -> Bool {
    let store = session.device.store
    let purges = try await store.switchState().purges.map(\.specification)
    let known = Set(try await store.peerItems().map(\.specification))
    guard let transport, !purges.isEmpty, !known.contains(transport) else { return true }
    let names = purges.map { "'\($0)'" }.joined(separator: " and ")
    return try await session.confirm(
      "The purge of the cloud copy in \(names) is still pending. To follow another transport "
        + "switches sync on and drops it.")
  }

  // MARK: Automatic cycles

  static func setAutomatic(
    _ session: Session, _ choice: Token?, _ word: Token
  ) async throws {
    guard let choice, ["on", "off"].contains(choice.text.lowercased()) else {
      throw CommandError(
        "missingWord", "Could not set background cycles, on or off is missing.",
        advice: "Usage: sync auto on|off", at: choice ?? word)
    }
    try session.requireNoTransaction("Could not set background cycles, a transaction is open.")
    let isOn = choice.text.lowercased() == "on"
    try await session.device.store.handleSwitch(.setAutomatic(isOn))
    session.say(
      .object(["automatic": .bool(isOn)]),
      isOn ? "Background cycles run by themselves." : "Cycles run only when you type sync.")
  }

  // MARK: Parts

  private static func requireRight(_ session: Session, _ verb: String) throws {
    guard session.maySync else {
      throw CommandError(
        "localOnly", "Could not \(verb), this session was opened without the right to.",
        advice: "Start it without --local and --read-only.")
    }
    try session.requireNoTransaction("Could not \(verb), a transaction is open.")
  }

  private static func text(_ consequences: SwitchConsequences, _ session: Session) -> String {
    ControlCharacters.visible(
      consequences.sentences(session.ago).joined(separator: " "))
  }

  private static func tell(
    _ state: SwitchState, _ outcomes: [PurgeOutcome], _ session: Session
  ) async throws {
    let wording = SwitchText(
      state: state, outcomes: outcomes, backups: session.device.store.backupState())
    session.say(wording.json, wording.text(session))
  }
}
