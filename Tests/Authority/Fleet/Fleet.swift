import StrandlineAuthority
import StrandlineModels
import StrandlineTransport

/// Some devices and one authority, driven by one seed, with replies and requests lost at will.
struct Fleet {
  private(set) var random: SeededGenerator
  private(set) var devices: [FleetDevice]
  private(set) var oracle = FleetOracle()
  private(set) var authority: Authority<MemoryZoneStorage>
  /// Whether all devices are there from the beginning; else they join when they first sync.
  let startsTogether: Bool
  private let clock = TestClock(100)
  private var zone = ZoneID(rawValue: "")
  private var nextValue: Int64 = 0

  private static let keys = ["a", "b", "c"].map(Fact.key)
  private static let properties = ["p", "q"]

  /// A request or its answer did not arrive.
  struct Lost: Error {}

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    var random = SeededGenerator(seed: ~seed)
    devices = (1...UInt64.random(in: 2...4, using: &random)).map {
      FleetDevice(number: $0, salt: UInt16.random(in: 0..<3, using: &random))
    }
    authority = Authority(storage: MemoryZoneStorage(), clock: clock.wall, random: random)
    startsTogether = seed.isMultiple(of: 2)
    for index in devices.indices where index == 0 || startsTogether {
      try synchronize(index, faults: false)
    }
  }

  /// The zone's head.
  var head: Int64 { authority.storage.zone(zone)?.head ?? -1 }

  /// Whatever may happen next.
  mutating func step() throws {
    if Bool.random(using: &random) { clock.advance(by: 1) }
    let index = Int.random(in: 0..<devices.count, using: &random)
    if Int.random(in: 0..<3, using: &random) > 0 {
      write(index)
    } else {
      do { try synchronize(index, faults: true) } catch is Lost {}
    }
  }

  /// Lets everybody sync without faults until nothing is left to do.
  mutating func heal() throws {
    for _ in 0..<3 {
      for index in devices.indices { try synchronize(index, faults: false) }
    }
  }

  private mutating func write(_ index: Int) {
    guard let key = Self.keys.randomElement(using: &random) else { return }
    let before = devices[index].states[key]
    let now = clock.now + Int64.random(in: -2...2, using: &random)
    let delta: RecordDelta
    if before?.isAlive != true {
      var values: [String: Value] = [:]
      for property in Self.properties where Bool.random(using: &random) {
        values[property] = freshValue()
      }
      delta = devices[index].insert(key, values, now: now)
    } else if Int.random(in: 0..<4, using: &random) == 0 {
      delta = devices[index].delete(key, now: now)
    } else {
      let property = Bool.random(using: &random) ? "p" : "q"
      delta = devices[index].edit(key, property, freshValue(), now: now)
    }
    oracle.note(delta, by: devices[index].info.id, seeing: before)
  }

  /// Values never repeat, so that a loser is told from all others.
  private mutating func freshValue() -> Value {
    nextValue += 1
    return .integer(nextValue)
  }
}

// A device's cycle: open, import, export, receipts.
extension Fleet {
  mutating func synchronize(_ index: Int, faults: Bool) throws {
    try open(index)
    try importAll(index, faults: faults)
    try export(index, faults: faults)
    guard let cursor = devices[index].cursor else { return }
    _ = try authority.exchangeReceipts(
      Receipt(
        device: devices[index].info, zone: zone, proof: devices[index].proof, cursor: cursor),
      account: Desk.account)
  }

  private mutating func lose(_ faults: Bool, oneIn count: Int) throws(Lost) {
    if faults, Int.random(in: 0..<count, using: &random) == 0 { throw Lost() }
  }

  private mutating func open(_ index: Int) throws {
    guard !devices[index].hasOpened else { return }
    let found = try authority.open(
      OpenRequest(
        device: devices[index].info, zoneName: "notes", environment: .development,
        expected: nil, schema: ["Note": ["p", "q"]], proof: nil),
      account: Desk.account)
    zone = found.zone
    devices[index].proof = found.proof
    devices[index].hasOpened = true
  }

  /// Fetches pages, others sending in between, and applies them together at the head (C4).
  private mutating func importAll(_ index: Int, faults: Bool) throws {
    var cursor = devices[index].cursor
    var pages: [FetchPage] = []
    while pages.last?.headReached != true {
      try lose(faults, oneIn: 12)
      let page = try authority.fetch(
        FetchRequest(
          device: devices[index].info, zone: zone, proof: devices[index].proof, cursor: cursor,
          limit: Int.random(in: 1...4, using: &random)),
        account: Desk.account)
      try lose(faults, oneIn: 12)
      pages.append(page)
      cursor = page.cursor
      if faults, Int.random(in: 0..<3, using: &random) == 0 {
        let other = Int.random(in: 0..<devices.count, using: &random)
        if other != index, devices[other].cursor != nil {
          do { try export(other, faults: true) } catch is Lost {}
        }
      }
    }
    for page in pages {
      for change in page.changes { devices[index].apply(change.delta) }
      devices[index].conflicts.formUnion(page.conflicts)
      devices[index].proof = page.proof
    }
    devices[index].cursor = cursor
  }

  /// Sends what is pending as one group in random pages; a lost answer leaves all pending.
  private mutating func export(_ index: Int, faults: Bool) throws {
    let device = devices[index]
    guard !device.pending.isEmpty else { return }
    let deltas = device.pending.values.sorted { $0.key.id < $1.key.id }
    let pages = split(deltas)
    let header = GroupHeader(
      token: random.next(), base: device.acknowledged, sequence: device.sequence,
      transactionToken: UInt64(device.sequence), recordCount: deltas.count)
    for (number, part) in pages.enumerated() {
      try lose(faults, oneIn: 12)
      let page = SendPage(
        device: device.info, zone: zone, proof: device.proof, cursor: device.pendingCursor,
        group: header, page: number, isLast: number == pages.count - 1, deltas: part)
      let answer = try send(page)
      try lose(faults, oneIn: 5)
      guard let acceptance = answer.acceptance else { continue }
      for death in answer.deaths { devices[index].apply(death) }
      devices[index].pending = [:]
      devices[index].acknowledged = acceptance.sequence
      devices[index].proof = acceptance.proof
    }
  }

  /// Sends a page, sometimes twice.
  private mutating func send(_ page: SendPage) throws -> SendAnswer {
    var answer = try authority.send(page, account: Desk.account)
    if Int.random(in: 0..<6, using: &random) == 0 {
      answer = try authority.send(page, account: Desk.account)
    }
    if page.isLast {
      for delta in devices.first(where: { $0.info == page.device })?.pending.values ?? [:].values {
        oracle.publish(delta)
      }
    }
    return answer
  }

  private mutating func split(_ deltas: [RecordDelta]) -> [[RecordDelta]] {
    var pages: [[RecordDelta]] = [[]]
    for delta in deltas {
      if !(pages.last?.isEmpty ?? true), Bool.random(using: &random) { pages.append([]) }
      pages[pages.count - 1].append(delta)
    }
    return pages
  }
}
