import Strandline

/// Commands for devices, transports and the lab's links.
@MainActor enum DeviceCommands {
  static let all: [Command] = [
    Command(
      name: "device", usage: "device [NAME]", summary: "Switch to a device, or make one.",
      example: "device laptop", group: .sync, words: [.device], run: device),
    Command(
      name: "devices", usage: "devices", summary: "Devices here and what is known of others.",
      example: "devices", group: .sync, run: devices),
    Command(
      name: "transport", usage: "transport [use SPEC]", summary: "Show or swap the transport.",
      example: "transport use directory:/mnt/share", group: .sync,
      words: [.choice(["use"]), .transport], run: transport),
    Command(
      name: "link", usage: "link up | link down", summary: "Cut or mend this device's link (lab).",
      example: "link down", group: .sync, words: [.choice(["up", "down"])], run: link),
  ]

  private static func device(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(1)
    guard let token = input.arguments.first else {
      return session.show(
        .object(["device": .string(session.device.name)]), session.device.name)
    }
    try session.requireNoTransaction(
      "Could not switch, a transaction is open on \(session.device.name).")
    let isNew = try await session.use(device: token.text)
    if !session.options.isInMemory {
      try session.home.remember { $0.device = token.text }
    }
    session.say(
      .object(["device": .string(token.text), "new": .bool(isNew)]),
      isNew ? "Made the device \(token.text)." : "Now on \(token.text).")
  }

  private static func devices(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(0)
    let local = Set(session.home.localDevices()).union(session.devices.keys)
    let known = try await session.device.store.knownDevices()
    var rows: [[String]] = local.sorted().map { name in
      [name, name == session.device.name ? "this device" : "in this home", ""]
    }
    for other in known where !local.contains(other.name) {
      rows.append([other.name, "by \(other.peer)", session.ago(other.lastReport)])
    }
    for (index, row) in rows.enumerated() {
      if let report = known.first(where: { $0.name == row[0] }) {
        rows[index][2] = session.ago(report.lastReport)
      }
    }
    session.show(
      ResultTable(columns: ["device", "known", "last report"], rows: rows),
      json: {
        rows.map { row in
          let report = known.first { $0.name == row[0] }
          return .object([
            "device": .object([
              "name": .string(row[0]), "current": .bool(row[0] == session.device.name),
              "local": .bool(local.contains(row[0])),
              "lastReport": report.map { .string(Timestamp.text($0.lastReport)) }
                ?? .null,
            ])
          ])
        }
      }, whenEmpty: "No devices.")
  }

  // MARK: Transports

  private static func transport(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(2)
    guard let word = input.arguments.first else {
      let text = session.transportSpecification.description
      return session.show(.object(["transport": .string(text)]), text)
    }
    guard word.isKeyword("use") else {
      throw CommandError(
        "strayWord", "Could not run 'transport', '\(word.text)' is not expected here.",
        advice: "Usage: \(input.command.usage)", at: word)
    }
    let token = try input.argument(1, "the transport")
    let wanted = TransportSpecification(token.text)
    guard session.maySync else {
      throw CommandError(
        "localOnly", "Could not swap the transport, this session was opened without the right to.",
        advice: "Start it without --local and --read-only.")
    }
    let names = session.registry.names
    guard names.contains(wanted.kind) else {
      let hint = Suggestion.sentence(for: wanted.kind, among: names)
      throw CommandError(
        "unknownTransport", "Could not use '\(token.text)', there is no such transport.",
        advice: hint.isEmpty
          ? "Use one of: \(session.registry.addressForms.joined(separator: ", "))." : hint,
        at: token, exitCode: .transport)
    }
    try session.requireNoTransaction("Could not swap the transport, a transaction is open.")
    let status = try await session.snapshot()
    if status.pending > 0, status.peer != "none", status.peer != wanted.description {
      let change = Wording.count(status.pending, "change")
      guard
        try await session.confirm(
          "\(change) not yet exported to \(status.peer) will wait until it is followed again.")
      else { return }
    }
    try await session.use(transport: wanted)
    let followed = session.transportSpecification
    session.say(
      .object(["transport": .string(followed.description)]),
      followed == .none
        ? "No transport is followed. Everything is saved on this device."
        : "Following \(followed) from now on.")
  }

  private static func link(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(1)
    let word = try input.argument(0, "up or down")
    guard ["up", "down"].contains(word.text.lowercased()) else {
      throw CommandError(
        "strayWord", "Could not run 'link', '\(word.text)' is neither up nor down.",
        advice: "Usage: \(input.command.usage)", at: word)
    }
    let isUp = word.text.lowercased() == "up"
    session.device.setLink(up: isUp)
    session.say(
      .object(["link": .string(isUp ? "up" : "down")]),
      "The link of \(session.device.name) is \(isUp ? "up" : "down").")
  }
}
