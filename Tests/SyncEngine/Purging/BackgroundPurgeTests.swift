import Strandline
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineSettings
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// The switch takes effect in a store that syncs by itself, without a restart.
@Suite(.timeLimit(.minutes(3)))
struct BackgroundPurgeTests {
  private struct Running {
    let task: Task<Void, Never>
    let reports: AsyncStream<PeerReport>

    init(_ device: TestDevice) {
      let (reports, report) = AsyncStream.makeStream(of: PeerReport.self)
      let synced = device.synced
      self.reports = reports
      task = Task { await synced.run { report.yield($0) } }
    }

    func report(where isWanted: (PeerReport) -> Bool) async {
      for await report in reports where isWanted(report) { return }
    }

    func end() async {
      task.cancel()
      await task.value
    }
  }

  @Test func `a purge is done by itself when sync is switched off`() async throws {
    let scene = try PurgeScene(.memory)
    let (a, _) = try await scene.pair()
    let running = Running(a)
    await running.report { $0.caughtUpAt != nil }

    try await a.synced.switchOff(purge: true)
    await running.report { $0.purge?.isDone == true }

    #expect(try await scene.seen().isEmpty)
    await running.end()
  }

  @Test func `what another process turns is noticed`() async throws {
    let scene = try PurgeScene(.memory)
    let (a, b) = try await scene.pair()
    let other = try await Store.open(.file(a.store.path), schema: a.store.schema)
    let running = Running(a)
    await running.report { $0.caughtUpAt != nil }

    try await other.handleSwitch(.turnOff(purge: true))
    await running.report { $0.purge?.isDone == true }
    try await other.handleSwitch(.turnOn)
    await running.report { $0.caughtUpAt != nil }

    #expect(try await scene.seen() == ["milk", "bread"])
    #expect(try await b.sync().error?.codeName == "zonePurged")
    await running.end()
  }

  @Test func `a purge that is pending is tried when syncing starts`() async throws {
    let scene = try PurgeScene(.memory)
    let (a, _) = try await scene.pair()
    try await a.synced.switchOff(purge: true)

    let running = Running(a)
    await running.report { $0.purge?.isDone == true }

    #expect(try await scene.seen().isEmpty)
    await running.end()
  }
}
