import Foundation
import Strandline
import StrandlineMemoryTransport
import StrandlineTestSupport
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct AppCoordinatorTests {
  private let clock = ManualClock()
  private let phone: SyncedStore
  private let laptop: SyncedStore
  private let names: Names

  init() async throws {
    let cloud = MemoryCloud()
    let schema = try SampleSchema.todo()
    func device(_ name: String) async throws -> SyncedStore {
      let synced = try await SyncedStore.open(
        .memory, schema: schema, registry: Registry([]),
        options: SyncEngine.Options(deviceName: name))
      try await synced.use(MemoryTransport(cloud: cloud))
      return synced
    }
    phone = try await device("phone")
    laptop = try await device("laptop")
    names = Names(laptop.store)
  }

  private func coordinator(isActive: Bool) -> AppCoordinator {
    let coordinator = AppCoordinator(
      laptop, isActive: isActive, settling: .seconds(1), clock: clock)
    coordinator.add(names.view)
    return coordinator
  }

  /// Lets an activation settle, and waits for its end.
  private func settle(_ activation: Task<Void, Never>) async {
    await clock.waitForSleep()
    clock.advance(by: .seconds(1))
    await activation.value
  }

  @Test func `becoming active looks into history for what was missed`() async throws {
    let coordinator = coordinator(isActive: false)
    try await names.add("missed")
    #expect(names.view.content == [])

    await settle(Task { await coordinator.becomeActive() })

    #expect(names.view.content == ["missed"])
    #expect(coordinator.safetyNetCount == 1)
  }

  @Test func `an app that is active at the start has its safety net, too`() async throws {
    let coordinator = coordinator(isActive: true)
    try await phone.store.write { try $0.save(TodoItem("from the phone")) }
    try await phone.syncNow()
    let (reports, report) = AsyncStream.makeStream(of: PeerReport.self)
    let running = Task { await coordinator.run { report.yield($0) } }
    await clock.waitForSleep()
    #expect(coordinator.safetyNetCount == 0)
    clock.advance(by: .seconds(1))

    for await one in reports where one.imported == 1 { break }
    let showing = Task { await names.view.run() }
    await names.wait(for: ["from the phone"])

    running.cancel()
    showing.cancel()
    await running.value
    await showing.value
    #expect(coordinator.safetyNetCount == 1)
  }

  @Test func `a safety net is dropped where the app is left before it begins`() async throws {
    let coordinator = coordinator(isActive: false)
    try await names.add("missed")
    let activation = Task { await coordinator.becomeActive() }
    await clock.waitForSleep()

    await coordinator.enterBackground()
    clock.advance(by: .seconds(5))
    await activation.value

    #expect(names.view.refreshCount == 0)
    #expect(coordinator.safetyNetCount == 0)
    #expect(await laptop.isAppActive == false)
  }

  @Test func `leaving and returning at once runs one safety net`() async throws {
    let coordinator = coordinator(isActive: false)
    let first = Task { await coordinator.becomeActive() }
    await clock.waitForSleep()
    await coordinator.enterBackground()

    await settle(Task { await coordinator.becomeActive() })
    await first.value

    #expect(coordinator.safetyNetCount == 1)
    #expect(await laptop.isAppActive)
  }

  @Test func `an app that is active already stays as it is`() async throws {
    let coordinator = coordinator(isActive: true)

    // It does not wait for the clock.
    await coordinator.becomeActive()

    #expect(coordinator.isActive)
    #expect(coordinator.safetyNetCount == 0)
  }

  @Test func `no cycle begins by itself in the background, and one does on return`() async throws {
    let coordinator = coordinator(isActive: false)
    let (reports, report) = AsyncStream.makeStream(of: PeerReport.self)
    let running = Task { await coordinator.run { report.yield($0) } }
    try await phone.store.write { try $0.save(TodoItem("a")) }
    try await phone.syncNow()
    #expect(try await laptop.store.events().isEmpty)

    await settle(Task { await coordinator.becomeActive() })

    for await one in reports where one.imported == 1 { break }
    running.cancel()
    await running.value
  }

  @Test func `a part that is gone or was taken out is not asked`() async throws {
    let coordinator = coordinator(isActive: false)
    coordinator.add(Names(laptop.store).view)
    coordinator.remove(names.view)

    await settle(Task { await coordinator.becomeActive() })

    #expect(names.view.refreshCount == 0)
    #expect(coordinator.safetyNetCount == 1)
  }
}
