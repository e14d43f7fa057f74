import Foundation
import Strandline

// What is asked of a fleet that has come to rest.
extension FleetRun {
  /// Looks at all devices, at the zone and at the ledger.
  func judge() async throws {
    findings += server.findings
    let images = try devices.indices.map { try image(of: $0) }
    guard let final = images.first, let zone = try server.zone(of: Self.account) else {
      findings.append("(a) There is no zone at rest.")
      return
    }
    let states = try server.states(of: Array(final.keys) + ledger.records.keys, in: zone.id)
    compare(images, states)
    findings += ledger.findings(in: final)
    for index in devices.indices { try await judge(index) }
    try judgeConflicts(final)
    if let stranger = try server.zone(of: "other"), stranger.head > 0 {
      findings.append("(C7) Another account was sent \(stranger.head) changes.")
    }
    trace.add(images.map { Self.text(of: $0) }.joined())
  }

  /// (a) All devices and the zone hold the same.
  private func compare(
    _ images: [[RecordKey: RecordState]], _ zone: [RecordKey: RecordState]
  ) {
    let named = zip(devices.map(\.name) + ["the zone"], images + [zone])
    for (name, image) in named.dropFirst() {
      let differences = Self.differences(image, images[0])
      findings += differences.prefix(6).map { "(a) \(name) differs from device1: \($0)" }
    }
  }

  private static func differences(
    _ left: [RecordKey: RecordState], _ right: [RecordKey: RecordState]
  ) -> [String] {
    Set(left.keys).union(right.keys).sorted { $0.id < $1.id }.compactMap { key in
      let (one, other) = (shown(left[key]), shown(right[key]))
      return one == other ? nil : "\(key.entity) \(key.id) is \(one), there \(other)."
    }
  }

  /// What of a record shows, in an order that is always the same.
  private static func shown(_ state: RecordState?) -> String {
    guard let state, state.isAlive else { return "absent" }
    let versions = state.versions.sorted { $0.key < $1.key }.map {
      "\($0.key) = \($0.value.value) of \($0.value.stamp)"
    }
    return "born \(state.born), " + versions.joined(separator: ", ")
  }

  private static func text(of image: [RecordKey: RecordState]) -> String {
    image.sorted { ($0.key.entity, $0.key.id) < ($1.key.entity, $1.key.id) }
      .map { "\($0.key.entity) \($0.key.id) \(shown($0.value))" }.joined(separator: "\n")
  }

  // MARK: Each device

  private func judge(_ index: Int) async throws {
    guard let store = devices[index].store, let client = devices[index].client else { return }
    let name = devices[index].name
    if let status = try await store.status(deviceName: name).first {
      if status.standing != .caughtUp || status.pending > 0 {
        findings.append(
          "(f) \(name) is \(status.standing.rawValue) at rest, with \(status.pending) pending.")
      }
      counts.count("orphans in the end", status.orphans)
    }
    findings += try await store.read { try $0.brokenInvariants() }.map { "(g) \(name): \($0)" }
    let integrity = try client.rows("PRAGMA integrity_check").first?.first?.text ?? "nothing"
    if integrity != "ok" { findings.append("(g) \(name): integrity_check says \(integrity).") }
    let dangling = try client.rows("PRAGMA foreign_key_check").count
    let listed = try await store.read { try $0.orphans(limit: 100_000).count }
    if dangling != listed {
      findings.append("(g) \(name) has \(dangling) references that dangle and lists \(listed).")
    }
    if let check = scene.check {
      findings += try await store.read(check).map { "\(name): \($0)" }
    }
    try judgeHistory(client, name)
    judgeFiles(index)
  }

  /// (c) No change was applied twice.
  private func judgeHistory(_ client: RawClient, _ name: String) throws {
    guard met.isDisjoint(with: [.clones, .deviceRestores, .powerLoss]) else { return }
    let twice = try client.rows(
      """
      SELECT l.record, l.kind, l.stamp, count(*) FROM strandline_log AS l
      JOIN strandline_transaction AS t
        ON t.last = (SELECT min(last) FROM strandline_transaction WHERE last >= l.sequence)
      WHERE t.origin > 0 AND l.kind IN (1, 2, 3)
      GROUP BY l.record, l.entity, l.kind, l.properties, l.bank, l.stamp HAVING count(*) > 1
      """)
    for row in twice {
      findings.append(
        "(c) \(name) applied a change of \(RecordID(row[0])?.description ?? "a record") twice: "
          + "kind \(row[1]), stamp \(Stamp(rawValue: row[2].integer ?? 0)).")
    }
  }

  /// (i) Files stay small.
  private func judgeFiles(_ index: Int) {
    let device = devices[index]
    for suffix in ["", "-wal"] {
      let path = (device.store?.path ?? "") + suffix
      let size =
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
      if size > 8 << 20 { findings.append("(i) \(path) has \(size) bytes.") }
    }
  }

  // MARK: Values that lost

  /// (C3) What lost is listed on every device, and on all the same.
  private func judgeConflicts(_ final: [RecordKey: RecordState]) throws {
    guard met.allSatisfy({ !$0.disturbsConflicts }) else { return }
    let losers = Set(ledger.losers(against: final))
    counts.count("runs whose conflicts were compared")
    counts.count("conflicts that had to be listed", losers.count)
    for index in devices.indices {
      let listed = try conflicts(of: index)
      for loser in losers.subtracting(listed).sorted(by: { $0.description < $1.description }) {
        findings.append("(C3) \(devices[index].name) does not list \(loser).")
      }
    }
  }

  private func conflicts(of index: Int) throws -> Set<ConflictKey> {
    let rows = try devices[index].client?.rows(
      """
      SELECT n.key, c.record, c.property, c.life, c.stamp, c.value FROM strandline_conflict AS c
      JOIN strandline_entity AS n ON n.number = c.entity
      """)
    return Set(
      (rows ?? []).compactMap { row in
        guard let entity = row[0].text, let id = RecordID(row[1]), let property = row[2].text
        else { return nil }
        return ConflictKey(
          key: RecordKey(entity: entity, id: id), property: property,
          version: Version(
            life: Stamp(rawValue: row[3].integer ?? 0), stamp: Stamp(rawValue: row[4].integer ?? 0),
            value: row[5]))
      })
  }
}
