import Strandline

/// Commands that sync, and the person's switch.
@MainActor enum SyncCommands {
  static let all: [Command] = [
    Command(
      name: "sync",
      usage: "sync [--wait SECONDS] | sync on | sync off [--purge | --keep] | sync auto on|off",
      summary: "Run one cycle now, or turn the switch.", example: "sync --wait 10",
      group: .sync, words: [.choice(["on", "off", "auto"]), .choice(["on", "off"])], run: sync),
    Command(
      name: "background", usage: "background",
      summary: "Do what an app does when it is left: no cycle begins by itself.",
      example: "background", group: .sync, words: [], run: leave),
    Command(
      name: "foreground", usage: "foreground",
      summary: "Do what an app does when it is returned to: a cycle runs at once.",
      example: "foreground", group: .sync, words: [], run: enter),
  ]

  private static func sync(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: ["wait", "purge", "keep"])
    let words = try input.arguments(without: ["wait"])
    guard let word = words.first else { return try await cycle(session, input) }
    switch word.text.lowercased() {
    case "on": try await turnOn(session)
    case "off": try await turnOff(session, input)
    case "auto": try await setAutomatic(session, words.dropFirst().first, word)
    default:
      throw CommandError(
        "strayWord", "Could not run 'sync', '\(word.text)' is not expected here.",
        advice: CommandInput.advice(
          Suggestion.sentence(for: word.text, among: ["on", "off", "auto"]),
          "Usage: \(input.command.usage)"), at: word)
    }
  }

  // MARK: A cycle

  private static func cycle(_ session: Session, _ input: CommandInput) async throws {
    guard session.maySync else {
      throw CommandError(
        "localOnly", "Could not sync, this session was opened without the right to.",
        advice: "Start it without --local and --read-only.")
    }
    try session.requireNoTransaction("Could not sync, a transaction is open.")
    let wait = try seconds(input)
    let synced = session.device.synced
    let report: SyncReport
    do {
      if let wait {
        report = try await synced.waitUntilCaughtUp(timeout: .seconds(wait))
      } else {
        report = try await synced.syncNow()
      }
    } catch let error as SyncError where error.code == .notCaughtUp {
      throw CommandError(error, exitCode: .notCaughtUp)
    } catch let error as SyncError where error.code == .switchedOff {
      throw CommandError(
        error.codeName, error.message,
        advice: session.peers.isEmpty
          ? "Use transport use SPEC; everything is saved on this device until then."
          : "Use sync on; everything is saved on this device until then.",
        exitCode: .transport)
    }
    try await tell(report, session)
  }

  private static func seconds(_ input: CommandInput) throws(CommandError) -> Double? {
    guard let token = try input.values(of: "wait").first else { return nil }
    guard let seconds = Double(token.text), seconds >= 0, seconds.isFinite else {
      throw CommandError(
        "wrongType", "Could not wait '\(token.text)', it is not a number of seconds.",
        advice: "For example: sync --wait 10", at: token)
    }
    return seconds
  }

  private static func tell(_ report: SyncReport, _ session: Session) async throws {
    let wording = SyncText(report: report, statuses: try await session.snapshots())
    if session.isJSON {
      session.streams.writeLine(wording.json.text)
    } else {
      session.say(.null, wording.text(session))
    }
    guard let error = report.error else { return }
    let failed = report.peers.count { $0.error != nil }
    if report.peers.count == 1 || session.isJSON { throw CommandError(error, exitCode: .transport) }
    throw CommandError(
      error.codeName, "Could not sync with \(failed) of \(report.peers.count) peers.",
      advice: error.advice, exitCode: .transport)
  }

  // MARK: Leaving and returning

  private static func leave(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(0)
    await session.device.synced.enterBackground()
    session.say(
      .object(["active": .bool(false)]),
      "In the background: no cycle begins by itself. Saving goes on as ever.")
  }

  private static func enter(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(0)
    await session.device.synced.becomeActive()
    session.say(
      .object(["active": .bool(true)]),
      session.device.background == nil
        ? "In the foreground." : "In the foreground: a cycle runs now.")
  }

  // MARK: The switch

  private static func turnOn(_ session: Session) async throws {
    guard !session.peers.isEmpty else {
      throw CommandError(
        "noTransport", "Could not switch sync on, no transport is configured.",
        advice: "Use transport use SPEC, which switches it on.", exitCode: .transport)
    }
    try session.requireNoTransaction("Could not switch sync on, a transaction is open.")
    try await session.device.store.handleSwitch(.turnOn)
    session.say(
      .object(["switch": .object(["wanted": .bool(true)])]), "Sync is switched on.")
  }

  private static func turnOff(_ session: Session, _ input: CommandInput) async throws {
    let purge = input.has(flag: "purge")
    guard !(purge && input.has(flag: "keep")) else {
      throw CommandError(
        "usage", "Could not switch sync off, --purge and --keep exclude each other.",
        advice: "Name one of them.", exitCode: .usage)
    }
    try session.requireNoTransaction("Could not switch sync off, a transaction is open.")
    guard try await session.confirm(try await consequence(session, purge: purge)) else { return }
    try await session.device.store.handleSwitch(.turnOff(purge: purge))
    session.say(
      .object([
        "switch": .object(["wanted": .bool(false), "pendingPurge": .bool(purge)])
      ]),
      "Sync is switched off. Everything stays on this device."
        + (purge ? " The cloud copy waits to be purged." : ""))
  }

  private static func consequence(_ session: Session, purge: Bool) async throws -> String {
    let pending = try await session.snapshots().map(\.pending).max() ?? 0
    let others = Set(try await session.device.store.knownDevices().map(\.name)).sorted()
    var text = "Changes will no longer be sent or received; everything stays on this device."
    if pending > 0 {
      text += " \(Wording.count(pending, "change")) not yet exported will wait."
    }
    if purge {
      text += " The cloud copy will be purged; backups of it are not reached."
      if !others.isEmpty {
        text += " Still syncing and able to upload again: \(others.joined(separator: ", "))."
      }
    }
    return text
  }

  private static func setAutomatic(
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
}
