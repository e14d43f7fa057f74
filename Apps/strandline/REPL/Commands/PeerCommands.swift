import Strandline

/// Commands for the transports that are followed.
@MainActor enum PeerCommands {
  static let all: [Command] = [
    Command(
      name: "transport", usage: "transport [use SPEC [--token-file FILE] [--ca-file FILE]]",
      summary: "Show what is followed, or follow one transport instead.",
      example: "transport use directory:/mnt/share", group: .sync,
      words: [.choice(["use"]), .transport], run: transport),
    Command(
      name: "peers", usage: "peers",
      summary: "Every peer that is followed or known: its place, and what waits.",
      example: "peers", group: .sync, run: peers),
    Command(
      name: "peer",
      usage: "peer add SPEC [--account NAME] [--first-sync union|local|cloud] [--token-file FILE] "
        + "[--ca-file FILE] | peer remove N | peer answer N keep|upload|switch",
      summary: "Follow one more transport, forget a peer, or answer what it asks.",
      example: "peer add directory:/media/stick", group: .sync,
      words: [
        .choice(["add", "remove", "answer"]), .peer, .choice(["keep", "upload", "switch"]),
      ], run: peer),
  ]

  // MARK: One transport

  private static func transport(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: fileOptions)
    let words = try input.arguments(without: fileOptions)
    guard words.count <= 2 else {
      throw CommandError(
        "strayWord", "Could not run 'transport', '\(words[2].text)' is one word too many.",
        advice: "Usage: \(input.command.usage)", at: words[2])
    }
    guard let word = words.first else {
      let followed = session.peers.map(\.transport)
      return session.show(
        .object([
          "transport": .string(followed.first ?? "none"),
          "transports": .array(followed.map(JSONValue.string)),
        ]), followed.isEmpty ? "none" : followed.joined(separator: "\n"))
    }
    guard word.isKeyword("use") else {
      throw CommandError(
        "strayWord", "Could not run 'transport', '\(word.text)' is not expected here.",
        advice: "Usage: \(input.command.usage)", at: word)
    }
    guard let token = words.dropFirst().first else {
      _ = try input.argument(1, "the transport")
      return
    }
    let wanted = try await specification(token, session, input, verb: "swap the transport")
    guard try await SwitchCommands.mayLeavePurges(session, for: wanted?.transport) else { return }
    let left = try await session.snapshots().filter {
      $0.pending > 0 && $0.peer != "none" && $0.peer != wanted?.transport
    }
    if !left.isEmpty {
      let changes = left.map {
        "\(Wording.count($0.pending, "change")) not yet exported to \($0.peer)"
      }
      guard
        try await session.confirm(
          "\(changes.joined(separator: " and ")) will wait until it is followed again.")
      else { return }
    }
    try await session.use(wanted)
    session.say(
      .object(["transport": .string(session.peersText)]),
      wanted == nil
        ? "No transport is followed. Everything is saved on this device."
        : "Following \(session.peersText) from now on.")
  }

  /// Reads a transport, in its own words; nil for none.
  private static func specification(
    _ token: Token, _ session: Session, _ input: CommandInput, verb: String
  ) async throws -> Configuration.Peer? {
    guard session.maySync else {
      throw CommandError(
        "localOnly", "Could not \(verb), this session was opened without the right to.",
        advice: "Start it without --local and --read-only.")
    }
    let kind = TransportSpecification(token.text).kind
    let names = session.registry.names
    guard names.contains(kind) else {
      let hint = Suggestion.sentence(for: kind, among: names)
      throw CommandError(
        "unknownTransport", "Could not use '\(token.text)', there is no such transport.",
        advice: hint.isEmpty
          ? "Use one of: \(session.registry.addressForms.joined(separator: ", "))." : hint,
        at: token, exitCode: .transport)
    }
    try session.requireNoTransaction("Could not \(verb), a transaction is open.")
    if token.text == "none" { return nil }
    let configuration = session.home.configuration
    let own = try await session.ownWords(
      of: configuration.peer(token.text).taking(session.options))
    // The configuration may have it under its own words.
    let known = configuration.peers.first { $0.transport == own.transport }
    return (known?.taking(session.options) ?? own).taking(
      tokenFile: try input.values(of: "token-file").last?.text,
      authorityFile: try input.values(of: "ca-file").last?.text)
  }

  private static let fileOptions = ["token-file", "ca-file"]

  // MARK: Several peers

  private static let peerOptions = ["account", "first-sync"] + fileOptions

  private static func peer(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: peerOptions)
    let words = try input.arguments(without: peerOptions)
    guard let word = words.first else {
      _ = try input.argument(0, "add, remove or answer")
      return
    }
    let most = word.isKeyword("answer") ? 3 : 2
    guard words.count <= most else {
      throw CommandError(
        "strayWord", "Could not run 'peer', '\(words[most].text)' is one word too many.",
        advice: "Usage: \(input.command.usage)", at: words[most])
    }
    switch word.text.lowercased() {
    case "add": try await add(session, words.dropFirst().first, input)
    case "remove": try await remove(session, words.dropFirst().first, input)
    case "answer":
      guard words.count > 1 else { throw missing("the number of the peer", input) }
      guard words.count > 2 else { throw missing("keep, upload or switch", input) }
      try await PeerChoices.answer(session, words[1], words[2])
    default:
      throw CommandError(
        "strayWord", "Could not run 'peer', '\(word.text)' is not expected here.",
        advice: CommandInput.advice(
          Suggestion.sentence(for: word.text, among: ["add", "remove", "answer"]),
          "Usage: \(input.command.usage)"), at: word)
    }
  }

  private static func missing(_ what: String, _ input: CommandInput) -> CommandError {
    CommandError(
      "missingWord", "Could not run 'peer', \(what) is missing.",
      advice: "Usage: \(input.command.usage)", at: input.tokenized.end, exitCode: .usage)
  }

  private static func add(
    _ session: Session, _ word: Token?, _ input: CommandInput
  ) async throws {
    guard let token = word else { throw missing("the transport", input) }
    guard var wanted = try await specification(token, session, input, verb: "add a peer") else {
      throw CommandError(
        "unknownTransport", "Could not add 'none', it is no transport.",
        advice: "Use transport use none to follow nothing.", at: token)
    }
    if let account = try input.values(of: "account").last {
      guard !account.text.isEmpty else {
        throw CommandError(
          "missingWord", "Could not add a peer, the name of the account is empty.",
          advice: "Name it, or leave --account away.", at: account)
      }
      wanted.account = account.text
    }
    guard try await PeerChoices.mayAdd(&wanted, session, input, at: token) else { return }
    let known = session.peers.first { $0.transport == wanted.transport }
    let isNew = try await session.add(wanted)
    if let known {
      wanted = wanted.keeping(known)
      if wanted != known { try await session.revise(wanted) }
    }
    session.say(
      .object([
        "peer": .object([
          "transport": .string(wanted.transport), "followed": .bool(true), "new": .bool(isNew),
          "expectedAccount": JSONValue(wanted.account),
          "firstSync": JSONValue(wanted.firstSync?.rawValue),
        ])
      ]), sentence(wanted, isNew: isNew, known, others: session.peers.count - 1))
  }

  private static func sentence(
    _ peer: Configuration.Peer, isNew: Bool, _ known: Configuration.Peer?, others: Int
  ) -> String {
    if let account = peer.account, !isNew, account != known?.account {
      return "Following \(peer.transport) already; from now on with the account '\(account)' only."
    }
    if !isNew, let known, peer != known {
      return "Following \(peer.transport) already; from now on with the files that were named."
    }
    if !isNew { return "Following \(peer.transport) already." }
    return others == 0
      ? "Following \(peer.transport) from now on."
      : "Following \(peer.transport) too; what comes from one peer goes to the others."
  }

  private static func remove(
    _ session: Session, _ word: Token?, _ input: CommandInput
  ) async throws {
    guard let token = word else { throw missing("the number of the peer", input) }
    guard session.maySync else {
      throw CommandError(
        "localOnly", "Could not remove a peer, this session was opened without the right to.",
        advice: "Start it without --local and --read-only.")
    }
    let peer = try await known(token, session, "remove")
    try session.requireNoTransaction("Could not remove a peer, a transaction is open.")
    let pending = peer.status.pending
    if pending > 0 {
      let (change, verb) = (Wording.count(pending, "change"), pending == 1 ? "is" : "are")
      guard
        try await session.confirm(
          "\(change) \(verb) not exported to \(peer.specification) and will no longer wait for it. "
            + "To follow it again is a first sync.")
      else { return }
    }
    try await session.forget(peer)
    session.say(
      .object([
        "peer": .object([
          "number": .integer(peer.id), "transport": .string(peer.specification),
          "followed": .bool(false), "forgotten": .bool(true),
        ])
      ]),
      "Forgot \(peer.specification). Nothing was deleted, here or there; to follow it again is a "
        + "first sync.")
  }

  /// The peer of a number of the listing, or of a transport's words.
  static func known(
    _ token: Token, _ session: Session, _ verb: String
  ) async throws -> PeerItem {
    let items = try await session.device.store.peerItems()
    if let number = Int64(token.text), let peer = items.first(where: { $0.id == number }) {
      return peer
    }
    if let peer = items.first(where: { $0.specification == token.text }) { return peer }
    throw CommandError(
      "unknownPeer", "Could not \(verb) '\(token.text)', no peer has that number.",
      advice: items.isEmpty
        ? "No peer is known." : "Type peers to see them with their numbers.", at: token,
      exitCode: .failed)
  }

  private static func peers(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(0)
    let items = try await session.device.store.peerItems(deviceName: session.device.name)
    let rows = items.map { row($0, session) }
    session.show(
      ResultTable(
        columns: ["number", "peer", "zone", "state", "place", "pending", "last activity", "notes"],
        rows: rows),
      json: { items.map { json($0, session) } }, whenEmpty: "No peer is known.")
  }

  private static func row(_ item: PeerItem, _ session: Session) -> [String] {
    let status = item.status
    let zone = item.environment == "development" ? "" : " (\(item.environment))"
    var notes = [status.reason].compactMap(\.self)
    if let question = item.question, status.reasonCode != question.codeName {
      notes.append(StrandlineStatus.Wording.question(question, time: session.moment))
    }
    if notes.isEmpty { notes = status.waitingFor }
    return [
      "\(item.id)", item.specification, item.zoneName + zone,
      state(item), item.hasCursor ? "known" : "none yet",
      "\(status.pending)", status.lastSuccessfulActivity.map(session.ago) ?? "not observed yet",
      ControlCharacters.visible((notes + status.notices).joined(separator: " ")),
    ]
  }

  private static func state(_ item: PeerItem) -> String {
    if item.isKept { return "kept here" }
    if !item.isFollowed { return "not followed" }
    return item.question == nil ? state(item.status) : "asks"
  }

  private static func state(_ status: StatusSnapshot) -> String {
    switch status.standing {
    case .off: "off"
    case .settingUp: "setting up"
    case .working where status.isCatchingUp: "catching up"
    case .working where !status.waitingFor.isEmpty: "waiting for files"
    case .working: "working"
    case .caughtUp: "caught up"
    case .waiting: "waiting"
    case .blocked: "blocked"
    }
  }

  private static func json(_ item: PeerItem, _ session: Session) -> JSONValue {
    let status = item.status
    let entry = session.peers.first { $0.transport == item.specification }
    return .object([
      "peer": .object([
        "number": .integer(item.id), "transport": .string(item.specification),
        "zone": .string(item.zoneName), "environment": .string(item.environment),
        "account": JSONValue(item.account), "expectedAccount": JSONValue(entry?.account),
        "question": item.question?.json ?? .null,
        "firstSync": JSONValue(item.firstSync?.rawValue), "keptHere": .bool(item.isKept),
        "apart": .bool(item.isApart),
        "followed": .bool(item.isFollowed), "cursorKnown": .bool(item.hasCursor),
        "pending": .integer(Int64(status.pending)),
        "standing": .string(status.standing.rawValue),
        "reason": JSONValue(status.reason), "cure": JSONValue(status.cure),
        "lastSuccessfulActivity": status.lastSuccessfulActivity.map {
          .string(Timestamp.text($0))
        } ?? .null,
        "waitingFor": .array(status.waitingFor.map(JSONValue.string)),
        "notices": .array(status.notices.map(JSONValue.string)),
      ])
    ])
  }
}
