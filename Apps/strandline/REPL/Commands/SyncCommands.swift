import Strandline

/// Commands that sync.
@MainActor enum SyncCommands {
  static let all: [Command] = [
    Command(
      name: "sync",
      usage: "sync [--wait SECONDS] | sync on | sync off [--purge | --keep] | sync auto on|off",
      summary: "Run one cycle now, or turn the switch.", example: "sync --wait 10",
      group: .sync, words: [.choice(["on", "off", "auto"]), .choice(["on", "off"])],
      notes: SwitchCommands.notes, run: sync),
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
    case "on": try await SwitchCommands.turnOn(session)
    case "off": try await SwitchCommands.turnOff(session, input)
    case "auto": try await SwitchCommands.setAutomatic(session, words.dropFirst().first, word)
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
}
