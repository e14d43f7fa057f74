import Foundation
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

/// Whatever a person and an app do with a store that syncs, in any order and with work in flight,
/// nothing hangs and no edit is lost.
///
/// `STRANDLINE_SEED` replays one run, `STRANDLINE_RUNS` asks for more of them.
@Suite(.timeLimit(.minutes(10))) struct RandomControlTests {
  private static var seeds: [UInt64] {
    let variables = ProcessInfo.processInfo.environment
    if let seed = variables["STRANDLINE_SEED"].flatMap(UInt64.init) { return [seed] }
    return Array(1...(variables["STRANDLINE_RUNS"].flatMap(UInt64.init) ?? 40))
  }

  @Test func `controls in any order lose no edit and never hang`() async throws {
    var total: [ControlledDevice.Control: Int] = [:]
    for seed in Self.seeds {
      let cloud = MemoryCloud()
      let device = try await ControlledDevice(seed: seed, cloud)
      for _ in 0..<30 { try await device.step() }
      let saved = try await device.comeToRest()
      total.merge(await device.counts, uniquingKeysWith: +)

      let other = try await TestDevice("other", cloud, TestTime())
      let report = try await other.sync()
      #expect(report.error == nil, "seed \(seed)")
      #expect(Set(try await other.names()) == saved, "seed \(seed)")
    }
    for control in ControlledDevice.Control.allCases where Self.seeds.count > 1 {
      #expect(total[control, default: 0] > 0, "\(control) never happened")
    }
  }
}

/// A device that is controlled at random, while cycles run in other tasks.
private actor ControlledDevice {
  enum Control: Hashable, CaseIterable {
    case save, sync, waitUntilCaughtUp, run, cancelRun, pause, resume, switchOff, switchOn
    case enterBackground, becomeActive, unfollow, follow, relaunch, fault
  }

  private let folder: TemporaryFolder
  private let transport: FaultyTransport
  private let panel: FaultPanel
  private var random: SeededGenerator
  private var synced: SyncedStore
  private var running: Task<Void, Never>?
  private var cycles: [Task<Void, any Error>] = []
  private var saved: Set<String> = []
  private(set) var counts: [Control: Int] = [:]

  init(seed: UInt64, _ cloud: MemoryCloud) async throws {
    folder = try TemporaryFolder()
    panel = FaultPanel(seed: seed)
    transport = FaultyTransport(MemoryTransport(cloud: cloud), panel: panel)
    random = SeededGenerator(seed: seed)
    synced = try await Self.open(folder)
    try await synced.use(transport)
  }

  private static func open(_ folder: TemporaryFolder) async throws -> SyncedStore {
    try await SyncedStore.open(
      .file(folder.path("store.sqlite")), schema: try SampleSchema.todo(),
      registry: Registry([]),
      options: SyncEngine.Options(deviceName: "controlled", debounce: .milliseconds(2)))
  }

  func step() async throws {
    guard let control = Control.allCases.randomElement(using: &random) else { return }
    counts[control, default: 0] += 1
    switch control {
    case .save: try await save()
    case .sync: begin { try await $0.syncNow() }
    case .waitUntilCaughtUp: begin { try await $0.waitUntilCaughtUp(timeout: .milliseconds(20)) }
    case .run: run()
    case .cancelRun: await cancelRun()
    case .pause: await synced.pause()
    case .resume: await synced.resume()
    case .switchOff: try await synced.store.handleSwitch(.turnOff(purge: false))
    case .switchOn: try await synced.store.handleSwitch(.turnOn)
    case .enterBackground: await synced.enterBackground()
    case .becomeActive: await synced.becomeActive()
    case .unfollow: try await synced.use([])
    case .follow: try await synced.use(transport)
    case .relaunch: try await relaunch()
    case .fault: changeFaults()
    }
    // Lets the other tasks go some way, a different one each time.
    for _ in 0..<Int.random(in: 0..<20, using: &random) { await Task.yield() }
  }

  private func save() async throws {
    let name = "item \(saved.count)"
    try await synced.store.write { try $0.insert("TodoItem", values: ["name": .text(name)]) }
    saved.insert(name)
  }

  private func begin(
    _ body: @escaping @Sendable (SyncedStore) async throws -> SyncReport
  ) {
    let synced = synced
    cycles.append(
      Task {
        do { _ = try await body(synced) } catch let error as SyncError {
          // That it was stopped, switched off or not caught up in time is part of the game.
          let expected: [SyncError.Code] = [.interrupted, .switchedOff, .notCaughtUp]
          guard expected.contains(error.code) else { throw error }
        }
      })
  }

  private func run() {
    guard running == nil else { return }
    let synced = synced
    running = Task { await synced.run { _ in } }
  }

  private func cancelRun() async {
    running?.cancel()
    await running?.value
    running = nil
  }

  private func relaunch() async throws {
    await synced.close()
    await cancelRun()
    for cycle in cycles { try await cycle.value }
    cycles = []
    synced = try await Self.open(folder)
    try await synced.use(transport)
  }

  private func changeFaults() {
    let isDown = Int.random(in: 0..<4, using: &random) == 0
    let rate = [0, 0.1, 0.3][Int.random(in: 0..<3, using: &random)]
    panel.update { controls in
      controls.isDown = isDown
      controls.delayMilliseconds = 0...3
      controls.rates = [
        .dropRequest: rate, .loseReply: rate, .duplicate: rate, .delay: rate, .delayAnswer: rate,
      ]
    }
  }

  /// Ends all that runs, and syncs what is left.
  ///
  /// - Returns: The names of everything that was saved.
  func comeToRest() async throws -> Set<String> {
    panel.update { $0 = FaultControls() }
    try await relaunch()
    try await synced.store.handleSwitch(.turnOn)
    let report = try await synced.waitUntilCaughtUp(timeout: .seconds(60))
    #expect(report.error == nil)
    let store = synced.store
    #expect(try await store.read { try $0.brokenInvariants() }.isEmpty)
    #expect(try await store.status(deviceName: "controlled").allSatisfy { $0.pending == 0 })
    await synced.close()
    return saved
  }
}
