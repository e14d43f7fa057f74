import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTransport
import Synchronization

/// Two clouds that are asked the same: one in memory, one in a file.
struct Twin {
  static let account = "person"
  let clock: TestClock
  let folder: TemporaryFolder
  let limits: AuthorityLimits
  private(set) var memory: Authority<MemoryZoneStorage>
  private(set) var file: Authority<SQLiteServerStorage>
  /// Where the two have answered differently, in words.
  private(set) var differences: [String] = []
  private var draws: CountedGenerator

  /// A generator that another one can go on from.
  final class CountedGenerator: RandomNumberGenerator, Sendable {
    private let state: Mutex<SeededGenerator>

    init(seed: UInt64) {
      state = Mutex(SeededGenerator(seed: seed))
    }

    func next() -> UInt64 { state.withLock { $0.next() } }
  }

  init(seed: UInt64, limits: AuthorityLimits = AuthorityLimits(), now: Int64 = 100) throws {
    clock = TestClock(now)
    folder = try TemporaryFolder()
    self.limits = limits
    memory = Authority(
      storage: MemoryZoneStorage(), limits: limits, clock: clock.wall,
      random: CountedGenerator(seed: seed))
    draws = CountedGenerator(seed: seed)
    file = Authority(
      storage: try Self.open(folder), limits: limits, clock: clock.wall, random: draws)
  }

  private static func open(_ folder: TemporaryFolder) throws(TransportError) -> SQLiteServerStorage
  {
    try SQLiteServerStorage(
      folder: folder.path("data"), create: true, ownsCheckpoints: true, makeName: { "twin" })
  }

  /// Closes the file and opens it again.
  mutating func reopen() throws {
    file = Authority(
      storage: try Self.open(folder), limits: limits, clock: clock.wall, random: draws)
  }

  /// Makes the account whose zones are asked for.
  mutating func addAccount() throws(TransportError) {
    try file.storage.begin(.durable)
    try file.storage.add(Account(name: Self.account, createdAt: 1))
    try file.storage.commit()
  }

  /// Asks both and notes where they differ.
  @discardableResult mutating func ask<Answer: Equatable>(
    _ what: String,
    _ inMemory: (inout Authority<MemoryZoneStorage>) throws(TransportError) -> Answer,
    _ inFile: (inout Authority<SQLiteServerStorage>) throws(TransportError) -> Answer
  ) -> Result<Answer, TransportError> {
    let first = Result { () throws(TransportError) in try inMemory(&memory) }
    let second = Result { () throws(TransportError) in try inFile(&file) }
    let isEqual =
      switch (first, second) {
      case (.success(let left), .success(let right)): left == right
      case (.failure(let left), .failure(let right)):
        left.code == right.code && left.message == right.message && left.context == right.context
          && left.remedy == right.remedy
      default: false
      }
    if !isEqual { differences.append("\(what): \(first), but the file: \(second)") }
    return first
  }

  mutating func open(_ request: OpenRequest) -> Result<ZoneDescription, TransportError> {
    ask(
      "open",
      { (cloud) throws(TransportError) in try cloud.open(request, account: Self.account) },
      { (cloud) throws(TransportError) in try cloud.open(request, account: Self.account) })
  }

  mutating func send(_ page: SendPage) -> Result<SendAnswer, TransportError> {
    ask(
      "send",
      { (cloud) throws(TransportError) in try cloud.send(page, account: Self.account) },
      { (cloud) throws(TransportError) in try cloud.send(page, account: Self.account) })
  }

  mutating func fetch(_ request: FetchRequest) -> Result<FetchPage, TransportError> {
    ask(
      "fetch",
      { (cloud) throws(TransportError) in try cloud.fetch(request, account: Self.account) },
      { (cloud) throws(TransportError) in try cloud.fetch(request, account: Self.account) })
  }

  mutating func exchange(_ receipt: Receipt) -> Result<[DeviceReport], TransportError> {
    ask(
      "receipt",
      { (cloud) throws(TransportError) in
        try cloud.exchangeReceipts(receipt, account: Self.account)
      },
      { (cloud) throws(TransportError) in
        try cloud.exchangeReceipts(receipt, account: Self.account)
      })
  }

  /// Compares what is remembered beside what was answered.
  mutating func compareContents(of zone: ZoneID) {
    ask(
      "zones", { (cloud) throws(TransportError) in cloud.storage.zones() },
      { (cloud) throws(TransportError) in try cloud.storage.zones() })
    ask(
      "devices", { (cloud) throws(TransportError) in cloud.storage.devices(in: zone) },
      { (cloud) throws(TransportError) in try cloud.storage.devices(in: zone) })
    ask(
      "feed",
      { (cloud) throws(TransportError) in
        try Self.feed(of: cloud.storage, zone)
      },
      { (cloud) throws(TransportError) in try Self.feed(of: cloud.storage, zone) })
    for environment in ZoneEnvironment.allCases {
      ask(
        "schema", { (cloud) throws(TransportError) in cloud.storage.schema(of: environment) },
        { (cloud) throws(TransportError) in try cloud.storage.schema(of: environment) })
    }
  }

  private static func feed(
    of storage: some ZoneStorage, _ zone: ZoneID
  ) throws(TransportError) -> [FeedEntry] {
    var entries: [FeedEntry] = []
    try storage.readFeed(after: 0, deathsAfter: 0, in: zone) {
      entries.append($0)
      return true
    }
    return entries
  }
}
