import Strandline

/// A device as far as a transport can see one: it keeps what an engine keeps, without a store.
final class ContractDevice {
  static let zoneName = "contract"
  static let schema: [String: Set<String>] = ["Note": ["title", "body", "parent"]]

  let info: DeviceInfo
  var transport: any Transport
  private let time: VirtualTime
  private var clock: HybridClock
  private var random: SeededGenerator

  private(set) var zone = ZoneID(rawValue: "")
  private(set) var limits = TransportLimits()
  var proof: Proof?
  var cursor: Cursor?
  /// The end of the device's own log.
  private(set) var sequence: Int64 = 0
  /// Where the last group that was accepted ended.
  private(set) var acknowledged: Int64 = 0
  private(set) var states: [RecordKey: RecordState] = [:]
  private(set) var conflicts: Set<ConflictEntry> = []

  init(number: Int, epoch: UInt32, transport: any Transport, time: VirtualTime) {
    info = DeviceInfo(
      id: DeviceID(device: UInt64(1000 + number), epoch: epoch), name: "device \(number)")
    self.transport = transport
    self.time = time
    clock = HybridClock(salt: UInt16(number * 64))
    random = SeededGenerator(seed: UInt64(number) << 32 | UInt64(epoch))
  }

  /// What the device shows: the living records with their versions.
  var shown: [RecordKey: [String: Version]] {
    states.filter(\.value.isAlive).mapValues(\.versions)
  }

  /// The ids of the living notes that are texts, sorted.
  var ids: [String] { shown.keys.map(\.id.description).sorted() }

  // MARK: Facts

  /// The next stamp.
  func stamp() -> Stamp {
    time.advance(by: 1)
    return clock.mint(now: time.milliseconds)
  }

  /// A new note.
  func note(_ id: String, title: String = "", values: [String: Value] = [:]) -> RecordDelta {
    birth(
      RecordKey(entity: "Note", id: RecordID(text: id)),
      values: ["title": .text(title)]
        .merging(values) { $1 })
  }

  /// A new record.
  func birth(_ key: RecordKey, values: [String: Value]) -> RecordDelta {
    let born = stamp()
    return RecordDelta(
      key: key, birth: born,
      versions: values.mapValues { Version(life: born, stamp: born, value: $0) })
  }

  /// An edit of the life that the device knows.
  func edit(_ key: RecordKey, _ values: [String: Value]) -> RecordDelta {
    let life = states[key]?.born ?? .unset
    let now = stamp()
    return RecordDelta(
      key: key, versions: values.mapValues { Version(life: life, stamp: now, value: $0) })
  }

  /// The end of the life that the device knows.
  func death(_ key: RecordKey) -> RecordDelta {
    RecordDelta(key: key, death: Death(life: states[key]?.born ?? .unset, stamp: stamp()))
  }

  /// The key of a note.
  static func key(_ id: String) -> RecordKey { RecordKey(entity: "Note", id: RecordID(text: id)) }

  // MARK: Opening

  /// Opens a zone as an engine does, and keeps what it tells.
  @discardableResult
  func open(
    _ name: String = zoneName, _ environment: ZoneEnvironment = .development,
    schema: [String: Set<String>] = schema, expecting expected: ZoneID? = nil
  ) async throws -> ZoneDescription {
    let found = try await transport.open(
      OpenRequest(
        device: info, zoneName: name, environment: environment, expected: expected,
        schema: schema, proof: expected == nil ? nil : proof))
    if found.zone != zone { (proof, cursor) = (nil, nil) }
    zone = found.zone
    limits = found.limits
    if proof == nil { proof = found.proof }
    return found
  }

  /// Opens the known zone once more, as each cycle of an engine begins.
  @discardableResult
  func reopen() async throws -> ZoneDescription { try await open(expecting: zone) }

  // MARK: Sending

  /// The pages of a new group, which are not sent yet.
  func group(
    _ deltas: [RecordDelta], pageSize: Int = .max, announced: Int? = nil, incomplete: Int = 0,
    isPartOfUpload: Bool = false, conflicts: [ConflictEntry] = []
  ) -> [SendPage] {
    for delta in deltas { merge(delta) }
    sequence += Int64(max(1, deltas.count))
    let header = GroupHeader(
      token: random.next(), base: acknowledged, sequence: sequence, transactionToken: random.next(),
      recordCount: announced ?? deltas.count, incomplete: incomplete,
      isPartOfUpload: isPartOfUpload)
    let size = min(pageSize, max(1, limits.pageRecords))
    var parts = stride(from: 0, to: deltas.count, by: size).map {
      Array(deltas[$0..<min($0 + size, deltas.count)])
    }
    if parts.isEmpty { parts = [[]] }
    return parts.enumerated().map { index, part in
      SendPage(
        device: info, zone: zone, proof: proof, cursor: cursor, group: header, page: index,
        isLast: index == parts.count - 1, deltas: part, conflicts: index == 0 ? conflicts : [])
    }
  }

  /// The same group under another token, as after a restart.
  func renamed(_ pages: [SendPage]) -> [SendPage] {
    let token = random.next()
    return pages.map { page in
      var page = page
      page.group.token = token
      return page
    }
  }

  /// Sends pages in their order and gives the last answer.
  @discardableResult
  func deliver(_ pages: [SendPage]) async throws -> SendAnswer {
    var answer = SendAnswer()
    for page in pages {
      answer = try await transport.send(page)
      take(answer)
    }
    return answer
  }

  func take(_ answer: SendAnswer) {
    if let acceptance = answer.acceptance {
      proof = acceptance.proof
      acknowledged = max(acknowledged, acceptance.sequence)
    }
    for death in answer.deaths { merge(death) }
  }

  /// Sends a group that has to be accepted.
  @discardableResult
  func send(_ deltas: [RecordDelta], pageSize: Int = .max) async throws -> Acceptance {
    try await accepted(group(deltas, pageSize: pageSize))
  }

  /// Sends pages that have to be accepted.
  @discardableResult
  func accepted(_ pages: [SendPage]) async throws -> Acceptance {
    let answer = try await deliver(pages)
    return try require(
      answer.acceptance,
      "it did not accept a group of \(pages.flatMap(\.deltas).count) records"
        + (answer.refused.first.map { " but refused one: \($0.message)" } ?? ""))
  }

  // MARK: Reading

  /// Fetches one page after the device's cursor and takes it in.
  @discardableResult
  func fetch(limit: Int = 100) async throws -> FetchPage {
    let page = try await transport.fetch(fetchRequest(limit: limit))
    take(page)
    return page
  }

  func fetchRequest(limit: Int = 100) -> FetchRequest {
    FetchRequest(device: info, zone: zone, proof: proof, cursor: cursor, limit: limit)
  }

  func take(_ page: FetchPage) {
    for change in page.changes { merge(change.delta) }
    conflicts.formUnion(page.conflicts)
    cursor = page.cursor
    proof = page.proof
  }

  /// Reads until the head.
  @discardableResult
  func readAll(limit: Int = 100) async throws -> [FetchPage] {
    var pages: [FetchPage] = []
    while pages.count < 2000 {
      let page = try await fetch(limit: limit)
      pages.append(page)
      if page.headReached { return pages }
    }
    throw ContractBreach("it did not say that the head was reached within 2000 pages")
  }

  /// Reports what was read, and tells what the others reported.
  @discardableResult
  func report() async throws -> [DeviceReport] {
    let cursor = try require(cursor, "it gave no cursor to report")
    return try await transport.exchangeReceipts(
      Receipt(device: info, zone: zone, proof: proof, cursor: cursor))
  }

  /// Each call that a device makes again and again, by its name.
  ///
  /// - Parameter pages: What is sent.
  /// - Returns: An open, a fetch, a send and a receipt.
  /// - Throws: `ContractBreach` where the device was given no cursor to report.
  func calls(
    sending pages: [SendPage]
  ) throws -> [(name: String, call: () async throws -> Void)] {
    let cursor = try require(cursor, "it gave no cursor")
    return [
      ("an open", { try await self.reopen() }),
      ("a fetch", { try await self.fetch() }),
      ("a send", { try await self.deliver(pages) }),
      (
        "a receipt",
        {
          _ = try await self.transport.exchangeReceipts(
            Receipt(device: self.info, zone: self.zone, proof: self.proof, cursor: cursor))
        }
      ),
    ]
  }

  private func merge(_ delta: RecordDelta) {
    clock.observe(delta.greatestStamp)
    _ = states[delta.key, default: RecordState()].merge(delta)
  }
}
