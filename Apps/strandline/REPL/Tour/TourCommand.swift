/// The tour at the prompt and in scripts.
@MainActor enum TourCommand {
  static let all: [Command] = [
    Command(
      name: "tour", usage: "tour",
      summary: "A tour that shows how devices sync, on devices of its own.",
      example: "tour", group: .session, run: run)
  ]

  private static func run(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(0)
    var ask: (@MainActor () async -> Tour.Answer)?
    if let readLine = session.readLine {
      ask = { await TourAnswers.read(session.streams, readLine) }
    }
    let tour = try await Tour.open(
      session.registry, streams: session.streams, color: session.options.color,
      variables: session.variables, ask: ask)
    _ = await tour.play()
  }
}

/// What a person may say between the steps of a tour.
@MainActor package enum TourAnswers {
  /// Asks until the answer is understood; Ctrl-C and Ctrl-D leave.
  package static func read(
    _ streams: StandardStreams, _ readLine: @MainActor (String) async -> LineResult
  ) async -> Tour.Answer {
    while true {
      guard case .line(let text) = await readLine("[Enter] ") else { return .leave }
      switch text.trimmingSpaces.lowercased() {
      case "": return .next
      case "s", "skip": return .skip
      case "q", "quit": return .leave
      default: streams.note("Enter runs the command, s skips the chapter, q leaves.")
      }
    }
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
