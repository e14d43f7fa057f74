import Strandline

// What the guide "Write your own transport" shows: what the journal says of a zone.

extension Journal {
  /// The zone under the name that people chose.
  func zone(of request: OpenRequest) -> JournalZone? {
    for case .zone(let zone) in entries
    where zone.name == request.zoneName && zone.environment == request.environment {
      return zone
    }
    return nil
  }

  /// The groups of a zone in their order, for a device that was shown no more than is there.
  func groups(of id: ZoneID, proof: Proof?) throws(TransportError) -> [JournalGroup] {
    var zone: JournalZone?
    var groups: [JournalGroup] = []
    for entry in entries where entry.zone == id {
      switch entry {
      case .zone(let found): zone = found
      case .group(let group): groups.append(group)
      case .receipt: continue
      case .purge(_, let name): throw .purgedJournalZone(by: name)
      }
    }
    guard let zone else { throw .noJournalZone }
    if let proof {
      let nonces = [zone.nonce] + groups.map(\.nonce)
      let index = Int(clamping: proof.sequence)
      guard proof.incarnation == 1, nonces.indices.contains(index), nonces[index] == proof.nonce
      else { throw .restoredJournalZone }
    }
    return groups
  }

  /// Whether a zone was purged.
  func isPurged(_ id: ZoneID) -> Bool {
    entries.contains { if case .purge(id, _) = $0 { true } else { false } }
  }

  /// What a zone shows after its newest group.
  func proof(of zone: ZoneID) -> Proof {
    let nonces = nonces(of: zone)
    return Proof(
      incarnation: 1, sequence: Int64(nonces.count - 1), nonce: nonces.last ?? 0)
  }

  func acceptance(of group: JournalGroup, at index: Int) -> Acceptance {
    Acceptance(
      sequence: group.header.sequence, position: Int64(index + 1), proof: proof(of: group.zone))
  }

  /// The place after so many groups, with the number that the last of them was given.
  func cursor(at position: Int, in zone: ZoneID) -> Cursor {
    Cursor(bytes: Array("\(zone.rawValue) \(position) \(nonces(of: zone)[position])".utf8))
  }

  /// Reads a cursor; one of another journal or of a part that is gone is not gone on from.
  func position(_ cursor: Cursor, in zone: ZoneID) throws(TransportError) -> Int64 {
    let parts = String(decoding: cursor.bytes, as: UTF8.self).split(separator: " ")
    let nonces = nonces(of: zone)
    guard parts.count == 3, parts[0] == zone.rawValue, let position = Int(parts[1]),
      nonces.indices.contains(position), UInt64(parts[2]) == nonces[position]
    else {
      throw TransportError(
        .cursorExpired, "Could not go on in the journal, it does not hold this place.",
        advice: "Everything is compared with it; nothing needs to be done.",
        remedy: .compareAll)
    }
    return Int64(position)
  }

  /// What each device has reported last.
  func reports(in id: ZoneID) -> [DeviceID: DeviceReport] {
    var reports: [DeviceID: DeviceReport] = [:]
    for case .receipt(id, let device, let position, let time) in entries {
      reports[device.id] = DeviceReport(device: device, position: position, reportedAt: time)
    }
    return reports
  }

  /// The random numbers of the zone itself and of its groups, in their order.
  private func nonces(of id: ZoneID) -> [UInt64] {
    entries.compactMap { entry in
      switch entry {
      case .zone(let zone) where zone.id == id: zone.nonce
      case .group(let group) where group.zone == id: group.nonce
      default: nil
      }
    }
  }
}

extension TransportError {
  static let noJournalZone = TransportError(
    .zoneNotFound, "Could not use the zone, the journal does not have it.",
    advice: "Check the path, or follow the journal anew.", remedy: .ask)

  static func otherJournalZone(_ name: String) -> TransportError {
    TransportError(
      .zoneReplaced, "Could not open '\(name)', another zone has that name in the journal.",
      advice: "Check the path, or switch to that zone.", remedy: .ask)
  }

  static func purgedJournalZone(by name: String) -> TransportError {
    TransportError(
      .zonePurged, "Could not use the zone, device '\(name)' purged it.",
      advice: "Keep the data on this device only, or upload it again.", remedy: .ask)
  }

  static let restoredJournalZone = TransportError(
    .zoneRestored, "Could not go on in the zone, the journal was put back to an earlier state.",
    advice: "Everything is compared with it; nothing needs to be done.", remedy: .compareAll)

  static let brokenGroup = TransportError(
    .invalidRequest, "Could not take the group, its pages do not add up.",
    advice: "It is sent again from its first page.", remedy: .retry(afterMilliseconds: nil))
}
