import Strandline
import StrandlineFaults

/// Commands of the lab: what goes wrong between a device and its transports, and who is signed in.
@MainActor enum LabCommands {
  static let all: [Command] = [
    Command(
      name: "link", usage: "link [up | down | slow MS | flaky PERCENT | throttle SECONDS]",
      summary: "Cut, spoil or mend this device's link (lab).", example: "link flaky 30",
      group: .sync, words: [.choice(["up", "down", "slow", "flaky", "throttle"])],
      notes: "slow, flaky and throttle add up and take 0 to end; up ends them all.", run: link),
    Command(
      name: "account", usage: "account [in [NAME] | out | restricted]",
      summary: "Who seems to be signed in on this device (lab).", example: "account out",
      group: .sync, words: [.choice(["in", "out", "restricted"])],
      notes: "in without a name is the account that the transport tells itself.", run: account),
  ]

  // MARK: The link

  private static func link(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    guard let word = input.arguments.first else { return show(session) }
    let panel = session.device.panel
    switch word.text.lowercased() {
    case "up":
      try input.requireAtMost(1)
      panel.update { controls in
        controls.isDown = false
        for fault in [Fault.delay, .dropRequest, .loseReply, .throttle] {
          controls.rates[fault] = nil
        }
      }
    case "down":
      try input.requireAtMost(1)
      session.device.setLink(up: false)
    case "slow":
      let delay = try number(input, "the milliseconds", upTo: 60_000)
      panel.update { controls in
        controls.rates[.delay] = delay > 0 ? 1 : nil
        controls.delayMilliseconds = delay...delay
      }
    case "flaky":
      let share = Double(try number(input, "the percent", upTo: 100)) / 100
      // Half of what is lost is the request and half is the answer to one that had an effect.
      panel.update { controls in
        controls.rates[.dropRequest] = share / 2
        controls.rates[.loseReply] = share / 2 / (1 - share / 2)
      }
    case "throttle":
      let seconds = try number(input, "the seconds", upTo: 86_400)
      panel.update { controls in
        controls.rates[.throttle] = seconds > 0 ? 1 : nil
        controls.throttleSeconds = seconds
      }
    default: throw stray(word, input, among: ["up", "down", "slow", "flaky", "throttle"])
    }
    tellLink(session)
  }

  private static func number(
    _ input: CommandInput, _ what: String, upTo most: Int64
  ) throws(CommandError) -> Int64 {
    try input.requireAtMost(2)
    let token = try input.argument(1, what)
    guard let number = Int64(token.text), (0...most).contains(number) else {
      throw CommandError(
        "wrongType",
        "Could not use '\(token.text)' as \(what), it is no whole number from 0 to \(most).",
        advice: "For example: \(input.command.example)", at: token)
    }
    return number
  }

  private static func show(_ session: Session) {
    session.show(linkJSON(session), linkText(session))
  }

  private static func tellLink(_ session: Session) {
    session.say(linkJSON(session), linkText(session))
  }

  private static func linkText(_ session: Session) -> String {
    let controls = session.device.panel.controls
    var parts = ["The link of \(session.device.name) is \(controls.isDown ? "down" : "up")"]
    if controls.rates[.delay] != nil {
      parts.append("slow by \(controls.delayMilliseconds.lowerBound) ms")
    }
    if lost(controls) > 0 { parts.append("losing \(lost(controls)) of 100 calls") }
    if controls.rates[.throttle] != nil {
      parts.append(
        "told to wait \(Wording.count(Int(controls.throttleSeconds), "second")) each time")
    }
    return parts.joined(separator: ", ") + "."
  }

  private static func linkJSON(_ session: Session) -> JSONValue {
    let controls = session.device.panel.controls
    let isSlow = controls.rates[.delay] != nil
    let isThrottled = controls.rates[.throttle] != nil
    return .object([
      "link": .string(controls.isDown ? "down" : "up"),
      "slowMilliseconds": .integer(isSlow ? controls.delayMilliseconds.lowerBound : 0),
      "flakyPercent": .integer(Int64(lost(controls))),
      "throttleSeconds": .integer(isThrottled ? controls.throttleSeconds : 0),
    ])
  }

  private static func lost(_ controls: FaultControls) -> Int {
    Int(((controls.rates[.dropRequest] ?? 0) * 200).rounded())
  }

  // MARK: The account

  private static func account(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    guard let word = input.arguments.first else {
      return session.show(accountJSON(session), accountText(session))
    }
    let isIn = word.isKeyword("in")
    try input.requireAtMost(isIn ? 2 : 1)
    let name = isIn ? input.arguments.dropFirst().first?.text : nil
    let state: AccountState?
    switch word.text.lowercased() {
    case "in": state = name.map(AccountState.available)
    case "out": state = .signedOut
    case "restricted": state = .restricted
    default: throw stray(word, input, among: ["in", "out", "restricted"])
    }
    try session.requireNoTransaction("Could not change the account, a transaction is open.")
    guard try await session.confirm(try await consequence(state, session)) else { return }
    session.device.panel.update { $0.account = state }
    session.say(accountJSON(session), accountText(session))
  }

  private static func consequence(
    _ state: AccountState?, _ session: Session
  ) async throws -> String {
    let name = session.device.name
    let pending = try await session.snapshots().map(\.pending).max() ?? 0
    let waiting = "\(Wording.count(pending, "change")) \(pending == 1 ? "is" : "are") not exported"
    switch state {
    case nil:
      return "\(name) goes back to the account that its transport tells; \(waiting)."
    case .available(let account):
      return "\(name) will seem signed in as '\(account)'. If that is another account than before, "
        + "nothing is exchanged until you answer what the peer asks; \(waiting)."
    default: return "\(name) exchanges nothing until account in; \(waiting)."
    }
  }

  private static func accountText(_ session: Session) -> String {
    let name = session.device.name
    switch session.device.panel.controls.account {
    case nil: return "\(name) is signed in as its transport tells."
    case .available(let account): return "\(name) seems signed in as '\(account)'."
    case .restricted: return "The account of \(name) is restricted."
    default: return "Nobody is signed in on \(name)."
    }
  }

  private static func accountJSON(_ session: Session) -> JSONValue {
    let (state, name): (String, String?) =
      switch session.device.panel.controls.account {
      case nil: ("in", nil)
      case .available(let account): ("in", account)
      case .restricted: ("restricted", nil)
      default: ("out", nil)
      }
    return .object(["account": .object(["state": .string(state), "name": JSONValue(name)])])
  }

  static func stray(_ word: Token, _ input: CommandInput, among: [String]) -> CommandError {
    CommandError(
      "strayWord", "Could not run '\(input.command.name)', '\(word.text)' is not expected here.",
      advice: CommandInput.advice(
        Suggestion.sentence(for: word.text, among: among), "Usage: \(input.command.usage)"),
      at: word)
  }
}
