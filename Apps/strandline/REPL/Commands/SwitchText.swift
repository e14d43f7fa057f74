import Strandline

/// What the switch's commands answer.
@MainActor struct SwitchText {
  let state: SwitchState
  let outcomes: [PurgeOutcome]
  let backups: BackupState?

  // MARK: For people

  /// The switch, what became of purges, and what is said of backups.
  func text(_ session: Session) -> String {
    let now = session.clock.milliseconds
    // Each pending purge has a sentence of its own.
    var lines = [
      state.standing == .offPurging ? SwitchWording.off : SwitchWording.sentence(state)
    ]
    lines += outcomes.filter(\.isDone).map(Self.sentence)
    lines += state.purges.map { SwitchWording.pending($0, now: now, time: session.moment) }
    if !state.isWanted {
      lines += state.waits.flatMap { [$0.reason, $0.cure] }.filter { !$0.isEmpty }
    }
    if !state.isWanted || backups?.extent == .partly {
      lines += [backups.map(SwitchWording.backups)].compactMap(\.self)
    }
    return ControlCharacters.visible(lines.joined(separator: " "))
  }

  nonisolated static func sentence(_ outcome: PurgeOutcome) -> String {
    switch outcome.end {
    case .purged: SwitchWording.purged(outcome.peer, wasGone: false)
    case .wasGone: SwitchWording.purged(outcome.peer, wasGone: true)
    case .pending(let error): error.description
    }
  }

  // MARK: For programs

  /// The object that `help sync` documents.
  var json: JSONValue {
    .object([
      "switch": .object([
        "wanted": .bool(state.isWanted), "active": .bool(state.isActive),
        "automatic": .bool(state.isAutomatic), "standing": .string(state.standing.rawValue),
        "pendingPurge": .bool(!state.purges.isEmpty),
        "waits": .array(state.waits.map(Self.json)),
        "purges": .array(state.purges.map(Self.json)),
        "purged": .array(outcomes.filter(\.isDone).map { .string($0.peer) }),
        "backups": backups.map {
          .object([
            "excluded": .bool($0.isExcluded), "extent": .string($0.extent.rawValue),
            "trouble": JSONValue($0.trouble),
          ])
        } ?? .null,
      ])
    ])
  }

  private static func json(_ wait: SwitchState.Wait) -> JSONValue {
    .object([
      "code": .string(wait.code), "peer": JSONValue(wait.peer), "reason": .string(wait.reason),
      "cure": .string(wait.cure),
    ])
  }

  private static func json(_ purge: PendingPurge) -> JSONValue {
    .object([
      "peer": .string(purge.specification), "asked": .string(Timestamp.text(purge.asked)),
      "attempts": .integer(Int64(purge.attempts)),
      "next": (purge.failure?.retryAt).map { .string(Timestamp.text($0)) } ?? .null,
      "code": JSONValue(purge.failure?.code), "reason": JSONValue(purge.failure?.message),
      "cure": JSONValue(purge.failure?.advice),
    ])
  }
}
