import Strandline

/// Commands for devices.
@MainActor enum DeviceCommands {
  static let all: [Command] = [
    Command(
      name: "device", usage: "device [NAME]", summary: "Switch to a device, or make one.",
      example: "device laptop", group: .sync, words: [.device], run: device),
    Command(
      name: "devices", usage: "devices", summary: "Devices here and what is known of others.",
      example: "devices", group: .sync, run: devices),
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
}
