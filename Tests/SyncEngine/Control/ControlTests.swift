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

/// What an app lets its store do by itself: pausing, leaving, returning, stopping.
@Suite(.timeLimit(.minutes(3)))
struct ControlTests {
  private let time = TestTime()
  private let cloud: MemoryCloud

  init() {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
  }

  /// A device whose store syncs by itself, and what its cycles report.
  private struct Running {
    let device: TestDevice
    let task: Task<Void, Never>
    let reports: AsyncStream<PeerReport>

    init(_ device: TestDevice) {
      let (reports, report) = AsyncStream.makeStream(of: PeerReport.self)
      let synced = device.synced
      self.device = device
      self.reports = reports
      task = Task { await synced.run { report.yield($0) } }
    }

    /// Waits for a report.
    func report(where isWanted: (PeerReport) -> Bool) async {
      for await report in reports where isWanted(report) { return }
    }

    func end() async {
      task.cancel()
      await task.value
    }
  }

  private func stuckDevice(
    _ transport: StuckTransport
  ) async throws -> TestDevice {
    let device = try await TestDevice("a", nil, time)
    try await device.synced.use(transport)
    return device
  }

  @Test func `stopping ends a cycle whose call gets no answer, and nothing is lost`()
    async throws
  {
    let transport = StuckTransport(MemoryTransport(cloud: cloud))
    let device = try await stuckDevice(transport)
    try await device.insert("milk")
    let cycle = Task { try await device.sync() }
    for await _ in transport.stuckCalls { break }

    await device.synced.close()

    let error = await #expect(throws: SyncError.self) { try await cycle.value }
    #expect(error?.code == .interrupted)
    let status = try #require(try await device.status())
    #expect(status.pending == 1)
    #expect(status.standing != .waiting, "to be stopped is no failure of the peer")
    #expect(status.phase != .importing)
  }

  @Test func `pausing ends the cycle that began by itself, and resuming goes on`() async throws {
    let transport = StuckTransport(MemoryTransport(cloud: cloud))
    let device = try await stuckDevice(transport)
    try await device.insert("milk")
    let running = Running(device)
    for await _ in transport.stuckCalls { break }

    await device.synced.pause()
    transport.letGo()
    #expect(try await device.status()?.pending == 1)

    await device.synced.resume()
    await running.report { $0.exported == 1 }
    #expect(try await device.status()?.pending == 0)
    await running.end()
  }

  @Test func `while it is paused a cycle that is asked for runs`() async throws {
    let device = try await TestDevice("a", cloud, time)
    let running = Running(device)
    await running.report { $0.caughtUpAt != nil }
    await device.synced.pause()
    try await device.insert("milk")

    let report = try await device.sync()

    #expect(report.exported == 1)
    await running.end()
  }

  @Test func `leaving lets a cycle go on to its end, and none begins after it`() async throws {
    let transport = StuckTransport(MemoryTransport(cloud: cloud))
    let device = try await stuckDevice(transport)
    try await device.insert("milk")
    let running = Running(device)
    for await _ in transport.stuckCalls { break }

    await device.synced.enterBackground()
    transport.letGo()
    await running.report { $0.exported == 1 }
    transport.holdBack()
    try await device.insert("bread")

    // Whoever returns gets a cycle at once; it is the first since the app was left.
    await device.synced.becomeActive()
    for await _ in transport.stuckCalls { break }
    transport.letGo()
    await running.report { $0.exported == 1 }
    #expect(try await device.status()?.pending == 0)
    await running.end()
  }

  @Test func `returning does not wait for the end of a back-off`() async throws {
    let device = try await TestDevice("a", cloud, time)
    device.panel.update { $0.isDown = true }
    let running = Running(device)
    await running.report { $0.error != nil }
    #expect(try await device.status()?.standing == .waiting)
    device.panel.update { $0.isDown = false }

    // Time stands still, so the wait would never be over.
    await device.synced.becomeActive()

    await running.report { $0.caughtUpAt != nil }
    await running.end()
  }

  @Test func `a wait that the peer asked for is kept to, also by who returns`() async throws {
    let device = try await TestDevice("a", cloud, time)
    device.panel.update { controls in
      controls.throttleSeconds = 30
      controls.rates = [.throttle: 1]
    }
    let running = Running(device)
    await running.report { $0.error != nil }
    let before = device.panel.counts.calls
    device.panel.update { $0 = FaultControls() }

    await device.synced.becomeActive()
    try await device.insert("milk")
    time.advance(31_000)
    await running.report { $0.exported == 1 }
    await running.end()

    // One cycle has run since, and not another one for the return.
    let one = device.panel.counts.calls - before
    try await device.insert("bread")
    try await device.sync()
    #expect(device.panel.counts.calls == before + 2 * one)
  }

  @Test func `a save does not wake a peer that is blocked, and the safety net looks again`()
    async throws
  {
    let login = MemoryLogin(.signedOut)
    let device = try await TestDevice("a", nil, time)
    try await device.use(cloud, login: login)
    let running = Running(device)
    await running.report { $0.error != nil }
    let before = device.panel.counts.calls

    for number in 1...5 { try await device.insert("item \(number)") }
    #expect(try await device.status()?.standing == .blocked)
    login.state = .available("local")
    time.advance(61_000)
    await running.report { $0.exported == 5 }
    await running.end()

    // One cycle has run since, which asked for the account, the zone, changes, to send, receipts.
    #expect(device.panel.counts.calls == before + 5)
  }

  @Test func `a device asks again a little later whether others have what it sent`() async throws {
    let a = try await TestDevice("a", cloud, time)
    let b = try await TestDevice("b", cloud, time)
    try await a.sync()
    try await b.sync()
    try await a.sync()
    let running = Running(a)
    try await a.insert("milk")
    await running.report { $0.exported == 1 }
    try await b.sync()
    #expect(try await a.status()?.receipts.complete == 0)

    time.advance(2000)
    await running.report { _ in true }

    #expect(try await a.status()?.receipts.complete == 1)
    await running.end()
  }
}
