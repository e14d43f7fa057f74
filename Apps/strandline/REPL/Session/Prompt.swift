import Strandline

/// The prompt: the device's name and what the tables say, in the fewest words.
@MainActor struct Prompt {
  let session: Session

  /// Reads the tables and writes the prompt, such as `phone 3↑> `.
  func text() async -> String {
    let device = session.device
    let mark = device.isInTransaction ? "*" : ""
    let name =
      device.name + (device.contextName.map { "/\($0)" } ?? "")
      + (device.pinned.map { "@\($0.token)" } ?? "")
    do {
      // While a transaction is open, its own connection is asked for nothing.
      let snapshot = try await session.snapshot()
      return compose(name, state(snapshot), mark, snapshot.standing)
    } catch {
      return compose(name, "!store", mark, .blocked)
    }
  }

  private func state(_ snapshot: StatusSnapshot) -> String {
    var parts: [String] = []
    if snapshot.pending > 0 && snapshot.standing != .off { parts.append("\(snapshot.pending)↑") }
    switch snapshot.standing {
    case .off: parts.append("off")
    case .blocked: parts.append("!" + words(snapshot.reasonCode))
    case .waiting: parts.append("waiting")
    case .settingUp: parts.append("checking")
    case .working where snapshot.isCatchingUp: parts.append("catching up")
    case .working, .caughtUp: break
    }
    return parts.joined(separator: " ")
  }

  private func words(_ code: String?) -> String {
    switch code {
    case "accountUnavailable": "signed out"
    case "clockSkew": "clock"
    case "notAuthorized": "auth"
    case "zoneNotFound": "not found"
    case "zoneReplaced": "other zone"
    case "zonePurged": "purged"
    case "schemaRefused": "schema"
    default: "blocked"
    }
  }

  private func compose(
    _ name: String, _ state: String, _ mark: String, _ standing: StatusSnapshot.Standing
  ) -> String {
    let style = session.style
    let shown =
      switch standing {
      case .blocked: style.error(state)
      case .waiting, .settingUp, .working: style.warning(state)
      case .off, .caughtUp: style.faint(state)
      }
    return style.name(name) + (state.isEmpty ? "" : " " + shown) + mark + "> "
  }
}
