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
      let snapshots = try await session.snapshots()
      return compose(name, state(snapshots), mark, worst(of: snapshots))
    } catch {
      return compose(name, "!store", mark, .blocked)
    }
  }

  /// What is pending for the peer that lacks most, and the worst that holds for any; how many
  /// of several it holds for follows.
  private func state(_ snapshots: [StatusSnapshot]) -> String {
    let worst = worst(of: snapshots)
    var parts: [String] = []
    let pending = snapshots.map(\.pending).max() ?? 0
    if pending > 0 && worst != .off { parts.append("\(pending)↑") }
    let concerned = snapshots.filter { $0.standing == worst }
    if let words = concerned.lazy.compactMap(state).first {
      let count = concerned.count { state($0) != nil }
      let share = snapshots.count > 1 && worst != .off ? " \(count)/\(snapshots.count)" : ""
      parts.append(words + share)
    }
    return parts.joined(separator: " ")
  }

  private func worst(of snapshots: [StatusSnapshot]) -> StatusSnapshot.Standing {
    let order: [StatusSnapshot.Standing] = [
      .blocked, .waiting, .settingUp, .working, .caughtUp, .off,
    ]
    let standings = Set(snapshots.map(\.standing))
    return order.first(where: standings.contains) ?? .off
  }

  private func state(_ snapshot: StatusSnapshot) -> String? {
    switch snapshot.standing {
    case .off: "off"
    case .blocked: "!" + words(snapshot.reasonCode)
    case .waiting: "waiting"
    case .settingUp: "checking"
    case .working where snapshot.isCatchingUp: "catching up"
    case .working where !snapshot.waitingFor.isEmpty: "waiting for files"
    case .working, .caughtUp: nil
    }
  }

  private func words(_ code: String?) -> String {
    switch code {
    case "accountUnavailable": "signed out"
    case "accountRestricted": "restricted"
    case "clockSkew": "clock"
    case "notAuthorized": "auth"
    case "zoneNotFound": "not found"
    case "zoneReplaced": "other zone"
    case "accountChanged", "wrongAccount": "other account"
    case "sameZone": "same zone"
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
