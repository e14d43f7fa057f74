import StrandlineAuthority
import StrandlineModels
import StrandlineTransport

/// The commands that read and edit records as devices do.
enum RecordCommands {
  /// The least length of the beginning of an id that names a record.
  private static let leastPrefix = 6

  private static let place: [CommandArguments.Option] = [
    .init("--account", "NAME"), .init("--zone", "NAME"), .init("--environment", "ENVIRONMENT"),
  ]

  private static let details =
    "--account may be left away where there is one account; the zone is 'default' and the "
    + "environment development where they are not named."

  static var all: [ServerCommand] {
    [
      ServerCommand(
        name: "record list",
        form: "[ENTITY] [--account NAME] [--zone NAME] [--environment ENVIRONMENT] [--json]",
        summary: "Lists the records of a zone.", details: details,
        example: "strandline-server record list TodoItem --account ann", words: 0...1,
        options: place, run: list),
      ServerCommand(
        name: "record show", form: "ENTITY ID [--account NAME] [--zone NAME]",
        summary: "Shows a record with who wrote what and when.", details: details,
        example: "strandline-server record show TodoItem 0192f3 --account ann", words: 2...2,
        options: place, run: show),
      ServerCommand(
        name: "record set", form: "ENTITY ID property=value … [--account NAME] [--zone NAME]",
        summary: "Edits a record; the edit arrives on devices like any other.",
        details: details + " A value takes the type of the one that it replaces; "
          + "property:TYPE=value names one.",
        example: "strandline-server record set TodoItem 0192f3 name=\"Buy milk\" done=1",
        words: 3...1000, options: place, run: set),
      ServerCommand(
        name: "record delete", form: "ENTITY ID [--account NAME] [--zone NAME]",
        summary: "Deletes a record, on all devices too.", details: details,
        example: "strandline-server record delete TodoItem 0192f3 --account ann", words: 2...2,
        options: place, run: delete),
    ]
  }

  private static func list(_ context: CommandContext) throws {
    let data = try context.open()
    let desk = try desk(context, data)
    if let entity = context.words.first { try requireEntity(entity, desk) }
    var list = ListOutput(["ENTITY", "ID", "PROPERTIES"])
    for record in try desk.records(of: context.words.first) {
      let shown = shown(record)
      list.add(
        [
          record.key.entity, record.key.id.description,
          shown.map { "\($0.property)=\($0.version.fact.value.shown)" }.joined(separator: " "),
        ], json(of: record, shown))
    }
    list.print(to: context.console, asJSON: context.isJSON, empty: "There are no records.")
  }

  private static func show(_ context: CommandContext) throws {
    let data = try context.open()
    let desk = try desk(context, data)
    let record = try find(context, desk)
    if context.isJSON { return context.console.print(json(of: record, shown(record)).text) }
    let names = Dictionary(
      try data.storage.devices(in: desk.zone.id).map { ($0.id, $0.info.name) },
      uniquingKeysWith: { first, _ in first })
    var list = ListOutput(["PROPERTY", "VALUE", "WRITTEN", "DEVICE"])
    for (property, version) in shown(record) {
      list.add(
        [
          property, version.fact.value.shown, Timestamp.text(version.fact.stamp.milliseconds),
          names[version.device] ?? version.device.description,
        ], .null)
    }
    list.print(to: context.console, asJSON: false, empty: "The record has no properties.")
  }

  private static func set(_ context: CommandContext) throws {
    let data = try context.open()
    var desk = try desk(context, data)
    let record = try find(context, desk)
    let known = try desk.properties(of: record.key.entity) ?? []
    let old = Dictionary(
      shown(record).map { ($0.property, $0.version.fact.value) },
      uniquingKeysWith: { first, _ in first })
    var values: [String: Value] = [:]
    for word in context.words.dropFirst(2) {
      let typed = try TypedValue(word)
      guard known.contains(typed.property) else {
        throw unknown(typed.property, of: record.key.entity, known)
      }
      guard values[typed.property] == nil else {
        throw CommandFailure.usage(
          "Could not set '\(typed.property)', it is named twice.", "Name it once.")
      }
      values[typed.property] = try typed.value(replacing: old[typed.property])
    }
    let acceptance = try desk.set(values, of: record)
    report(context, "Set", record, acceptance)
  }

  private static func delete(_ context: CommandContext) throws {
    let data = try context.open()
    var desk = try desk(context, data)
    let record = try find(context, desk)
    let acceptance = try desk.delete(record)
    report(context, "Deleted", record, acceptance)
  }

  private static func report(
    _ context: CommandContext, _ verb: String, _ record: ZoneRecord, _ acceptance: Acceptance?
  ) {
    let place = acceptance.map { " at \($0.position)" } ?? ""
    context.console.note("\(verb) \(record.key.entity) \(record.key.id)\(place).")
  }
}

// Finding what the words mean.
extension RecordCommands {
  private static func desk(_ context: CommandContext, _ data: OpenedData) throws -> RecordDesk {
    let storage = data.storage
    let account = try account(context, storage)
    let name = context.arguments["--zone"] ?? "default"
    let environment = try context.environment()
    guard
      let zone = try storage.zone(named: name, account: account, environment: environment),
      zone.purge == nil
    else {
      let names = try storage.zones().filter {
        $0.account == account && $0.environment == environment && $0.purge == nil
      }.map(\.name)
      let hint = Suggestion.sentence(for: name, among: names)
      throw CommandFailure(
        "unknownZone",
        "Could not find zone '\(name)' of account '\(account)' in \(environment.rawValue).",
        advice: hint.isEmpty ? "Run 'strandline-server zone list' to see all." : hint)
    }
    return RecordDesk(authority: context.authority(storage), zone: zone, now: context.now)
  }

  private static func account(
    _ context: CommandContext, _ storage: SQLiteServerStorage
  ) throws -> String {
    if let name = context.arguments["--account"] {
      return try AccountCommands.require(name, in: storage)
    }
    let accounts = try storage.accounts()
    guard let account = accounts.first, accounts.count == 1 else {
      throw CommandFailure.usage(
        "Could not tell which account is meant, there are \(accounts.count).",
        "Name it with --account NAME.")
    }
    return account.name
  }

  private static func requireEntity(_ entity: String, _ desk: RecordDesk) throws {
    guard try desk.properties(of: entity) == nil else { return }
    let known = try desk.authority.storage.schema(of: desk.zone.environment).keys.sorted()
    let hint = Suggestion.sentence(for: entity, among: known)
    throw CommandFailure(
      "unknownEntity", "Could not find entity '\(entity)', the environment does not know it.",
      advice: hint.isEmpty ? "Run 'strandline-server schema show' to see all." : hint)
  }

  private static func unknown(
    _ property: String, of entity: String, _ known: Set<String>
  ) -> CommandFailure {
    let hint = Suggestion.sentence(for: property, among: known.sorted())
    return CommandFailure(
      "unknownProperty",
      "Could not set '\(property)', the environment knows no such property of \(entity).",
      advice: hint.isEmpty ? "Properties are: \(known.sorted().joined(separator: ", "))." : hint)
  }

  /// The record of an id or of a beginning that only its id has.
  private static func find(_ context: CommandContext, _ desk: RecordDesk) throws -> ZoneRecord {
    let (entity, text) = (context.words[0], context.words[1])
    try requireEntity(entity, desk)
    if let record = try desk.living(RecordKey(entity: entity, id: RecordID(text))) {
      return record
    }
    var matches: [ZoneRecord] = []
    if text.count >= leastPrefix {
      for key in try desk.authority.storage.keys(in: desk.zone.id, entity: entity)
      where key.id.description.hasPrefix(text) {
        if let record = try desk.living(key) { matches.append(record) }
      }
    }
    guard let match = matches.first, matches.count == 1 else {
      throw CommandFailure(
        "unknownRecord",
        "Could not find \(entity) '\(text)', "
          + (matches.isEmpty ? "there is no such record." : "several ids begin like that."),
        advice: "Run 'strandline-server record list \(entity)' to see ids; at least "
          + "\(leastPrefix) characters name a record.")
    }
    return match
  }

  /// The versions that show, by property.
  private static func shown(
    _ record: ZoneRecord
  ) -> [(property: String, version: Numbered<Version>)] {
    let born = record.birth?.fact
    return record.versions.filter { $0.key.life == born }
      .map { ($0.key.property, $0.value) }
      .sorted { $0.0 < $1.0 }
  }

  private static func json(
    of record: ZoneRecord, _ shown: [(property: String, version: Numbered<Version>)]
  ) -> JSONValue {
    .object([
      "entity": .string(record.key.entity), "id": .string(record.key.id.description),
      "fields": .object(shown.map { .init($0.property, $0.version.fact.value.json) }),
    ])
  }
}
