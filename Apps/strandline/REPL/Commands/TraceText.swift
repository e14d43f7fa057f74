import Strandline

/// The gates of a change as lines and as JSON.
@MainActor struct TraceText {
  let session: Session

  private typealias Gate = (name: String, time: Int64?, note: String)

  func text(_ trace: Trace) -> String {
    let title = session.style.heading("\(trace.entity) \(trace.id)")
    if trace.isPruned { return title + "\n  The latest change is no longer in history." }
    let first: Gate = (origin(trace.importedFrom), trace.savedAt, "")
    return lines(title, [first] + gates(trace.peers) + gates(trace.consumers))
  }

  func text(_ trace: TransactionTrace) -> String {
    let by = [trace.author, trace.context].compactMap(\.self).joined(separator: ", ")
    let title = session.style.heading(
      "Transaction \(trace.token), \(Wording.count(trace.records, "record"))"
        + (by.isEmpty ? "" : ", by \(ControlCharacters.visible(by))"))
    let saved = trace.isOfAnotherClient ? "noticed here, by another program" : nil
    let first: Gate = (saved ?? origin(trace.importedFrom), trace.savedAt, "")
    let text = lines(title, [first] + gates(trace.peers) + gates(trace.consumers))
    let refused = trace.setAside.sorted { $0.key < $1.key }.map {
      "\n  \(Wording.count($0.value, "record")) refused by \($0.key) (see setaside)"
    }
    return text + refused.joined()
  }

  private func origin(_ peer: String?) -> String {
    let wording = Wording()
    return peer.map { wording.text(.gateImportedFrom, nil, ["name": $0]) }
      ?? wording.text(.gateSaved)
  }

  private func gates(_ peers: [Trace.PeerGates]) -> [Gate] {
    let wording = Wording()
    return peers.flatMap { peer -> [Gate] in
      let exported = wording.text(
        peer.isPublished ? .gateInFolder : .gateExported, nil, ["name": peer.peer])
      let devices = peer.importedBy.map { device -> Gate in
        let name = wording.text(.gateImportedBy, nil, ["name": device.device])
        let heard = device.at == nil ? device.lastHeard : nil
        return ("  " + name, device.at, heard.map { "last heard from \(session.ago($0))" } ?? "")
      }
      let nobody: Gate = ("  " + wording.text(.gateImportedBy, nil, ["name": "others"]), nil, "")
      return [(exported, peer.exportedAt, "")] + (devices.isEmpty ? [nobody] : devices)
    }
  }

  private func gates(_ consumers: [Trace.ConsumerGate]) -> [Gate] {
    consumers.map {
      (Wording().text(.gateMergedBy, nil, ["name": $0.consumer]), $0.at, "")
    }
  }

  private func lines(_ title: String, _ gates: [Gate]) -> String {
    let shown = gates.map { (ControlCharacters.visible($0.name), $0.time, $0.note) }
    let widest = shown.map { DisplayWidth.of($0.0) }.max() ?? 0
    let lines = shown.map { name, time, note in
      let seen =
        time.map { "\(session.moment($0)), \(session.ago($0))" }
        ?? Wording().text(.gateNotObserved) + (note.isEmpty ? "" : "; " + note)
      return "  \(DisplayWidth.pad(name, to: widest))  " + seen
    }
    return ([title] + lines).joined(separator: "\n")
  }

  // MARK: JSON

  static func json(_ trace: Trace) -> JSONValue {
    .object([
      "trace": .object([
        "entity": .string(trace.entity), "id": .string(trace.id.description),
        "saved": time(trace.savedAt), "pruned": .bool(trace.isPruned),
        "importedFrom": JSONValue(trace.importedFrom),
        "peers": .array(trace.peers.map(json)), "mergedBy": json(trace.consumers),
      ])
    ])
  }

  static func json(_ trace: TransactionTrace) -> JSONValue {
    .object([
      "trace": .object([
        "token": .string(trace.token.description), "saved": time(trace.savedAt),
        "author": JSONValue(trace.author), "context": JSONValue(trace.context),
        "records": .integer(Int64(trace.records)),
        "importedFrom": JSONValue(trace.importedFrom),
        "external": .bool(trace.isOfAnotherClient),
        "peers": .array(trace.peers.map(json)), "mergedBy": json(trace.consumers),
        "setAside": .object(
          trace.setAside.sorted { $0.key < $1.key }.map {
            .init($0.key, .integer(Int64($0.value)))
          }),
      ])
    ])
  }

  private static func json(_ peer: Trace.PeerGates) -> JSONValue {
    .object([
      "peer": .string(peer.peer), "exported": time(peer.exportedAt),
      "acknowledgement": .string(peer.isPublished ? "inTheFolder" : "stored"),
      "importedBy": .array(
        peer.importedBy.map {
          .object([
            "device": .string($0.device), "at": time($0.at), "lastHeard": time($0.lastHeard),
          ])
        }),
    ])
  }

  private static func json(_ consumers: [Trace.ConsumerGate]) -> JSONValue {
    .array(
      consumers.map { .object(["consumer": .string($0.consumer), "at": time($0.at)]) })
  }

  private static func time(_ milliseconds: Int64?) -> JSONValue {
    milliseconds.map { .string(Timestamp.text($0)) } ?? .null
  }
}
