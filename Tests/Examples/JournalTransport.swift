import Foundation
import Strandline
import Synchronization

// What the guide "Write your own transport" shows: the transport.

/// Keeps zones in one file to which all devices append.
struct JournalTransport: Transport {
  private let path: String
  private let file: JournalFile
  private let clock: WallClock
  private let limits: TransportLimits
  private let pollInterval: Duration
  private let staged = Staged()

  init(
    path: String, clock: WallClock = .system, limits: TransportLimits = TransportLimits(),
    pollInterval: Duration = .seconds(1)
  ) {
    self.path = path
    self.clock = clock
    self.limits = limits
    self.pollInterval = pollInterval
    file = JournalFile(path: path)
  }

  var specification: String { "journal:\(path)" }
  var traits: TransportTraits { TransportTraits(acknowledgement: .stored) }

  func account() async throws(TransportError) -> AccountState { .available("journal") }
}

extension JournalTransport {
  func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    let limits = limits
    return try await file.transact { (journal) throws(TransportError) in
      var wasCreated = false
      if request.expected == nil, journal.zone(of: request) == nil {
        wasCreated = true
        journal.entries.append(
          .zone(
            JournalZone(
              id: ZoneID(rawValue: UUID().uuidString), name: request.zoneName,
              environment: request.environment, nonce: .random(in: .min ... .max))))
      }
      let found = journal.zone(of: request)
      guard let wanted = request.expected ?? found?.id else { throw .noJournalZone }
      let groups = try journal.groups(of: wanted, proof: request.proof)
      guard found?.id == wanted else { throw .otherJournalZone(request.zoneName) }
      let last = groups.last { $0.device.id == request.device.id }?.header
      return ZoneDescription(
        account: "journal", zone: wanted, wasCreated: wasCreated,
        proof: journal.proof(of: wanted),
        lastAccepted: last.map {
          AcceptedGroup(sequence: $0.sequence, transactionToken: $0.transactionToken)
        }, limits: limits)
    }
  }
}

extension JournalTransport {
  func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    guard page.deltas.count <= limits.pageRecords else {
      throw TransportError(
        .tooLarge, "Could not take a page of \(page.deltas.count) records, it is too large.",
        advice: "It is sent in smaller portions.", remedy: .split)
    }
    let (limits, clock, staged) = (limits, clock, staged)
    return try await file.transact { (journal) throws(TransportError) in
      let groups = try journal.groups(of: page.zone, proof: page.proof)
      let read = try page.cursor.map { (cursor) throws(TransportError) in
        try journal.position(cursor, in: page.zone)
      }
      let refused = page.deltas.compactMap { limits.refusal(of: $0) }
      guard refused.isEmpty else { return SendAnswer(refused: refused) }
      if let index = groups.lastIndex(where: {
        $0.device.id == page.device.id && $0.header.token == page.group.token
      }) {
        return SendAnswer(
          acceptance: page.isLast ? journal.acceptance(of: groups[index], at: index) : nil)
      }
      if let stamp = page.deltas.map(\.greatestStamp).max(),
        stamp.milliseconds > clock.milliseconds + 300_000
      {
        throw TransportError(
          .clockSkew, "Could not take the changes, one of them is stamped in the future.",
          advice: "Set this device's clock.", remedy: .fixClock)
      }
      guard let pages = staged.add(page) else { throw .brokenGroup }
      guard page.isLast else { return SendAnswer() }
      let deltas = pages.flatMap(\.deltas)
      guard deltas.count == page.group.recordCount else { throw .brokenGroup }
      let group = JournalGroup(
        zone: page.zone, device: page.device, header: page.group, read: read ?? 0,
        nonce: .random(in: .min ... .max), deltas: deltas,
        conflicts: pages.flatMap(\.conflicts))
      journal.entries.append(.group(group))
      return SendAnswer(acceptance: journal.acceptance(of: group, at: groups.count))
    }
  }
}

extension JournalTransport {
  func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    try await file.transact { (journal) throws(TransportError) in
      let groups = try journal.groups(of: request.zone, proof: request.proof)
      var position = 0
      if let cursor = request.cursor {
        position = Int(try journal.position(cursor, in: request.zone))
      }
      var page = FetchPage(
        changes: [], cursor: Cursor(bytes: []), headReached: true,
        proof: journal.proof(of: request.zone))
      while position < groups.count {
        if page.changes.count + page.conflicts.count >= request.limit {
          page.headReached = false
          break
        }
        let group = groups[position]
        // The last of the reader's own groups that the writer had read.
        let seen = groups.prefix(Int(group.read)).last { $0.device.id == request.device.id }
        page.changes += group.deltas.map {
          FetchedChange(
            delta: $0, device: group.device.id, seenOfReader: seen?.header.sequence ?? 0)
        }
        page.conflicts += group.conflicts
        position += 1
      }
      page.cursor = journal.cursor(at: position, in: request.zone)
      let last = Dictionary(groups.map { ($0.device.id, $0) }) { $1 }
      page.uploading = last.values.filter {
        $0.header.isPartOfUpload && $0.device.id != request.device.id
      }.map(\.device.name)
      return page
    }
  }
}

extension JournalTransport {
  func exchangeReceipts(
    _ receipt: Receipt
  ) async throws(TransportError) -> [DeviceReport] {
    let clock = clock
    return try await file.transact { (journal) throws(TransportError) in
      _ = try journal.groups(of: receipt.zone, proof: receipt.proof)
      let position = try journal.position(receipt.cursor, in: receipt.zone)
      var reports = journal.reports(in: receipt.zone)
      let own = reports.removeValue(forKey: receipt.device.id)
      let isNews = position > own?.position ?? -1 || own?.device.name != receipt.device.name
      // A receipt that says nothing new is not written: the file grows with what happens.
      if isNews {
        journal.entries.append(
          .receipt(
            zone: receipt.zone, receipt.device, position: max(position, own?.position ?? 0),
            at: clock.milliseconds))
      }
      return reports.values.sorted { $0.device.id < $1.device.id }
    }
  }

  func purge(_ request: PurgeRequest) async throws(TransportError) {
    try await file.transact { (journal) throws(TransportError) in
      // One that comes again, after its answer was lost, finds its work done.
      if journal.isPurged(request.zone) { return }
      _ = try journal.groups(of: request.zone, proof: nil)
      journal.purge(request.zone, by: request.device.name)
    }
  }
}

extension JournalTransport {
  func hints() -> AsyncStream<Hint> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let (file, pollInterval) = (file, pollInterval)
      let watch = Task {
        // The first look gives a hint in any case: nobody knows what came before it.
        var size: Int?
        while !Task.isCancelled {
          let now = await file.size
          if now != size { continuation.yield(Hint()) }
          size = now
          do { try await Task.sleep(for: pollInterval) } catch { return }
        }
      }
      continuation.onTermination = { _ in watch.cancel() }
    }
  }
}

/// The pages of the groups that were begun and not ended.
private final class Staged: Sendable {
  private let pages = Mutex<[DeviceID: [SendPage]]>([:])

  /// Adds a page and gives all of its group; nil where a page before it is missing.
  func add(_ page: SendPage) -> [SendPage]? {
    pages.withLock { pages in
      var group = pages[page.device.id] ?? []
      if group.first?.group != page.group || group.first?.zone != page.zone { group = [] }
      guard page.page <= group.count else { return nil }
      group = group.prefix(page.page) + [page]
      pages[page.device.id] = page.isLast ? nil : group
      return group
    }
  }
}

extension TransportLimits {
  /// Why a record is not taken; nil where it is.
  fileprivate func refusal(of delta: RecordDelta) -> Refusal? {
    let name = "record \(delta.key.id) of \(delta.key.entity)"
    if let problem = WireLimits.standard.problem(with: delta) {
      return Refusal(
        key: delta.key, code: "notCarried", message: "Could not take \(name), \(problem).")
    }
    let size = Batch(deltas: [delta]).encode().count
    guard size > recordBytes else { return nil }
    return Refusal(
      key: delta.key, code: "tooLarge",
      message: "Could not take \(name), it has \(size) bytes and the limit is \(recordBytes).")
  }
}
