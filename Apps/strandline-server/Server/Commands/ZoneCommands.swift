import StrandlineAuthority
import StrandlineModels
import StrandlineTransport

/// The commands about zones.
enum ZoneCommands {
  /// The least length of the beginning of a zone's id that names it.
  private static let leastPrefix = 6

  static var all: [ServerCommand] {
    [
      ServerCommand(
        name: "zone list", form: "[ACCOUNT] [--json]",
        summary: "Lists zones with what is in them.", example: "strandline-server zone list ann",
        words: 0...1, run: list),
      ServerCommand(
        name: "zone purge", form: "ZONE [--yes]",
        summary: "Removes everything in a zone and leaves word of it.",
        details:
          "ZONE is its id or the beginning of it. Its devices keep what they hold, stop, and "
          + "ask their person whether to upload it again.",
        example: "strandline-server zone purge 3f2a9c", words: 1...1, options: [.init("--yes")],
        run: purge),
    ]
  }

  private static func list(_ context: CommandContext) throws {
    let storage = try context.open().storage
    let account = try context.words.first.map { try AccountCommands.require($0, in: storage) }
    var list = ListOutput([
      "ZONE", "ACCOUNT", "ENVIRONMENT", "NAME", "RECORDS", "DEVICES", "HEAD", "STATE",
    ])
    for zone in try storage.zones() where account == nil || zone.account == account {
      let records = try storage.recordCount(in: zone.id)
      let devices = try storage.devices(in: zone.id).count { !$0.isSuperseded }
      list.add(
        [
          zone.id.rawValue, zone.account, zone.environment.rawValue, zone.name, String(records),
          String(devices), String(zone.head), state(of: zone),
        ],
        .object([
          "zone": .string(zone.id.rawValue), "account": .string(zone.account),
          "environment": .string(zone.environment.rawValue), "name": .string(zone.name),
          "records": .integer(Int64(records)), "devices": .integer(Int64(devices)),
          "head": .integer(zone.head), "fence": .integer(zone.fence),
          "incarnation": .integer(zone.incarnation),
          "purgedAt": JSONValue(zone.purge.map { Timestamp.text($0.at) }),
          "purgedBy": JSONValue(zone.purge?.device.name),
        ]))
    }
    list.print(to: context.console, asJSON: context.isJSON, empty: "There are no zones.")
  }

  private static func state(of zone: Zone) -> String {
    guard let purge = zone.purge else { return "in use" }
    return "purged by \(purge.device.name) at \(Timestamp.text(purge.at))"
  }

  private static func purge(_ context: CommandContext) throws {
    let storage = try context.open().storage
    let zone = try find(context.words[0], in: storage)
    guard zone.purge == nil else {
      return context.console.note("Zone '\(zone.name)' was purged before.")
    }
    let records = try storage.recordCount(in: zone.id)
    try context.console.confirm(
      "This removes zone '\(zone.name)' of account '\(zone.account)' with \(records.of("record")) from "
        + "the server. Devices keep what they hold, and stop until their person decides.",
      "Purge zone '\(zone.name)'?", isConfirmed: context.isConfirmed)
    var authority = context.authority(storage)
    let device = try ServerDevice.info(of: storage)
    try authority.purge(PurgeRequest(device: device, zone: zone.id), account: zone.account)
    context.console.note("Purged zone '\(zone.name)' of account '\(zone.account)'.")
  }

  private static func find(_ text: String, in storage: SQLiteServerStorage) throws -> Zone {
    if let zone = try storage.zone(ZoneID(rawValue: text)) { return zone }
    let matches =
      text.count >= leastPrefix
      ? try storage.zones().filter { $0.id.rawValue.hasPrefix(text) } : []
    guard let match = matches.first, matches.count == 1 else {
      throw CommandFailure(
        "unknownZone",
        "Could not find zone '\(text)', "
          + (matches.isEmpty ? "there is none like it." : "several begin like that."),
        advice: "Run 'strandline-server zone list' and name it by its id, or by at least "
          + "\(leastPrefix) characters of it.")
    }
    return match
  }
}
