import Strandline
import StrandlineDirectoryTransport
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// What is not the known zone or account is never synced with unasked, and each answer does what
/// it says (C7, F11, F18).
struct PeerQuestionTests {
  private let time = TestTime()
  private let cloud: MemoryCloud
  private let login = MemoryLogin(.available("first"))

  init() {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
  }

  /// A way to a cloud that lasts as a server does.
  private func strict(_ cloud: MemoryCloud, _ login: MemoryLogin? = nil) -> CountingTransport {
    CountingTransport(
      MemoryTransport(cloud: cloud, login: login ?? self.login, isEphemeral: false))
  }

  private func device(_ name: String, _ cloud: MemoryCloud? = nil) async throws -> PeerDevice {
    try await PeerDevice(name, time, following: [strict(cloud ?? self.cloud)])
  }

  /// Two devices that hold the same, and a zone that one of them has then purged.
  private func purged() async throws -> (PeerDevice, PeerDevice) {
    let (a, b) = (try await device("a"), try await device("b"))
    try await a.insert("of a")
    let gone = try await a.insert("gone")
    for one in [a, b] { try await one.sync() }
    try await a.delete(gone)
    try await b.insert("of b")
    for one in [b, a, b] { try await one.sync() }
    time.advance(60_000)
    let row = try #require(try await a.store.read { try $0.peers().first })
    let id = try await a.store.read { try $0.deviceID() }
    let zone = ZoneID(rawValue: try #require(row.zone))
    try await strict(cloud).purge(
      PurgeRequest(device: DeviceInfo(id: id, name: "a"), zone: zone))
    return (a, b)
  }

  private func newcomer(_ cloud: MemoryCloud? = nil, _ login: MemoryLogin? = nil) async throws
    -> Set<String>
  {
    let new = try await PeerDevice("new", time, following: [strict(cloud ?? self.cloud, login)])
    try await new.sync()
    return try await new.names()
  }

  // MARK: Asking

  @Test func `C7: a purged zone asks, with who did it and when, and sends and deletes nothing`()
    async throws
  {
    let (_, b) = try await purged()
    try await b.insert("pending")

    let report = try await b.sync()
    try await b.sync()

    let item = try #require(try await b.peer("memory"))
    #expect(item.question == .zonePurged(by: "a", at: time.clock.milliseconds))
    #expect(item.status.question == item.question)
    #expect(item.status.standing == .blocked)
    #expect(report.exported == 0)
    #expect(try #require(report.error).advice.contains("peer answer \(item.id) keep"))
    #expect(item.status.cure == report.error?.advice)
    #expect(try await b.names() == ["of a", "of b", "pending"])
    #expect(try await newcomer().isEmpty)
  }

  @Test func `C7: another account asks with both names, and coming back goes on with nothing lost`()
    async throws
  {
    let a = try await device("a")
    try await a.insert("one")
    try await a.sync()
    login.state = .available("second")
    try await a.insert("two")
    try await a.sync()
    #expect(
      try await a.peer("memory")?.question == .accountChanged(from: "first", to: "second"))

    login.state = .available("first")
    let report = try await a.sync()

    #expect(report.exported == 1)
    #expect(try await a.peer("memory")?.question == nil)
    #expect(try await newcomer() == ["one", "two"])
    #expect(try await newcomer(nil, MemoryLogin(.available("second"))).isEmpty)
  }

  @Test func `F18: a server that was set up anew asks, and one with another zone asks too`()
    async throws
  {
    let a = try await device("a")
    try await a.insert("mine")
    try await a.sync()
    let empty = MemoryCloud(clock: time.clock, seed: 2)
    try await a.synced.use(strict(empty))
    try await a.sync()
    #expect(try await a.peer("memory")?.question == .zoneNotFound)

    let other = try await device("other", empty)
    try await other.insert("theirs")
    try await other.sync()
    let report = try await a.sync()

    #expect(try await a.peer("memory")?.question == .zoneReplaced)
    #expect(report.error?.codeName == "zoneReplaced")
    #expect(try await a.names() == ["mine"])
    #expect(try await newcomer(empty) == ["theirs"])
  }

  @Test func `a question outlasts a silence of the server, and an old one is not answered`()
    async throws
  {
    let (_, b) = try await purged()
    try await b.sync()
    let item = try #require(try await b.peer("memory"))
    let question = try #require(item.question)
    login.state = .undetermined
    try await b.sync()
    #expect(try await b.peer("memory")?.question == question)

    await #expect(throws: StorageError.self) {
      try await b.synced.answer(.zoneNotFound, of: item.id, with: .keep)
    }
    #expect(try await b.peer("memory")?.question == question)
  }

  // MARK: Answers

  @Test func `keep leaves everything here, sends nothing, and holds against following again`()
    async throws
  {
    let (_, b) = try await purged()
    try await b.sync()

    try await b.answer(.keep, of: "memory")

    let item = try #require(try await b.peer("memory"))
    #expect(item.isKept && !item.isFollowed && item.question == nil)
    try await b.synced.use(strict(cloud))
    #expect(try await !b.synced.follow(strict(cloud)))
    #expect(await b.synced.transports.isEmpty)
    #expect(try await b.names() == ["of a", "of b"])
    #expect(try await newcomer().isEmpty)
    time.advance(400 * 86_400_000)
    #expect(try await b.store.prune(RetentionPolicy(historyDays: 1)).holds.isEmpty)

    try await b.synced.forget(item.id)
    try await b.synced.use(strict(cloud))
    try await b.sync()
    #expect(try await newcomer() == ["of a", "of b"])
  }

  @Test func `upload begins a new zone with everything, and the next device joins it`()
    async throws
  {
    let (a, b) = try await purged()
    try await b.insert("pending")
    try await b.sync()

    try await b.answer(.upload, of: "memory")
    let report = try await b.sync()
    try await a.sync()
    try await a.answer(.upload, of: "memory")
    try await a.sync()
    try await b.sync()

    // The death goes along, so that the record does not return with another device.
    #expect(report.exported == 4)
    for one in [a, b] {
      #expect(try await one.names() == ["of a", "of b", "pending"])
      #expect(try await one.status("memory")?.standing == .caughtUp)
    }
    #expect(try await newcomer() == ["of a", "of b", "pending"])
  }

  @Test func `upload to another account takes everything there`() async throws {
    let a = try await device("a")
    try await a.insert("mine")
    try await a.sync()
    let second = MemoryLogin(.available("second"))
    let other = try await PeerDevice("other", time, following: [strict(cloud, second)])
    try await other.insert("theirs")
    try await other.sync()
    login.state = .available("second")
    try await a.sync()

    try await a.answer(.upload, of: "memory")
    try await a.sync()
    try await other.sync()

    for one in [a, other] { #expect(try await one.names() == ["mine", "theirs"]) }
    #expect(try await a.peer("memory")?.account == "second")
  }

  @Test func `C7: switch takes nothing of the first person to the second, whatever is done later`()
    async throws
  {
    let a = try await device("a")
    let mine = try await a.insert("mine")
    let shared = try await a.insert("shared, mine")
    let deleted = try await a.insert("deleted")
    try await a.sync()
    let second = MemoryLogin(.available("second"))
    let other = try await PeerDevice("other", time, following: [strict(cloud, second)])
    try await other.insert("theirs")
    try await other.insert("shared, theirs", id: shared)
    try await other.sync()
    login.state = .available("second")
    time.advance()
    try await a.rename(shared, "shared, mine again")
    try await a.sync()

    try await a.answer(.switchOver, of: "memory")
    let way = strict(cloud)
    try await a.synced.use(way)
    try await a.sync()
    // Edits and deletes of what stays apart stay here too; what is new goes.
    try await a.rename(mine, "mine, edited")
    try await a.delete(deleted)
    try await a.insert("made later")
    time.advance()
    try await a.rename(shared, "shared, edited")
    try await a.sync()
    try await other.sync()

    #expect(
      try await a.names() == ["mine, edited", "theirs", "shared, edited", "made later"])
    #expect(try await other.names() == ["theirs", "shared, edited", "made later"])
    #expect(way.counts.records == 2)
    #expect(try await a.conflicts() == ["name = shared, mine again"])
    #expect(try await other.conflicts().isEmpty)
    #expect(try await a.status("memory")?.standing == .caughtUp)
  }

  @Test func `C7: what stays apart does so through a compare of everything`() async throws {
    let a = try await device("a")
    try await a.insert("mine")
    try await a.sync()
    login.state = .available("second")
    try await a.sync()
    try await a.answer(.switchOver, of: "memory")
    try await a.insert("made later")
    try await a.sync()

    let backup = try cloud.backUp()
    try cloud.restore(backup, announced: true)
    let report = try await a.sync()

    #expect(report.error == nil)
    #expect(try await newcomer() == ["made later"])
    #expect(try await a.names() == ["mine", "made later"])
  }

  @Test func `a record that stays apart and is deleted and made anew goes`() async throws {
    let a = try await device("a")
    let id = try await a.insert("mine")
    try await a.sync()
    login.state = .available("second")
    try await a.sync()
    try await a.answer(.switchOver, of: "memory")
    try await a.sync()
    try await a.delete(id)
    try await a.insert("made anew", id: id)
    try await a.sync()
    try await a.rename(id, "and edited")
    try await a.sync()

    #expect(try await newcomer() == ["and edited"])
  }

  // MARK: A running cycle

  @Test func `a cycle that began before the answer ends without touching what was answered`()
    async throws
  {
    let (_, b) = try await purged()
    try await b.insert("pending")
    try await b.sync()
    let row = try #require(try await b.store.read { try $0.peers().first })
    var cycle = try await RunningCycle(
      store: b.store, transport: strict(MemoryCloud(clock: time.clock, seed: 3)),
      options: SyncEngine.Options(deviceName: "b"), peerID: row.id)
    _ = await cycle.step()

    try await b.answer(.upload, of: "memory")
    let answered = try await b.store.read { try $0.peer(row.id) }
    while await cycle.step() {}
    _ = try await cycle.end(random: 0)

    #expect(try await b.store.read { try $0.peer(row.id) } == answered)
    try await b.sync()
    #expect(try await newcomer() == ["of a", "of b", "pending"])
  }

  // MARK: A folder

  @Test(arguments: [PeerAnswer.keep, .upload, .switchOver])
  func `F11: a folder that was emptied or swapped asks, and each answer does what it says`(
    answer: PeerAnswer
  ) async throws {
    let folder = try TemporaryFolder()
    for name in ["share", "other"] { try folder.makeFolder(name) }
    let share = DirectoryTransport(path: folder.path("share"), clock: time.clock)
    let a = try await PeerDevice("a", time, following: [share])
    let mine = try await a.insert("mine")
    try await a.sync()
    let stranger = try await PeerDevice(
      "stranger", time,
      following: [DirectoryTransport(path: folder.path("other"), clock: time.clock)])
    try await stranger.insert("theirs")
    try await stranger.sync()
    // Another disk stands under the known path.
    try folder.remove("share")
    try folder.makeFolder("share")
    let fresh = DirectoryTransport(path: folder.path("share"), clock: time.clock)
    try await a.synced.use(fresh)
    try await a.sync()
    #expect(try await a.peer(fresh.specification)?.question == .zoneNotFound)
    try folder.remove("share")
    try folder.copy("other", to: "share")
    try await a.sync()
    #expect(try await a.peer(fresh.specification)?.question == .zoneReplaced)

    try await a.answer(answer, of: fresh.specification)
    if answer != .keep {
      for _ in 0..<2 {
        let report = try await a.sync()
        #expect(report.error == nil)
        try await a.rename(mine, "mine, edited")
        try await a.insert("later")
      }
    }

    let reader = try await PeerDevice("reader", time, following: [fresh])
    try await reader.sync()
    switch answer {
    case .keep:
      #expect(try await a.names() == ["mine"])
      #expect(try await reader.names() == ["theirs"])
    case .upload:
      #expect(try await a.names() == ["mine, edited", "theirs", "later"])
      #expect(try await reader.names() == ["mine, edited", "theirs", "later"])
    case .switchOver:
      #expect(try await a.names() == ["mine, edited", "theirs", "later"])
      #expect(try await reader.names() == ["theirs", "later"])
    }
  }
}
