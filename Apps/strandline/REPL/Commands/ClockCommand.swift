import Strandline

/// The command that puts a device's clock forward or back.
@MainActor enum ClockCommand {
  static let all: [Command] = [
    Command(
      name: "clock", usage: "clock [+DURATION | -DURATION | right]",
      summary: "Put this device's clock forward or back (lab).", example: "clock +1y",
      group: .sync, words: [.choice(["right"])],
      notes: "A duration is a number and s, min, h, d, w or y, such as +90min. It is counted from "
        + "the machine's clock.", run: clock)
  ]

  private static func clock(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(1)
    let lab = session.device.labClock
    guard let word = input.arguments.first else {
      return session.show(json(session), text(session))
    }
    let offset = word.isKeyword("right") ? 0 : try duration(word, input)
    try session.requireNoTransaction("Could not set the clock, a transaction is open.")
    try requireLab(session, offset, word)
    if offset > 0, !session.options.isInMemory {
      guard
        try await session.confirm(
          "What \(session.device.name) saves with this clock stays newer than what others save, "
            + "until their clocks are there.")
      else { return }
    }
    lab.offset = offset
    session.say(json(session), text(session))
  }

  /// A stamp from the future is for the lab only: others would have to live with it.
  private static func requireLab(
    _ session: Session, _ offset: Int64, _ word: Token
  ) throws(CommandError) {
    guard offset != 0, let peer = session.peers.first(where: { $0.transport.prefix(6) != "memory" })
    else { return }
    throw CommandError(
      "labOnly", "Could not set the clock, '\(peer.transport)' is no cloud of the lab.",
      advice: "Use transport use memory, or start with --transport memory.", at: word,
      exitCode: .failed)
  }

  private static let units: [(String, Int64)] = [
    ("min", 60), ("s", 1), ("h", 3600), ("d", 86_400), ("w", 604_800), ("y", 31_557_600),
  ]

  private static func duration(
    _ word: Token, _ input: CommandInput
  ) throws(CommandError) -> Int64 {
    let text = word.text.lowercased()
    let longest = Int64(200 * 31_557_600)
    if let sign = text.first, "+-".contains(sign),
      let unit = units.first(where: { text.hasSuffix($0.0) }),
      let count = Int64(text.dropFirst().dropLast(unit.0.count)), (0...longest).contains(count),
      count * unit.1 <= longest
    {
      return count * unit.1 * 1000 * (sign == "-" ? -1 : 1)
    }
    throw CommandError(
      "wrongType", "Could not set the clock, '\(word.text)' is no duration up to 200 years.",
      advice: "Write it as +1y, -90min or right.", at: word)
  }

  private static func text(_ session: Session) -> String {
    let offset = session.device.labClock.offset
    let time = session.moment(session.clock.milliseconds)
    guard offset != 0 else { return "The clock of \(session.device.name) is right, \(time)." }
    let distance = RelativeTime.text(offset, now: 0).replacing("in ", with: "")
      .replacing(" ago", with: "")
    return "The clock of \(session.device.name) is \(distance) \(offset > 0 ? "ahead" : "behind")."
  }

  private static func json(_ session: Session) -> JSONValue {
    .object([
      "clock": .object([
        "device": .string(session.device.name),
        "offsetMilliseconds": .integer(session.device.labClock.offset),
        "now": .string(Timestamp.text(session.clock.milliseconds)),
      ])
    ])
  }
}
