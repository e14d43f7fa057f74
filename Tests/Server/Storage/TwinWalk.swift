import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTransport

/// Random requests of a few devices, sound ones and wrong ones, from one seed.
struct TwinWalk {
  private(set) var twin: Twin
  private var random: SeededGenerator
  private var zone = ZoneID(rawValue: "none")
  private var cursors: [UInt64: Cursor] = [:]
  private var proofs: [UInt64: Proof] = [:]
  private var groups: [UInt64: (pages: [SendPage], next: Int)] = [:]
  private var lastPages: [UInt64: SendPage] = [:]

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    var limits = AuthorityLimits()
    limits.transport = TransportLimits(pageRecords: 6, recordBytes: 400)
    limits.futureMilliseconds = 1000
    limits.silenceMilliseconds = 5000
    twin = try Twin(seed: seed, limits: limits)
    open(1)
  }

  mutating func step() throws {
    let device = UInt64.random(in: 1...4, using: &random)
    if Int.random(in: 0..<3, using: &random) == 0 {
      twin.clock.advance(by: Int64.random(in: 0..<3, using: &random))
    }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<50: send(device)
    case 50..<75: fetch(device)
    case 75..<88: report(device)
    case 88..<93: open(device)
    case 93..<94: twin.clock.advance(by: 4000)
    case 94..<97: try twin.reopen()
    case 97..<98: administer(device)
    default: twin.compareContents(of: zone)
    }
  }

  private func info(_ device: UInt64, epoch: UInt32 = 1) -> DeviceInfo {
    DeviceInfo(id: DeviceID(device: device, epoch: epoch), name: "device \(device)")
  }

  private mutating func open(_ device: UInt64) {
    let epoch: UInt32 = Int.random(in: 0..<8, using: &random) == 0 ? 2 : 1
    let request = OpenRequest(
      device: info(device, epoch: epoch), zoneName: "notes", environment: .development,
      expected: Bool.random(using: &random) ? nil : zone, schema: ["Note": ["p", "q"]],
      proof: Bool.random(using: &random) ? nil : proofs[device])
    guard case .success(let found) = twin.open(request) else { return }
    if found.zone != zone {
      cursors = [:]
      groups = [:]
    }
    zone = found.zone
    proofs[device] = found.proof
  }

  private mutating func fetch(_ device: UInt64) {
    let begins = Int.random(in: 0..<6, using: &random) == 0
    let request = FetchRequest(
      device: info(device), zone: zone, proof: proofs[device],
      cursor: begins ? nil : cursors[device], limit: Int.random(in: 0...8, using: &random))
    switch twin.fetch(request) {
    case .success(let page):
      cursors[device] = page.cursor
      proofs[device] = page.proof
    case .failure: forget(device)
    }
  }

  private mutating func report(_ device: UInt64) {
    guard let cursor = cursors[device] else { return }
    _ = twin.exchange(
      Receipt(device: info(device), zone: zone, proof: proofs[device], cursor: cursor))
  }

  private mutating func forget(_ device: UInt64) {
    cursors[device] = nil
    proofs[device] = nil
  }

  /// Rare things that happen to a whole cloud.
  private mutating func administer(_ device: UInt64) {
    let purge = PurgeRequest(device: info(device), zone: zone)
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      twin.ask(
        "purge",
        { (cloud) throws(TransportError) in
          try cloud.purge(purge, account: Twin.account)
          return true
        },
        { (cloud) throws(TransportError) in
          try cloud.purge(purge, account: Twin.account)
          return true
        })
    case 1:
      twin.ask(
        "restore",
        { (cloud) throws(TransportError) in
          try cloud.announceRestore()
          return true
        },
        { (cloud) throws(TransportError) in
          try cloud.announceRestore()
          return true
        })
    default:
      twin.ask(
        "backup",
        { (cloud) throws(TransportError) in try cloud.beginBackup() },
        { (cloud) throws(TransportError) in try cloud.beginBackup() })
    }
  }
}

// Groups.
extension TwinWalk {
  /// Sends the next page of a group, or sometimes a page that is wrong.
  private mutating func send(_ device: UInt64) {
    var group = groups[device] ?? (pages: makeGroup(device), next: 0)
    if Int.random(in: 0..<12, using: &random) == 0 { group = (makeGroup(device), 0) }
    var page = group.pages[group.next]
    switch Int.random(in: 0..<14, using: &random) {
    case 0: if let last = lastPages[device] { page = last }
    case 1: page = group.pages[group.pages.count - 1]
    case 2: page.deltas.append(makeDelta())
    case 3: page.group.recordCount += 1
    case 4: page.page += 1
    case 5: page.group.sequence += 1
    default: break
    }
    lastPages[device] = page
    let answer = twin.send(page)
    group.next += 1
    groups[device] = group.next < group.pages.count ? group : nil
    switch answer {
    case .success(let answer):
      if let acceptance = answer.acceptance { proofs[device] = acceptance.proof }
    case .failure(let error):
      groups[device] = nil
      if error.remedy == .compareAll { forget(device) }
    }
  }

  private mutating func makeGroup(_ device: UInt64) -> [SendPage] {
    let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      (0..<Int.random(in: 0...4, using: &random)).map { _ in makeDelta() }
    }
    let base = Int64.random(in: 0..<5, using: &random)
    let header = GroupHeader(
      token: random.next(), base: base, sequence: base + 1, transactionToken: random.next(),
      recordCount: parts.reduce(0) { $0 + $1.count },
      incomplete: Int.random(in: 0..<2, using: &random),
      isPartOfUpload: Int.random(in: 0..<5, using: &random) == 0)
    return parts.enumerated().map { number, deltas in
      SendPage(
        device: info(device), zone: zone, proof: proofs[device], cursor: cursors[device],
        group: header, page: number, isLast: number == parts.count - 1, deltas: deltas,
        conflicts: makeConflicts())
    }
  }

  private mutating func makeConflicts() -> [ConflictEntry] {
    guard Int.random(in: 0..<6, using: &random) == 0 else { return [] }
    return [
      ConflictEntry(
        key: makeKey(), property: "p",
        loser: Version(life: makeStamp(), stamp: makeStamp(), value: makeValue()),
        device: DeviceID(device: UInt64.random(in: 1...9, using: &random), epoch: 3))
    ]
  }

  private mutating func makeKey() -> RecordKey {
    // Two spellings of one accented letter are two ids.
    let ids = [
      RecordID(text: "a"), RecordID(text: "caf\u{E9}"), RecordID(text: "cafe\u{301}"),
      RecordID(bytes: [1, 0, 255]), RecordID(bytes: Array(repeating: 7, count: 16)),
      RecordID(bytes: Array(repeating: 8, count: 32)), RecordID(text: "with\0zero"),
    ]
    let entity = Bool.random(using: &random) ? "Note" : "Task"
    return RecordKey(entity: entity, id: ids.randomElement(using: &random) ?? ids[0])
  }

  private mutating func makeStamp() -> Stamp {
    switch Int.random(in: 0..<40, using: &random) {
    case 0: Stamp(rawValue: -5)
    case 1: .unset
    case 2: .firstLife
    case 3: Stamp(milliseconds: 1 << 40)
    default:
      Stamp(
        milliseconds: 90 + Int64.random(in: 0..<20, using: &random),
        counter: UInt16.random(in: 0..<2, using: &random))
    }
  }

  private mutating func makeValue() -> Value {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: .null
    case 1: .real(-0.0)
    case 2: .real(Double(bitPattern: 0x7FF8_0000_0000_0001))
    case 3: .real(0.1)
    case 4: .integer(.min)
    case 5: .integer((1 << 53) + 1)
    case 6: .text("")
    case 7: .text("cafe\u{301}\0")
    case 8: .blob([])
    case 9: .blob(Array(repeating: 9, count: Int.random(in: 1...500, using: &random)))
    default: .integer(Int64.random(in: 0..<3, using: &random))
    }
  }

  private mutating func makeDelta() -> RecordDelta {
    var delta = RecordDelta(key: makeKey())
    let life = makeStamp()
    if Int.random(in: 0..<3, using: &random) > 0 { delta.birth = life }
    if Int.random(in: 0..<5, using: &random) == 0 {
      delta.death = Death(life: makeStamp(), stamp: makeStamp())
    }
    for property in ["p", "q", "r"] where Bool.random(using: &random) {
      delta.versions[property] = Version(
        life: Int.random(in: 0..<4, using: &random) == 0 ? makeStamp() : life,
        stamp: Bool.random(using: &random) ? life : makeStamp(), value: makeValue())
    }
    return delta
  }
}
