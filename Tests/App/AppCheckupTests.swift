import Foundation
import Strandline
import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineTestSupport
import Testing

/// What the doctor says of what an app may be missing.
@MainActor @Suite struct AppCheckupTests {
  private let store: Store

  init() async throws {
    store = try await Store.open(.memory, schema: try SampleSchema.todo())
  }

  private func finding(_ name: String) async throws -> CheckupFinding {
    try #require(try await AppCheckup(store).findings().first { $0.name == name })
  }

  private func follow(_ cloud: MemoryCloud, _ environment: ZoneEnvironment) async throws {
    let synced = SyncedStore(
      store: store, registry: Registry([]),
      options: SyncEngine.Options(environment: environment, deviceName: "laptop"))
    try await synced.use(MemoryTransport(cloud: cloud))
  }

  @Test func `a store that nobody observes is said to be so`() async throws {
    let finding = try await finding("views")

    #expect(finding.level == .ok)
    #expect(finding.message.contains("Nobody observes history"))
  }

  @Test func `a view that is behind is named, and no longer when it has looked`() async throws {
    let names = Names(store, consumer: "visible names")
    await names.view.refresh()
    try await names.add("a")
    await names.view.refresh()
    #expect(try await finding("views").level == .ok)

    try await names.add("b")
    try await names.add("c")

    let stale = try await finding("views")
    #expect(stale.level == .warning)
    #expect(stale.message.contains("visible names (2 transactions)"), "\(stale.message)")
    await names.view.refresh()
    #expect(try await finding("views").level == .ok)
  }

  @Test func `two environments of one zone are named`() async throws {
    let cloud = MemoryCloud()
    try await follow(cloud, .development)
    #expect(try await finding("environment").level == .ok)

    try await follow(cloud, .production)

    let mixed = try await finding("environment")
    #expect(mixed.level == .warning)
    #expect(mixed.message.contains("memory, zone default"), "\(mixed.message)")
  }

  @Test func `what arrived or went in part is named`() async throws {
    let panel = FaultPanel(seed: 1)
    let synced = SyncedStore(
      store: store, registry: Registry([]), options: SyncEngine.Options(deviceName: "laptop"))
    try await synced.use(FaultyTransport(MemoryTransport(cloud: MemoryCloud()), panel: panel))
    #expect(try await finding("batches").level == .ok)
    let item = TodoItem("refused")
    panel.update { $0.refusedRecords = [item.id] }
    try await store.write { try $0.save(item) }

    try await synced.syncNow()

    let partial = try await finding("batches")
    #expect(partial.level == .warning)
    #expect(partial.message.contains("1 record of what goes to memory set aside"))
  }
}
