import Strandline
import StrandlineMemoryTransport
import Synchronization

/// The cloud of a run, with a look at everything that it accepts.
///
/// Its zones do not end with the process as far as devices know, so that they behave as with a
/// server that keeps what it has.
final class WatchedServer: Sendable {
  /// What one device's group was when it was accepted.
  private struct Slot: Hashable {
    let zone: ZoneID
    let device: DeviceID
    let sequence: Int64
  }

  private struct Seen {
    var tokens: [Slot: UInt64] = [:]
    /// The records of the group that each device is sending, and of the last that was accepted.
    var sending: [DeviceID: (token: UInt64, keys: Set<RecordKey>)] = [:]
    var accepted: [DeviceID: (base: Int64, keys: Set<RecordKey>)] = [:]
    /// The last accepted sequence of each device, as long as the server was not put back.
    var last: [DeviceID: Int64] = [:]
    var acceptances: [(at: Int64, position: Int64)] = []
    var sends = 0
    var partUploads = 0
    var pagedGroups = 0
    var deaths = 0
    var findings: [String] = []
    /// Whether two devices may write under one identity, until they part (C30).
    var hasTwins = false

    /// (d) A group continues what was accepted of its device, and means the same by it.
    ///
    /// Only an offer of everything goes over old numbers, and a group that arrives twice. That may
    /// have grown meanwhile, and then holds all that it held before.
    mutating func judge(
      _ group: GroupHeader, of name: String, after last: Int64, isKnown: Bool
    ) {
      if group.base > last {
        findings.append(
          "(d) \(name) sent what comes after \(group.base), and no more than \(last) had been "
            + "accepted.")
      }
      if group.base < last, !group.isOffer, !isKnown {
        findings.append(
          "(d) \(name) sent \(group.base + 1) to \(group.sequence), of which \(last) had been "
            + "accepted with other contents.")
      }
    }

    /// Notes what a page brings of its group.
    mutating func gather(_ page: SendPage) {
      let device = page.device.id
      if sending[device]?.token != page.group.token { sending[device] = (page.group.token, []) }
      sending[device]?.keys.formUnion(page.deltas.map(\.key))
    }

    /// Whether a group is the last accepted one of its device again, with what came since.
    func isGrown(_ group: GroupHeader, of device: DeviceID) -> Bool {
      guard let before = accepted[device], let now = sending[device] else { return false }
      return before.base == group.base && now.keys.isSuperset(of: before.keys)
    }
  }

  let cloud: MemoryCloud
  private let time: VirtualTime
  private let seen = Mutex(Seen())

  init(time: VirtualTime, seed: UInt64, limits: AuthorityLimits) {
    self.time = time
    cloud = MemoryCloud(clock: time.clock(aheadBy: 0), seed: seed, limits: limits)
  }

  /// How many pages of groups have arrived.
  var sends: Int { seen.withLock(\.sends) }
  /// What was accepted that must not be.
  var findings: [String] { seen.withLock(\.findings) }
  /// How often rare things were seen, by name.
  var counts: [String: Int] {
    seen.withLock { seen in
      [
        "groups that are a part of an upload": seen.partUploads,
        "groups of several pages": seen.pagedGroups, "deaths that were answered": seen.deaths,
      ]
    }
  }

  /// The greatest position that was accepted before a time.
  func position(before time: Int64) -> Int64 {
    seen.withLock { seen in seen.acceptances.last { $0.at < time }?.position ?? 0 }
  }

  /// Forgets what a server that was put back no longer knows.
  func noteRestore() {
    seen.withLock { seen in
      seen.last = [:]
      seen.accepted = [:]
      seen.acceptances = []
    }
  }

  /// Notes that a device was copied with its identity.
  func noteTwins() {
    seen.withLock { $0.hasTwins = true }
  }

  fileprivate func note(_ page: SendPage, _ answer: SendAnswer?) {
    let now = time.milliseconds
    seen.withLock { seen in
      seen.sends += 1
      seen.gather(page)
      guard let answer, let acceptance = answer.acceptance else { return }
      let (device, group) = (page.device.id, page.group)
      let slot = Slot(zone: page.zone, device: device, sequence: group.sequence)
      let known = seen.tokens.updateValue(group.transactionToken, forKey: slot)
      if let known, known != group.transactionToken, !seen.hasTwins {
        seen.findings.append(
          "(d) \(page.device.name) was accepted with two contents under sequence "
            + "\(group.sequence).")
      }
      if let last = seen.last[device], !seen.hasTwins {
        seen.judge(
          group, of: page.device.name, after: last,
          isKnown: known != nil || seen.isGrown(group, of: device))
      }
      seen.accepted[device] = (group.base, seen.sending[device]?.keys ?? [])
      seen.last[device] = max(seen.last[device] ?? 0, acceptance.sequence)
      seen.acceptances.append((now, acceptance.position))
      if group.isPartOfUpload { seen.partUploads += 1 }
      if page.page > 0 { seen.pagedGroups += 1 }
      seen.deaths += answer.deaths.count
    }
  }
}

extension WatchedServer {
  /// Removes everything of an account's zone, as an operator does; false where there is none.
  func purge(account: String) throws -> Bool {
    guard let zone = try zone(of: account) else { return false }
    let somebody = DeviceInfo(id: DeviceID(device: 0, epoch: 0), name: "somebody")
    try cloud.withAuthority { (authority) throws(TransportError) in
      try authority.purge(PurgeRequest(device: somebody, zone: zone.id), account: account)
    }
    noteRestore()
    return true
  }

  /// The zone of an account that was not purged; nil where there is none.
  func zone(of account: String) throws -> Zone? {
    try cloud.withAuthority { (authority) throws(TransportError) in
      authority.storage.zones().last { $0.account == account && $0.purge == nil }
    }
  }

  /// What a zone knows of some records.
  func states(
    of keys: some Sequence<RecordKey> & Sendable, in zone: ZoneID
  ) throws -> [RecordKey: RecordState] {
    try cloud.withAuthority { (authority) throws(TransportError) in
      var states: [RecordKey: RecordState] = [:]
      for key in keys { states[key] = authority.storage.record(key, in: zone)?.state }
      return states
    }
  }
}

/// A device's way to a watched server.
struct WatchedTransport: Transport {
  let server: WatchedServer
  private let inner: MemoryTransport

  init(server: WatchedServer, login: MemoryLogin) {
    self.server = server
    inner = MemoryTransport(cloud: server.cloud, login: login)
  }

  var specification: String { inner.specification }

  var traits: TransportTraits { TransportTraits(acknowledgement: .stored, isEphemeral: false) }

  func account() async throws(TransportError) -> AccountState { try await inner.account() }

  func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    try await inner.open(request)
  }

  func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    let answer: SendAnswer
    do throws(TransportError) {
      answer = try await inner.send(page)
    } catch {
      server.note(page, nil)
      throw error
    }
    server.note(page, answer)
    return answer
  }

  func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    try await inner.fetch(request)
  }

  func exchangeReceipts(_ receipt: Receipt) async throws(TransportError) -> [DeviceReport] {
    try await inner.exchangeReceipts(receipt)
  }

  func purge(_ request: PurgeRequest) async throws(TransportError) {
    try await inner.purge(request)
  }

  func hints() -> AsyncStream<Hint> { inner.hints() }
}
