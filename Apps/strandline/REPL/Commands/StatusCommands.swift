import Strandline

/// Commands that tell what was observed.
@MainActor enum StatusCommands {
  static let all: [Command] = [
    Command(
      name: "status", usage: "status", summary: "What was observed, and what waits.",
      example: "status", group: .looking, run: status),
    Command(
      name: "events", usage: "events [N]", summary: "The latest activities of the engine.",
      example: "events 5", group: .looking, run: events),
    Command(
      name: "pending", usage: "pending", summary: "Changes that are not acknowledged yet.",
      example: "pending", group: .looking, run: pending),
    Command(
      name: "conflicts", usage: "conflicts [restore N]",
      summary: "Values that lost, and were kept; or set one again.",
      example: "conflicts restore 3", group: .looking, words: [.choice(["restore"])],
      run: conflicts),
    Command(
      name: "orphans", usage: "orphans",
      summary: "References to records that have not arrived or are gone.",
      example: "orphans", group: .looking, run: orphans),
    Command(
      name: "trace", usage: "trace ID", summary: "Where a record's latest change got to.",
      example: "trace #1", group: .looking, words: [.record], run: trace),
  ]

  // MARK: Status

  private static func status(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(0)
    let device = session.device
    for snapshot in try await device.store.status(deviceName: device.name) {
      session.show(.object(["status": snapshot.json]), text(snapshot, session))
    }
  }

  private static func text(_ snapshot: StatusSnapshot, _ session: Session) -> String {
    let wording = StrandlineStatus.Wording()
    let style = session.style
    let sign = StrandlineStatus.Wording.symbol(snapshot.standing)
    let standing = ControlCharacters.visible(
      wording.standing(snapshot, time: session.moment))
    var lines = [
      style.heading("\(snapshot.device) with \(snapshot.peer)"),
      "  \(sign) " + colored(standing, snapshot.standing, style),
    ]
    func line(_ name: String, _ text: String) {
      lines.append("  " + style.name(DisplayWidth.pad(name, to: 16)) + text)
    }
    if let question = snapshot.question {
      let text = StrandlineStatus.Wording.question(question, time: session.moment)
      line("asks", ControlCharacters.visible(text))
    }
    if let cure = snapshot.cure, !cure.isEmpty { line("to do", ControlCharacters.visible(cure)) }
    line("now", wording.phase(snapshot) + phaseDetail(snapshot))
    line("pending", pendingText(snapshot, session))
    let isThere = snapshot.standing != .blocked && snapshot.lastSuccessfulActivity != nil
    if snapshot.isPublished, isThere {
      line("in the folder", folderText(snapshot))
    }
    // The standing says what is waited for, unless it has worse to say or there is too much.
    if snapshot.standing != .working || snapshot.waitingFor.count > 3 {
      for sentence in snapshot.waitingFor { line("lacks", ControlCharacters.visible(sentence)) }
    }
    for sentence in snapshot.notices { line("notice", ControlCharacters.visible(sentence)) }
    line("last activity", snapshot.lastSuccessfulActivity.map(session.ago) ?? "not observed yet")
    line("switch", switchText(snapshot))
    if let purge = snapshot.purge { line("purge", purgeText(purge, session)) }
    if snapshot.conflicts > 0 { line("conflicts", "\(snapshot.conflicts) (see conflicts)") }
    if snapshot.setAside > 0 { line("set aside", "\(snapshot.setAside) (see setaside)") }
    if snapshot.heldDeletes > 0 {
      line("held", "\(Wording.count(snapshot.heldDeletes, "delete")) (see deletes)")
    }
    if snapshot.orphans > 0 {
      line(
        "orphans",
        "\(Wording.count(snapshot.orphans, "reference")) to records not here (see orphans)")
    }
    if snapshot.parked > 0 {
      line("parked", "\(Wording.count(snapshot.parked, "edit")) waiting for their record")
    }
    if let holder = snapshot.leaseHolder, !SyncLease.isThisProcess(holder) {
      line("synced by", holder)
    }
    return lines.joined(separator: "\n")
  }

  private static func colored(
    _ text: String, _ standing: StatusSnapshot.Standing, _ style: Style
  ) -> String {
    switch standing {
    case .caughtUp: style.success(text)
    case .blocked: style.error(text)
    case .waiting, .settingUp, .working: style.warning(text)
    case .off: text
    }
  }

  private static func phaseDetail(_ snapshot: StatusSnapshot) -> String {
    if case .failed(let message) = snapshot.phase { ": " + message } else { "" }
  }

  private static func pendingText(_ snapshot: StatusSnapshot, _ session: Session) -> String {
    guard snapshot.pending > 0 else { return "nothing" }
    let entities = snapshot.pendingByEntity.sorted { $0.key < $1.key }
      .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    let oldest = snapshot.oldestPending.map { ", the oldest from \(session.ago($0))" } ?? ""
    return "\(Wording.count(snapshot.pending, "change")) (\(entities))\(oldest)"
  }

  /// What is in a folder has not left this disk for all that is known, but for what is read.
  private static func folderText(_ snapshot: StatusSnapshot) -> String {
    let receipts = snapshot.receipts
    guard receipts.hasSent else { return "nothing of this device yet" }
    let what = snapshot.pending == 0 ? "all changes of this device" : "all but what is pending"
    if receipts.devices == 0 { return "\(what); no other device has read there yet" }
    let devices = Wording.count(receipts.devices, "other device")
    return "\(what); all of it read by \(receipts.complete) of \(devices)"
  }

  private static func purgeText(_ purge: StatusSnapshot.Purge, _ session: Session) -> String {
    let again = purge.until.map { "It is tried again after \(session.moment($0))." }
    return ControlCharacters.visible(
      [purge.reason ?? "It was not tried yet.", purge.cure, again].compactMap(\.self)
        .joined(separator: " "))
  }

  private static func switchText(_ snapshot: StatusSnapshot) -> String {
    guard snapshot.isWanted else {
      return snapshot.isPurgePending ? "off, the cloud copy waits to be purged" : "off"
    }
    if snapshot.isActive { return "on" }
    return snapshot.standing == .off ? "on, but no transport is followed" : "on, but blocked"
  }

  // MARK: Lists

  private static func events(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(1)
    var limit = 20
    if let token = input.arguments.first {
      guard let number = Int(token.text), number > 0, number <= 2000 else {
        throw CommandError(
          "wrongType", "Could not list '\(token.text)' events, it is not a number from 1 to 2000.",
          advice: "For example: events 5", at: token)
      }
      limit = number
    }
    let store = session.device.store
    let events = try await store.events(limit: limit)
    let rows = events.reversed().map { event -> [String] in
      [
        session.moment(event.start), event.kind, event.peer, outcome(event),
        event.records > 0 ? "\(event.records)" : "", event.errorMessage ?? "",
      ]
    }
    session.show(
      ResultTable(
        columns: ["at", "kind", "peer", "outcome", "records", "what"], rows: rows),
      json: { events.reversed().map { json($0, store.id) } }, whenEmpty: "No activity yet.")
  }

  private static func outcome(_ event: ActivityEvent) -> String {
    if event.isInterrupted { return "interrupted" }
    return switch event.succeeded {
    case true: "succeeded"
    case false: "failed"
    case nil: "running"
    }
  }

  private static func json(_ event: ActivityEvent, _ store: String) -> JSONValue {
    .object([
      "event": .object([
        "kind": .string(event.kind), "store": .string(store), "peer": .string(event.peer),
        "start": .string(Timestamp.text(event.start)),
        "end": event.end.map { .string(Timestamp.text($0)) } ?? .null,
        "succeeded": event.succeeded.map(JSONValue.bool) ?? .null,
        "error": event.errorCode.map {
          .object([
            "code": .string($0), "message": JSONValue(event.errorMessage),
            "recovery": JSONValue(event.errorAdvice),
          ])
        } ?? .null,
        "records": .integer(Int64(event.records)),
      ])
    ])
  }

  private static func pending(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(0)
    let items = try await session.device.store.pendingItems()
    session.device.listing = items.map { RecordKey(entity: $0.entity, id: $0.id) }
    let rows = items.enumerated().map { index, item in
      [
        "\(index + 1)", item.kind, item.entity, item.properties.joined(separator: ", "),
        item.peer, item.id.description,
      ]
    }
    session.show(
      ResultTable(columns: ["#", "kind", "entity", "fields", "peer", "id"], rows: rows),
      json: {
        items.map {
          .object([
            "pending": .object([
              "peer": .string($0.peer), "entity": .string($0.entity),
              "id": .string($0.id.description), "kind": .string($0.kind),
              "fields": .array($0.properties.map(JSONValue.string)),
            ])
          ])
        }
      }, whenEmpty: "Nothing is pending.")
  }

  private static func conflicts(_ session: Session, _ input: CommandInput) async throws {
    if !input.arguments.isEmpty { return try await RestoreCommands.conflict(session, input) }
    let items = try await session.device.store.conflictItems(ownName: session.device.name)
    session.device.listing = items.map { RecordKey(entity: $0.entity, id: $0.id) }
    let text = RecordText(schema: session.schema)
    let rows = items.enumerated().map { index, item -> [String] in
      let property = session.schema[item.entity]?[item.property]
      return [
        "\(index + 1)", "\(item.number)", "\(item.entity).\(item.property)",
        text.text(item.lostValue, of: property),
        item.presentValue.map { text.text($0, of: property) } ?? "(deleted)", item.device,
        session.moment(item.writtenAt), item.id.description,
      ]
    }
    session.show(
      ResultTable(
        columns: ["#", "number", "field", "lost value", "value now", "written by", "at", "id"],
        rows: rows),
      json: { items.map { json($0, session) } }, whenEmpty: "No value lost to a concurrent one.")
  }

  private static func json(_ item: ConflictItem, _ session: Session) -> JSONValue {
    let text = RecordText(schema: session.schema)
    let property = session.schema[item.entity]?[item.property]
    return .object([
      "conflict": .object([
        "number": .integer(item.number), "entity": .string(item.entity),
        "id": .string(item.id.description), "field": .string(item.property),
        "lost": text.json(item.lostValue, of: property),
        "now": item.presentValue.map { text.json($0, of: property) } ?? .null,
        "device": .string(item.device),
        "at": .string(Timestamp.text(item.writtenAt)),
      ])
    ])
  }

  private static func orphans(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(0)
    let items = try await session.device.store.orphanItems()
    session.device.listing = items.map { RecordKey(entity: $0.entity, id: $0.id) }
    let rows = items.enumerated().map { index, item in
      [
        "\(index + 1)", "\(item.entity).\(item.property)", item.destination,
        missing(item), item.id.description,
      ]
    }
    session.show(
      ResultTable(columns: ["#", "field", "refers to", "not here", "id"], rows: rows),
      json: {
        items.map {
          .object([
            "orphan": .object([
              "entity": .string($0.entity), "id": .string($0.id.description),
              "field": .string($0.property), "to": .string($0.destination),
              "missing": .string(missing($0)),
            ])
          ])
        }
      }, whenEmpty: "Every reference leads to a record that is here.")
  }

  private static func missing(_ item: OrphanItem) -> String {
    RecordID(item.missing)?.description ?? "\(item.missing)"
  }

  // MARK: Trace

  private static func trace(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(1)
    let token = try input.argument(0, "the record")
    let id = try await RecordResolver(session: session).resolveDeletedToo(token)
    // What another SQLite client wrote is sealed first, so that it has a time.
    try await session.device.store.sealOtherClients()
    guard let trace = try await session.device.store.trace(id) else {
      throw CommandError(
        "unknownID", "Could not trace '\(token.text)', this store has no history of it.",
        advice: "List the records to see their ids.", at: token, exitCode: .failed)
    }
    session.show(json(trace), text(trace, session))
  }

  private static func text(_ trace: Trace, _ session: Session) -> String {
    let title = session.style.heading("\(trace.entity) \(trace.id)")
    if trace.isPruned { return title + "\n  The latest change is no longer in history." }
    var gates: [(String, Int64?)] = [
      (trace.importedFrom.map { "imported from \($0)" } ?? "saved here", trace.savedAt)
    ]
    for peer in trace.peers {
      gates.append(
        (
          peer.isPublished ? "in the folder \(peer.peer)" : "exported to \(peer.peer)",
          peer.exportedAt
        ))
      for device in peer.importedBy { gates.append(("  imported by \(device.device)", device.at)) }
      if peer.importedBy.isEmpty { gates.append(("  imported by others", nil)) }
    }
    for gate in trace.consumers { gates.append(("merged by \(gate.consumer)", gate.at)) }
    let widest = gates.map { DisplayWidth.of($0.0) }.max() ?? 0
    let lines = gates.map { name, time in
      "  \(DisplayWidth.pad(name, to: widest))  "
        + (time.map { "\(session.moment($0)), \(session.ago($0))" } ?? "not observed")
    }
    return ([title] + lines).joined(separator: "\n")
  }

  private static func json(_ trace: Trace) -> JSONValue {
    func time(_ milliseconds: Int64?) -> JSONValue {
      milliseconds.map { .string(Timestamp.text($0)) } ?? .null
    }
    return .object([
      "trace": .object([
        "entity": .string(trace.entity), "id": .string(trace.id.description),
        "saved": time(trace.savedAt), "pruned": .bool(trace.isPruned),
        "importedFrom": JSONValue(trace.importedFrom),
        "peers": .array(
          trace.peers.map { peer in
            .object([
              "peer": .string(peer.peer), "exported": time(peer.exportedAt),
              "acknowledgement": .string(peer.isPublished ? "inTheFolder" : "stored"),
              "importedBy": .array(
                peer.importedBy.map {
                  .object(["device": .string($0.device), "at": time($0.at)])
                }),
            ])
          }),
        "mergedBy": .array(
          trace.consumers.map {
            .object(["consumer": .string($0.consumer), "at": time($0.at)])
          }),
      ])
    ])
  }
}
