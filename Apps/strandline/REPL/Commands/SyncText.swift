import Strandline

/// What `sync` answers: what the cycles were seen to do, and no more.
@MainActor struct SyncText {
  let report: SyncReport
  let statuses: [StatusSnapshot]

  private func status(of peer: PeerReport) -> StatusSnapshot? {
    statuses.first { $0.peer == peer.peer }
  }

  // MARK: For people

  /// One line for the peer, or one for each of several.
  func text(_ session: Session) -> String {
    if report.peers.count == 1 { return sentence(report.peers[0], session) }
    return report.peers.map { peer in
      let name = session.style.name(peer.peer + ":")
      guard let error = peer.error else { return "\(name) \(sentence(peer, session))" }
      return "\(name) " + session.style.error(ControlCharacters.visible(error.message))
    }.joined(separator: "\n")
  }

  private func sentence(_ peer: PeerReport, _ session: Session) -> String {
    var parts = [
      "Imported \(Wording.count(peer.imported, "change")).",
      Wording.exported(peer.exported, isPublished: peer.isPublished),
    ]
    if peer.setAside > 0 {
      parts.append("\(Wording.count(peer.setAside, "record")) set aside (see setaside).")
    }
    if let held = status(of: peer)?.heldDeletes, held > 0 {
      parts.append(Wording.held(held) + " (see deletes)")
    }
    if peer.conflicts > 0 {
      parts.append(
        "\(Wording.count(peer.conflicts, "value")) lost to a concurrent one (see conflicts).")
    }
    let pending = status(of: peer)?.pending ?? 0
    if let time = peer.caughtUpAt, pending == 0 {
      parts.append("Nothing was waiting at \(session.moment(time)).")
    } else if pending > 0 {
      parts.append("\(Wording.count(pending, "change")) \(pending == 1 ? "waits" : "wait").")
    }
    if !peer.waitingFor.isEmpty { parts.append(Wording.waits(peer.waitingFor)) }
    parts += peer.notices
    return ControlCharacters.visible(parts.joined(separator: " "))
  }

  // MARK: For programs

  /// The sum, with an entry for each peer.
  var json: JSONValue {
    .object([
      "sync": .object([
        "imported": .integer(Int64(report.imported)),
        "exported": .integer(Int64(report.exported)),
        "setAside": .integer(Int64(report.setAside)),
        "heldDeletes": .integer(Int64(report.heldDeletes)),
        "conflicts": .integer(Int64(report.conflicts)),
        "standing": .string(worst.rawValue), "asOf": Self.time(report.caughtUpAt),
        "error": Self.json(report.error),
        "waitingFor": .array(report.waitingFor.map(JSONValue.string)),
        "peers": .array(report.peers.map(json)),
      ])
    ])
  }

  /// Where the store stands with the peer that needs most; more than one says nothing of all.
  private var worst: StatusSnapshot.Standing {
    let order: [StatusSnapshot.Standing] = [.blocked, .waiting, .settingUp, .working, .off]
    let found = Set(statuses.map(\.standing))
    return order.first(where: found.contains) ?? .caughtUp
  }

  private func json(_ peer: PeerReport) -> JSONValue {
    .object([
      "peer": .string(peer.peer), "imported": .integer(Int64(peer.imported)),
      "exported": .integer(Int64(peer.exported)), "setAside": .integer(Int64(peer.setAside)),
      "heldDeletes": .integer(Int64(peer.heldDeletes)),
      "conflicts": .integer(Int64(peer.conflicts)),
      "standing": status(of: peer).map { .string($0.standing.rawValue) } ?? .null,
      "asOf": Self.time(peer.caughtUpAt), "error": Self.json(peer.error),
      "acknowledgement": .string(peer.isPublished ? "inTheFolder" : "stored"),
      "waitingFor": .array(peer.waitingFor.map(JSONValue.string)),
      "notices": .array(peer.notices.map(JSONValue.string)),
    ])
  }

  private static func time(_ milliseconds: Int64?) -> JSONValue {
    milliseconds.map { .string(Timestamp.text($0)) } ?? .null
  }

  private static func json(_ error: (any ExplainedError)?) -> JSONValue {
    guard let error else { return .null }
    return .object([
      "code": .string(error.codeName), "message": .string(error.message),
      "recovery": .string(error.advice),
    ])
  }
}
