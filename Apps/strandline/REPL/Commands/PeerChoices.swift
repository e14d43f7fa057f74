import Strandline

/// What a person decides about a peer: the policy of the first sync, and what becomes of a zone
/// that is not the known one.
@MainActor enum PeerChoices {
  // MARK: The first sync

  /// Reads the policy of the first sync, and asks before anything of this device would lose by it.
  ///
  /// - Returns: Whether the peer is to be added.
  static func mayAdd(
    _ wanted: inout Configuration.Peer, _ session: Session, _ input: CommandInput, at token: Token
  ) async throws -> Bool {
    let items = try await session.device.store.peerItems()
    let known = items.first {
      $0.specification == wanted.transport && $0.zoneName == session.home.zone
        && $0.environment == session.home.environment.rawValue
    }
    if let known, known.isKept {
      throw CommandError(
        "keptHere",
        "Could not add '\(wanted.transport)', everything was to stay on this device.",
        advice: "Use peer remove \(known.id) first; to follow it again is a first sync.", at: token)
    }
    guard let word = try input.values(of: "first-sync").last else { return true }
    guard let policy = FirstSync(rawValue: word.text) else {
      throw CommandError(
        "wrongType", "Could not add a peer, '\(word.text)' is no policy of a first sync.",
        advice: "Use union, local or cloud.", at: word)
    }
    if let known, known.hasCursor || known.firstSync == nil {
      throw CommandError(
        "notFirst", "Could not choose, '\(wanted.transport)' was synced with before.",
        advice: "Use peer remove \(known.id) first; to follow it again is a first sync.", at: word)
    }
    wanted.firstSync = policy
    guard policy == .keepCloud else { return true }
    let count = try await recordCount(session)
    guard count > 0 else { return true }
    return try await session.confirm(
      "Of \(Wording.count(count, "record")) of this device those that '\(wanted.transport)' lacks are "
        + "laid aside: they can be restored from history, and are not sent. Where both have a "
        + "record, the values from there win.")
  }

  /// How many records would leave the device.
  private static func recordCount(_ session: Session) async throws -> Int {
    let entities = session.schema.entities.filter { $0.configuration == .synced }.map(\.name)
    return try await session.device.read { transaction in
      try entities.reduce(0) { try $0 + transaction.count(Query($1)) }
    }
  }

  // MARK: Questions

  /// Answers what a peer asks, after a confirmation that says what comes of it.
  static func answer(_ session: Session, _ number: Token, _ word: Token) async throws {
    guard session.maySync else {
      throw CommandError(
        "localOnly", "Could not answer, this session was opened without the right to.",
        advice: "Start it without --local and --read-only.")
    }
    let peer = try await PeerCommands.known(number, session, "answer")
    guard let answer = PeerAnswer(rawValue: word.text.lowercased()) else {
      throw CommandError(
        "wrongType", "Could not answer, '\(word.text)' is no answer.",
        advice: CommandInput.advice(
          Suggestion.sentence(for: word.text, among: PeerAnswer.allCases.map(\.rawValue)),
          "Use keep, upload or switch."), at: word)
    }
    guard let question = peer.question else {
      throw CommandError(
        "nothingAsked", "Could not answer, \(peer.specification) asks nothing.",
        advice: "Type peers to see which one does.", at: number)
    }
    try session.requireNoTransaction("Could not answer, a transaction is open.")
    let count = try await recordCount(session)
    let asked = Wording.question(question, time: session.moment)
    guard
      try await session.confirm(
        "\(asked) \(consequence(of: answer, to: question, peer, records: count))")
    else { return }
    try await session.answer(question, of: peer, with: answer)
    session.say(
      .object([
        "peer": .object([
          "number": .integer(peer.id), "transport": .string(peer.specification),
          "question": question.json, "answer": .string(answer.rawValue),
          "followed": .bool(answer != .keep),
        ])
      ]), said(answer, peer))
  }

  private static func consequence(
    of answer: PeerAnswer, to question: PeerQuestion, _ peer: PeerItem, records: Int
  ) -> String {
    let all = Wording.count(records, "record")
    let pending = Wording.count(peer.status.pending, "change")
    var there = peer.specification
    if case .accountChanged(_, let found) = question { there += " (account '\(found)')" }
    return switch answer {
    case .keep:
      "The \(all) of this device stay here, and \(peer.specification) is not followed any more; "
        + "\(pending) that were not exported stay here too."
    case .upload:
      "All \(all) of this device and what is known of deletes go to \(there), and are merged with "
        + "what is there."
    case .switchOver:
      "The \(all) of this device stay here, with all later edits of them, unless they are there as "
        + "well and the values from there win; \(pending) that were not exported stay here too. "
        + "What is made from now on goes to \(there)."
    }
  }

  private static func said(_ answer: PeerAnswer, _ peer: PeerItem) -> String {
    switch answer {
    case .keep:
      "Everything stays on this device; \(peer.specification) is not followed any more. Nothing was "
        + "deleted."
    case .upload: "Everything goes to \(peer.specification) with the next sync."
    case .switchOver:
      "What is made from now on goes to \(peer.specification); what was here stays here."
    }
  }
}
