import Strandline
import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// What stands in place of records before there are any, told from what was observed.
@Suite struct FirstLaunchTests {
  private let time = TestTime()
  private let cloud: MemoryCloud

  init() {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
  }

  /// A cloud that another device has put items into.
  private func fill(_ count: Int) async throws {
    let other = try await SyncedDevice("tablet", cloud, time)
    for number in 0..<count { try await other.insert("item \(number)") }
    try await other.sync()
  }

  @Test func `without a transport an empty store is empty, and saving works`() async throws {
    let phone = try await SyncedDevice("phone", nil, time)
    #expect(try await phone.store.firstLaunch() == .empty)

    try await phone.insert("milk")

    #expect(try await phone.store.firstLaunch() == .hasRecords)
  }

  @Test func `a first launch without a connection checks, and lets people write`() async throws {
    try await fill(1)
    let phone = try await SyncedDevice("phone", cloud, time)
    phone.panel.update { $0.isDown = true }
    #expect(try await phone.store.firstLaunch() == .checking)

    #expect(try await phone.sync().error?.codeName == "unreachable")

    #expect(try await phone.store.firstLaunch() == .checking)
    #expect(try await phone.status().deferral == .offline)
    try await phone.insert("milk")
    #expect(try await phone.store.firstLaunch() == .hasRecords)
    phone.panel.update { $0.isDown = false }
    #expect(try await phone.sync().error == nil)
    #expect(try await phone.store.read { try $0.records(Query("TodoItem")).count } == 2)
  }

  @Test func `a first launch while nobody is signed in checks, with the reason`() async throws {
    let phone = try await SyncedDevice("phone", cloud, time)
    phone.panel.update { $0.account = .signedOut }

    try await phone.sync()

    #expect(try await phone.store.firstLaunch() == .checking)
    #expect(try await phone.status().deferral == .signedOut)
    phone.panel.update { $0.account = .restricted }
    try await phone.sync()
    #expect(try await phone.status().deferral == .restricted)
    #expect(try await phone.store.firstLaunch() == .checking)
  }

  @Test func `an account without data is empty once it was read, and not before`() async throws {
    let phone = try await SyncedDevice("phone", cloud, time)
    #expect(try await phone.store.firstLaunch() == .checking)

    try await phone.sync()

    #expect(try await phone.store.firstLaunch() == .empty)
    #expect(try await phone.status().firstLaunch == .empty)
  }

  @Test func `a slow import of an account with data checks until the first records are here`()
    async throws
  {
    try await fill(30)
    let phone = try await SyncedDevice("phone", cloud, time)
    // Step by step, as slow as one likes.
    var cycle = try await phone.cycle(SyncEngine.Options(deviceName: "phone"))
    var seen: [FirstLaunch] = []
    while await cycle.step() {
      let state = try await phone.store.firstLaunch()
      if seen.last != state { seen.append(state) }
    }
    _ = try await cycle.end(random: 0)

    #expect(seen == [.checking, .hasRecords])
    #expect(try await phone.store.firstLaunch() == .hasRecords)
  }

  @Test func `killed in the middle of the first import it checks again after the relaunch`()
    async throws
  {
    try await fill(3)
    let folder = try TemporaryFolder()
    let path = folder.path("store.sqlite")
    do {
      let phone = try await SyncedDevice("phone", cloud, time, at: .file(path))
      var cycle = try await phone.cycle(SyncEngine.Options(deviceName: "phone"))
      // Up to the fetch of the first page, which is never applied.
      while let next = cycle.next {
        if case .apply = next { break }
        _ = await cycle.step()
      }
    }

    let relaunched = try await SyncedDevice("phone", nil, time, at: .file(path))
    #expect(try await relaunched.store.firstLaunch() == .checking)
    #expect(try await relaunched.store.events().first?.isInterrupted == true)

    try await relaunched.synced.use(MemoryTransport(cloud: cloud))
    try await relaunched.sync()
    #expect(try await relaunched.store.firstLaunch() == .hasRecords)
    #expect(try await relaunched.status().activity(.import)?.outcome == .succeeded)
  }

  @Test func `switched off before anything was read, nothing is waited for`() async throws {
    let phone = try await SyncedDevice("phone", cloud, time)
    #expect(try await phone.store.firstLaunch() == .checking)

    try await phone.store.handleSwitch(.turnOff(purge: false))

    #expect(try await phone.store.firstLaunch() == .empty)
  }
}

extension SyncedDevice {
  /// A cycle that is taken step by step, as by a process that may end between any two of them.
  func cycle(_ options: SyncEngine.Options) async throws -> RunningCycle {
    guard let transport = await synced.transport,
      let peer = try await store.peerItems().first?.id
    else {
      throw StorageError(.damaged, "Could not begin a cycle, nothing is followed.", advice: "")
    }
    return try await RunningCycle(
      store: store, transport: transport, options: options, account: nil, peerID: peer)
  }
}
