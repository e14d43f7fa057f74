import Strandline

/// The command that runs the release gate.
@MainActor enum VerifyCommand {
  static let all: [Command] = [
    Command(
      name: "verify", usage: "verify",
      summary: "Run every gate of a release with temporary devices on this transport.",
      example: "verify", group: .looking, run: verify)
  ]

  private static func verify(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(0)
    try session.requireNoTransaction("Could not verify, a transaction is open.")
    guard session.maySync else {
      throw CommandError(
        "localOnly", "Could not verify, this session was opened without the right to sync.",
        advice: "Start it without --local and --read-only.")
    }
    guard !session.peers.isEmpty else {
      throw CommandError(
        "noTransport", "Could not verify, no transport is configured.",
        advice: "Name one with --transport, or use transport use SPEC.", exitCode: .transport)
    }
    for peer in session.peers { try await verify(peer, session) }
  }

  private static func verify(_ peer: Configuration.Peer, _ session: Session) async throws {
    let place = try await VerificationPlace(session, peer)
    if !session.isJSON {
      session.streams.writeLine(
        session.style.heading(
          "Verifying \(place.specification), \(place.environment.rawValue), zone \(place.zone)"))
    }
    let verification = Verification(place) { result in
      // For people the sum says what was not run, and why.
      if result.isNotRun && !session.isJSON { return }
      session.show(result.json, result.text(session.style))
    }
    try await Interruption.cancelling(takesSignals: !session.isInteractive) {
      try await verification.run()
    }
    session.show(summary(verification), sentence(verification))
    guard let first = verification.failures.first, let failure = first.failure else { return }
    let titles = verification.failures.map(\.title).joined(separator: "; ")
    throw CommandError(
      "verificationFailed",
      "Could not verify '\(place.specification)', "
        + "\(Wording.count(verification.failures.count, "gate")) failed: \(titles).",
      advice: failure.advice.isEmpty ? "Look above for the reason." : failure.advice,
      exitCode: failure.isTransport ? .transport : .failed)
  }

  private static func counts(
    _ verification: Verification
  ) -> (passed: Int, failed: Int, notApplicable: Int, notRun: Int) {
    let results = verification.results
    return (
      results.count(where: \.isPassed), verification.failures.count,
      results.count(where: \.isNotApplicable), results.count(where: \.isNotRun)
    )
  }

  private static func sentence(_ verification: Verification) -> String {
    let counts = counts(verification)
    var parts = ["\(Wording.count(counts.passed, "gate")) passed"]
    if counts.failed > 0 { parts.append("\(counts.failed) failed") }
    if counts.notApplicable > 0 { parts.append("\(counts.notApplicable) not applicable") }
    if counts.notRun > 0, let first = verification.failures.first {
      parts.append("\(counts.notRun) not run, since '\(first.title)' failed")
    }
    return parts.joined(separator: ", ") + "."
  }

  private static func summary(_ verification: Verification) -> JSONValue {
    let counts = counts(verification)
    let place = verification.place
    return .object([
      "verification": .object([
        "transport": .string(place.specification), "zone": .string(place.zone),
        "environment": .string(place.environment.rawValue),
        "processes": .bool(place.hasProcesses),
        "passed": .integer(Int64(counts.passed)), "failed": .integer(Int64(counts.failed)),
        "notApplicable": .integer(Int64(counts.notApplicable)),
        "notRun": .integer(Int64(counts.notRun)),
      ])
    ])
  }
}
