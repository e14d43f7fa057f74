import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTransport

/// A cloud in a file with one zone, and the shortest words for what is done with it.
struct FileCloud {
  static let account = "ann"
  let folder: TemporaryFolder
  let data: String
  let clock: TestClock
  var authority: Authority<SQLiteServerStorage>
  private(set) var zone = ZoneID(rawValue: "")
  private var random = SeededGenerator(seed: 5)

  /// Makes a cloud in a folder of its own or in a given place.
  init(at data: String? = nil, environment: ZoneEnvironment = .development) throws {
    folder = try TemporaryFolder()
    self.data = data ?? folder.path("data")
    clock = TestClock()
    authority = Authority(
      storage: try Self.open(self.data), clock: clock.wall, random: SeededGenerator(seed: 7))
    let account = Account(name: Self.account, createdAt: clock.now)
    try change { (storage) throws(TransportError) in try storage.add(account) }
    try openZone(environment)
  }

  static func open(
    _ data: String, waitMilliseconds: Int = 10_000
  ) throws(TransportError) -> SQLiteServerStorage {
    try SQLiteServerStorage(
      folder: data, create: true, ownsCheckpoints: true, waitMilliseconds: waitMilliseconds,
      makeName: { "cloud" })
  }

  /// Closes the file and opens it again.
  mutating func reopen() throws {
    authority = Authority(
      storage: try Self.open(data), clock: clock.wall, random: SeededGenerator(seed: 8))
  }

  mutating func change(
    _ body: (inout SQLiteServerStorage) throws(TransportError) -> Void
  ) throws(TransportError) {
    try authority.storage.begin(.durable)
    do {
      try body(&authority.storage)
      try authority.storage.commit()
    } catch {
      authority.storage.rollBack()
      throw error
    }
  }

  static func info(_ number: UInt64) -> DeviceInfo {
    DeviceInfo(id: DeviceID(device: number, epoch: 1), name: "device \(number)")
  }

  private mutating func openZone(_ environment: ZoneEnvironment) throws {
    let found = try authority.open(
      OpenRequest(
        device: Self.info(1), zoneName: "default", environment: environment, expected: nil,
        schema: environment == .development ? ["Note": ["name", "done"]] : [:], proof: nil),
      account: Self.account)
    zone = found.zone
  }

  /// A record that begins now.
  func note(_ id: String, _ values: [String: Value]) -> RecordDelta {
    let stamp = Stamp(milliseconds: clock.now)
    return RecordDelta(
      key: RecordKey(entity: "Note", id: RecordID(text: id)), birth: stamp,
      versions: values.mapValues { Version(life: stamp, stamp: stamp, value: $0) })
  }

  @discardableResult mutating func send(
    _ device: UInt64, _ deltas: [RecordDelta], cursor: Cursor? = nil
  ) throws(TransportError) -> SendAnswer {
    let header = GroupHeader(
      token: random.next(), base: 0, sequence: 1, transactionToken: random.next(),
      recordCount: deltas.count)
    return try authority.send(
      SendPage(
        device: Self.info(device), zone: zone, proof: nil, cursor: cursor, group: header, page: 0,
        isLast: true, deltas: deltas),
      account: Self.account)
  }

  @discardableResult mutating func fetch(
    _ device: UInt64, after cursor: Cursor? = nil, proof: Proof? = nil
  ) throws(TransportError) -> FetchPage {
    try authority.fetch(
      FetchRequest(
        device: Self.info(device), zone: zone, proof: proof, cursor: cursor, limit: 1000),
      account: Self.account)
  }

  @discardableResult mutating func receipt(
    _ device: UInt64, _ cursor: Cursor
  ) throws(TransportError) -> [DeviceReport] {
    try authority.exchangeReceipts(
      Receipt(device: Self.info(device), zone: zone, proof: nil, cursor: cursor),
      account: Self.account)
  }
}

/// The code of what a body throws.
func refusal(_ body: () throws -> Void) -> TransportError.Code? {
  do { try body() } catch { return (error as? TransportError)?.code }
  return nil
}
