import Foundation
import StrandlineModels
import StrandlineStatus
import StrandlineStorage

/// Reads what a bundle tells, each part by itself, so that one that fails hides no other.
struct BundleReader {
  let store: Store
  let deviceName: String
  let redaction: Redaction

  /// As many as the store keeps, and some.
  private static let eventLimit = 5000

  func facts(configuration: JSONValue?, program: String) async -> BundleFacts {
    var facts = BundleFacts(time: store.clock.milliseconds, deviceName: deviceName)
    facts.configuration = configuration
    await part("versions", &facts) { $0.versions = try await versions(program) }
    await part("status", &facts) { try await readStatus(&$0) }
    await part("events", &facts) { $0.events = try await events() }
    await part("devices", &facts) { $0.reports = try await reports() }
    await part("counts", &facts) { $0.counts = try await counts() }
    await part("checkup", &facts) { $0.findings = try await findings() }
    return facts
  }

  private func part(
    _ name: String, _ facts: inout BundleFacts, _ read: (inout BundleFacts) async throws -> Void
  ) async {
    do {
      try await read(&facts)
    } catch {
      // What cannot be read is a fact as well.
      facts.unread[name] = (error as? any ExplainedError)?.codeName ?? "other"
    }
  }

  // MARK: Versions

  private func versions(_ program: String) async throws -> JSONValue {
    let found = try await store.read { transaction in
      (
        sqlite: try transaction.connection.first("SELECT sqlite_version()") { $0.text(0) },
        format: try transaction.connection.integer("PRAGMA user_version")
      )
    }
    let system = ProcessInfo.processInfo.operatingSystemVersionString
    return .object([
      "program": .string(program), "sqlite": JSONValue(found.sqlite),
      "storeFormat": .integer(found.format), "system": .string(system),
      "madeAt": .string(Timestamp.text(store.clock.milliseconds)),
    ])
  }

  // MARK: Status

  private func readStatus(_ facts: inout BundleFacts) async throws {
    let items = try await store.peerItems(deviceName: deviceName)
    facts.snapshots = try await store.status(deviceName: deviceName).map(plain)
    let (id, path) = (store.id, redaction.path(store.path))
    facts.status = .object([
      "device": .string(deviceName), "store": .string(id), "path": .string(path),
      "readOnly": .bool(store.isReadOnly),
      "peers": .array(items.map(json)),
      "withoutPeer": items.isEmpty ? facts.snapshots.first?.json ?? .null : .null,
    ])
  }

  private func json(_ item: PeerItem) -> JSONValue {
    .object([
      "number": .integer(item.id), "zone": .string(item.zoneName),
      "environment": .string(item.environment), "followed": .bool(item.isFollowed),
      "hasAccount": .bool(item.account != nil), "hasCursor": .bool(item.hasCursor),
      "asks": .bool(item.question != nil), "firstSync": JSONValue(item.firstSync?.rawValue),
      "kept": .bool(item.isKept), "apart": .bool(item.isApart),
      "waitsFor": .integer(Int64(item.status.waitingFor.count)),
      "notices": .integer(Int64(item.status.notices.count)),
      "status": plain(item.status).json,
    ])
  }

  /// A snapshot in which sentences are those of this library.
  private func plain(_ snapshot: StatusSnapshot) -> StatusSnapshot {
    var plain = snapshot
    plain.peer = redaction.address(snapshot.peer)
    plain.reasonCode = Redaction.code(snapshot.reasonCode)
    let sentence = plain.reasonCode.flatMap { Wording.error(code: $0) }
    plain.reason = snapshot.reason == nil ? nil : sentence?.message ?? Redaction.removed
    plain.cure = snapshot.cure == nil ? nil : sentence?.recovery ?? Redaction.removed
    plain.question = nil
    plain.waitingFor = []
    plain.notices = []
    plain.activities = snapshot.activities.map { $0.plain(code: Redaction.code($0.errorCode)) }
    if case .failed = snapshot.phase {
      plain.phase = .failed(plain.failures.first?.errorMessage ?? Redaction.removed)
    }
    return plain
  }

  // MARK: Events and devices

  private func events() async throws -> [BundleFacts.Event] {
    try await store.events(limit: Self.eventLimit).reversed().map { event in
      BundleFacts.Event(
        kind: Redaction.kind(event.kind), peer: redaction.address(event.peer),
        start: event.start, end: event.end, outcome: event.outcome, records: event.records,
        code: Redaction.code(event.errorCode), detail: event.detail)
    }
  }

  private func reports() async throws -> [BundleFacts.Report] {
    let redaction = redaction
    return try await store.read { transaction in
      let own = try transaction.deviceID().description
      let names = Dictionary(
        uniqueKeysWithValues: try transaction.peers().map { ($0.id, $0.specification) })
      return try transaction.connection.map(
        """
        SELECT peer, name, reported FROM strandline_receipt WHERE device <> ?
        ORDER BY observed DESC LIMIT 500
        """, [.text(own)]
      ) {
        BundleFacts.Report(
          peer: redaction.address(names[$0.integer(0)] ?? "forgotten"), device: $0.text(1),
          time: $0.integer(2))
      }
    }
  }
}

extension StatusSnapshot.Activity {
  /// The same with the sentences that this library has for a code.
  fileprivate func plain(code: String?) -> Self {
    let sentence = code.flatMap { Wording.error(code: $0) }
    return replacingError(
      code: code, message: code == nil ? nil : sentence?.message ?? Redaction.removed,
      advice: code == nil ? nil : sentence?.recovery ?? "")
  }
}
