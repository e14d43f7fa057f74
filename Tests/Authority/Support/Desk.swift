import StrandlineAuthority
import StrandlineModels
import StrandlineTransport

/// A cloud with one zone, and the shortest words for what devices do with it.
struct Desk {
  static let account = "person"
  let clock: TestClock
  var authority: Authority<MemoryZoneStorage>
  var zone: ZoneID
  private var tokens = SeededGenerator(seed: 99)
  private var sequences: [DeviceID: Int64] = [:]

  init(
    limits: AuthorityLimits = AuthorityLimits(), environment: ZoneEnvironment = .development,
    schema: [String: Set<String>] = ["Note": ["p", "q"]]
  ) throws(TransportError) {
    clock = TestClock()
    authority = Authority(
      storage: MemoryZoneStorage(), limits: limits, clock: clock.wall,
      random: SeededGenerator(seed: 7))
    zone = ZoneID(rawValue: "")
    zone = try open(1, environment: environment, schema: schema).zone
  }

  static func info(_ number: UInt64, epoch: UInt32 = 1) -> DeviceInfo {
    DeviceInfo(id: DeviceID(device: number, epoch: epoch), name: "device \(number)")
  }

  @discardableResult mutating func open(
    _ device: UInt64, epoch: UInt32 = 1, name: String = "notes", expected: ZoneID? = nil,
    account: String = Desk.account, environment: ZoneEnvironment = .development,
    schema: [String: Set<String>] = ["Note": ["p", "q"]], proof: Proof? = nil
  ) throws(TransportError) -> ZoneDescription {
    try authority.open(
      OpenRequest(
        device: Self.info(device, epoch: epoch), zoneName: name, environment: environment,
        expected: expected, schema: schema, proof: proof),
      account: account)
  }

  /// A page of a group of one page, under a fresh token.
  mutating func page(
    _ device: UInt64, _ deltas: [RecordDelta], cursor: Cursor? = nil, proof: Proof? = nil
  ) -> SendPage {
    let info = Self.info(device)
    let base = sequences[info.id, default: 0]
    sequences[info.id] = base + 1
    return SendPage(
      device: info, zone: zone, proof: proof, cursor: cursor,
      group: GroupHeader(
        token: tokens.next(), base: base, sequence: base + 1, transactionToken: tokens.next(),
        recordCount: deltas.count),
      page: 0, isLast: true, deltas: deltas)
  }

  @discardableResult mutating func send(_ page: SendPage) throws(TransportError) -> SendAnswer {
    try authority.send(page, account: Self.account)
  }

  @discardableResult mutating func send(
    _ device: UInt64, _ deltas: RecordDelta..., cursor: Cursor? = nil, proof: Proof? = nil
  ) throws(TransportError) -> SendAnswer {
    try send(page(device, deltas, cursor: cursor, proof: proof))
  }

  @discardableResult mutating func fetch(
    _ device: UInt64, after cursor: Cursor? = nil, limit: Int = 1000, proof: Proof? = nil
  ) throws(TransportError) -> FetchPage {
    try authority.fetch(
      FetchRequest(
        device: Self.info(device), zone: zone, proof: proof, cursor: cursor, limit: limit),
      account: Self.account)
  }

  @discardableResult mutating func receipt(
    _ device: UInt64, _ cursor: Cursor, proof: Proof? = nil
  ) throws(TransportError) -> [DeviceReport] {
    try authority.exchangeReceipts(
      Receipt(device: Self.info(device), zone: zone, proof: proof, cursor: cursor),
      account: Self.account)
  }

  mutating func purge(_ device: UInt64) throws(TransportError) {
    try authority.purge(
      PurgeRequest(device: Self.info(device), zone: zone), account: Self.account)
  }

  /// The zone as it is stored.
  var stored: Zone? { authority.storage.zone(zone) }
}

/// A small vocabulary of facts about notes.
enum Fact {
  static func key(_ id: String) -> RecordKey {
    RecordKey(entity: "Note", id: RecordID(text: id))
  }

  static func stamp(_ number: Int64) -> Stamp { Stamp(rawValue: number) }

  static func birth(_ id: String, _ life: Int64, _ values: [String: Int64] = [:]) -> RecordDelta {
    RecordDelta(
      key: key(id), birth: stamp(life),
      versions: values.mapValues {
        Version(life: stamp(life), stamp: stamp(life), value: .integer($0))
      })
  }

  static func edit(
    _ id: String, _ property: String = "p", _ value: Int64, at time: Int64, of life: Int64
  ) -> RecordDelta {
    RecordDelta(
      key: key(id),
      versions: [
        property: Version(life: stamp(life), stamp: stamp(time), value: .integer(value))
      ])
  }

  static func delete(_ id: String, _ life: Int64, at time: Int64) -> RecordDelta {
    RecordDelta(key: key(id), death: Death(life: stamp(life), stamp: stamp(time)))
  }
}
