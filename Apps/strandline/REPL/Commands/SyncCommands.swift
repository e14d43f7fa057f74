import Strandline

/// Commands that sync, and the person's switch.
@MainActor enum SyncCommands {
  static let all: [Command] = [
    Command(
      name: "sync",
      usage: "sync [--wait SECONDS] | sync on | sync off [--purge | --keep] | sync auto on|off",
      summary: "Run one cycle now, or turn the switch.", example: "sync --wait 10",
      group: .sync, words: [.choice(["on", "off", "auto"]), .choice(["on", "off"])], run: sync)
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
        advice: session.transportSpecification == .none
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
    let status = try await session.snapshot()
    if session.isJSON {
      session.streams.writeLine(json(report, status).text)
    } else {
      session.say(.null, sentence(report, status, session))
    }
    if let error = report.error {
      throw CommandError(error, exitCode: .transport)
    }
  }

  private static func json(_ report: SyncReport, _ status: StatusSnapshot) -> JSONValue {
    .object([
      "sync": .object([
        "imported": .integer(Int64(report.imported)),
        "exported": .integer(Int64(report.exported)),
        "setAside": .integer(Int64(report.setAside)),
        "conflicts": .integer(Int64(report.conflicts)),
        "standing": .string(status.standing.rawValue),
        "asOf": report.caughtUpAt.map { .string(Timestamp.text($0)) } ?? .null,
        "error": report.error.map {
          .object([
            "code": .string($0.codeName), "message": .string($0.message),
            "recovery": .string($0.advice),
          ])
        } ?? .null,
      ])
    ])
  }

  /// What the cycle was seen to do, and no more.
  static func sentence(
    _ report: SyncReport, _ status: StatusSnapshot, _ session: Session
  ) -> String {
    var parts = [
      "Imported \(Wording.count(report.imported, "change")).",
      "Exported \(Wording.count(report.exported, "change")).",
    ]
    if report.setAside > 0 {
      parts.append("\(Wording.count(report.setAside, "record")) set aside (see setaside).")
    }
    if report.conflicts > 0 {
      parts.append(
        "\(Wording.count(report.conflicts, "value")) lost to a concurrent one (see conflicts).")
    }
    if let time = report.caughtUpAt, status.pending == 0 {
      parts.append("Nothing was waiting at \(session.moment(time)).")
    } else if status.pending > 0 {
      let verb = status.pending == 1 ? "waits" : "wait"
      parts.append("\(Wording.count(status.pending, "change")) \(verb).")
    }
    return parts.joined(separator: " ")
  }

  // MARK: The switch

  private static func turnOn(_ session: Session) async throws {
    guard session.transportSpecification != .none else {
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
    let status = try await session.snapshot()
    let others = try await session.device.store.knownDevices().map(\.name)
    var text = "Changes will no longer be sent or received; everything stays on this device."
    if status.pending > 0 {
      text += " \(Wording.count(status.pending, "change")) not yet exported will wait."
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

extension Session {
  /// The status of the present device with the transport that it follows.
  func snapshot() async throws -> StatusSnapshot {
    try await snapshot(of: device)
  }

  func snapshot(of device: Device) async throws -> StatusSnapshot {
    let all = try await device.store.status(deviceName: device.name)
    guard let first = all.first else {
      throw StorageError(
        .damaged, "Could not read the status of \(device.name).", advice: "Open the store again.")
    }
    return first
  }
}
