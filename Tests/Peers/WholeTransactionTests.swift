import Strandline
import StrandlineDirectoryTransport
import StrandlineHistory
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Synchronization
import Testing

/// Rule 7: money moves between accounts, on one device at a time, and no reader on a device that
/// was caught up ever sees a sum that was never there.
struct WholeTransactionTests {
  private static let accounts = 12
  private static let total = Int64(accounts * 100)
  private let time = TestTime()
  private let folder: TemporaryFolder
  private let cloud: MemoryCloud

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("share")
    cloud = MemoryCloud(clock: time.clock, seed: 1)
  }

  enum Medium: String, CaseIterable, Sendable { case memory, folder }

  private func transport(_ medium: Medium) -> any Transport {
    switch medium {
    case .memory: MemoryTransport(cloud: cloud)
    case .folder: DirectoryTransport(path: folder.path("share"), clock: time.clock)
    }
  }

  private func device(_ name: String, _ transport: any Transport) async throws -> PeerDevice {
    let model = #"""
      {"entities": {"Account": {"attributes": {"name": {"type": "text", "default": ""},
        "balance": {"type": "integer", "default": 0}}}}}
      """#
    return try await PeerDevice(
      name, time, following: [transport], schema: Schema(parsing: model))
  }

  private func openAccounts(_ device: PeerDevice, count: Int = accounts) async throws {
    try await device.store.write { write in
      for index in 0..<count {
        try write.insert(
          "Account", id: RecordID(text: "account \(index)"), values: ["balance": .integer(100)])
      }
    }
  }

  @Test(arguments: Medium.allCases)
  func `no reader ever sees a wrong sum while groups are imported`(medium: Medium) async throws {
    let counting = CountingTransport(transport(medium))
    counting.limit(pageSize: 3)
    let writers = [
      try await device("a", transport(medium)), try await device("b", transport(medium)),
    ]
    let reader = try await device("reader", counting)
    try await openAccounts(writers[0])
    for device in [writers[0], writers[1], reader] { try await device.sync() }
    #expect(try await reader.sum() == Self.total)
    let watch = SumWatch(reader.store, expected: Self.total)
    await watch.begin()
    var random = SeededGenerator(seed: 7)

    for round in 0..<20 {
      let writer = writers[round % 2]
      // One device at a time: what the other has moved is read first.
      try await writer.sync()
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        time.advance(10)
        try await writer.transfer(&random, among: Self.accounts)
        if Bool.random(using: &random) { try await writer.sync() }
      }
      try await writer.sync()
      if round % 3 != 0 { try await reader.sync() }
    }
    try await reader.sync()

    let seen = await watch.end()
    #expect(seen.wrong.isEmpty, "wrong sums \(seen.wrong.prefix(5))")
    #expect(seen.commits > 5)
    #expect(seen.reads > 0)
    #expect(seen.liveResults > 0)
    #expect(try await reader.balances() == writers[1].balances())
  }

  @Test(arguments: Medium.allCases)
  func `a writer that goes on between two pages of a fetch shows no half`(medium: Medium)
    async throws
  {
    let counting = CountingTransport(transport(medium))
    let writer = try await device("a", transport(medium))
    let reader = try await device("reader", counting)
    try await openAccounts(writer)
    for device in [writer, reader] { try await device.sync() }
    counting.limit(pageSize: 2)
    let random = Mutex(SeededGenerator(seed: 3))
    let left = Mutex(6)
    counting.afterFetch { [time] in
      let goesOn = left.withLock { left in
        left -= 1
        return left >= 0
      }
      guard goesOn else { return }
      time.advance(10)
      var own = random.withLock { random in
        let seed = random.next()
        return SeededGenerator(seed: seed)
      }
      try await writer.transfer(&own, among: Self.accounts)
      try await writer.sync()
    }
    let watch = SumWatch(reader.store, expected: Self.total)
    await watch.begin()

    var own = SeededGenerator(seed: 5)
    for _ in 0..<8 {
      try await writer.transfer(&own, among: Self.accounts)
      try await writer.sync()
      try await reader.sync()
    }
    counting.afterFetch(nil)
    try await reader.sync()

    let seen = await watch.end()
    #expect(seen.wrong.isEmpty, "wrong sums \(seen.wrong.prefix(5))")
    #expect(try await reader.balances() == writer.balances())
    #expect(try await reader.sum() == Self.total)
  }

  @Test(arguments: Medium.allCases)
  func `one transaction of several pages arrives whole`(medium: Medium) async throws {
    let count = TransportLimits().pageRecords + 500
    let counting = CountingTransport(transport(medium))
    let writer = try await device("a", counting)
    let reader = try await device("reader", transport(medium))
    try await openAccounts(writer, count: count)
    for device in [writer, reader] { try await device.sync() }
    counting.reset()
    let watch = SumWatch(reader.store, expected: Int64(count) * 100)
    await watch.begin()

    try await writer.store.write { write in
      for index in 0..<count {
        let change: Int64 = index % 2 == 0 ? 1 : -1
        try write.update(
          "Account", RecordID(text: "account \(index)"), values: ["balance": .integer(100 + change)]
        )
      }
    }
    try await writer.sync()
    try await reader.sync()

    let seen = await watch.end()
    #expect(counting.counts.pages == 2)
    #expect(seen.wrong.isEmpty, "wrong sums \(seen.wrong.prefix(5))")
    #expect(seen.commits > 0)
    #expect(try await reader.balances() == writer.balances())
  }

  @Test func `a bridge passes transactions on whole`() async throws {
    let writer = try await device("a", transport(.memory))
    let bridge = try await device("b", transport(.memory))
    try await bridge.synced.follow(transport(.folder))
    let reader = try await device("reader", transport(.folder))
    try await openAccounts(writer)
    for device in [writer, bridge, reader] { try await device.sync() }
    let watch = SumWatch(reader.store, expected: Self.total)
    await watch.begin()
    var random = SeededGenerator(seed: 11)

    for round in 0..<20 {
      time.advance(10)
      try await writer.transfer(&random, among: Self.accounts)
      try await writer.sync()
      if round % 2 == 0 { try await bridge.sync() }
      if round % 3 == 0 { try await reader.sync() }
    }
    for device in [bridge, reader] { try await device.sync() }

    let seen = await watch.end()
    #expect(seen.wrong.isEmpty, "wrong sums \(seen.wrong.prefix(5))")
    #expect(seen.commits > 2)
    #expect(try await reader.balances() == writer.balances())
  }
}

extension PeerDevice {
  /// Moves money from one account to one or several others, in one transaction.
  func transfer(_ random: inout SeededGenerator, among count: Int) async throws {
    let from = Int.random(in: 0..<count, using: &random)
    let targets = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      (Int.random(in: 0..<count, using: &random), Int64.random(in: 1...9, using: &random))
    }
    try await store.write { write in
      for (to, amount) in targets where to != from {
        try write.add(-amount, to: "account \(from)")
        try write.add(amount, to: "account \(to)")
      }
    }
  }

  func sum() async throws -> Int64 { try await store.read { try $0.sum() } }

  func balances() async throws -> [String: Value] {
    try await store.read { read in
      Dictionary(
        uniqueKeysWithValues: try read.records(Query("Account")).map {
          ($0.id.description, $0["balance"])
        })
    }
  }
}

extension WriteTransaction {
  fileprivate func add(_ amount: Int64, to account: String) throws {
    let id = RecordID(text: account)
    guard case .integer(let balance)? = try record("Account", id)?["balance"] else { return }
    try update("Account", id, values: ["balance": .integer(balance + amount)])
  }
}

extension ReadTransaction {
  /// The sum of all accounts, by plain SQL in one snapshot.
  func sum() throws -> Int64 {
    try connection.integer("SELECT coalesce(sum(balance), 0) FROM Account")
  }
}
