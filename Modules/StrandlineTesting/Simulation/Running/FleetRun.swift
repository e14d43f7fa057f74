import Foundation
import Strandline
import StrandlineFaults
import StrandlineMemoryTransport

/// One run of a simulated fleet: real stores, real effects and the real authority, one step at a
/// time.
///
/// Everything happens on the run's own executor, one thing after the other, so a plan gives the
/// same run each time.
actor FleetRun {
  private let executor = QueueExecutor(label: "strandline.simulation")
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Later than the system's clock for a long time, since plain SQL clients use that one.
  static let start: Int64 = 2_500_000_000_000

  let plan: FleetPlan
  let scene: FleetScene
  let place: FleetPlace
  let time = VirtualTime(startingAt: start)
  let server: WatchedServer
  let edits: RandomEdits
  var devices: [SimulatedDevice] = []
  var ledger = FleetLedger()
  var trace = FleetTrace()
  var counts = FleetCounts()
  var findings: [String] = []
  var serverBackup: MemoryCloud.Backup?
  var nextWriter = 1
  /// What has happened so far, which decides what may be asked of the fleet in the end.
  var met: Set<FleetHazard> = []
  /// How much time the plan let pass by itself, in milliseconds.
  var timePassed: Int64 = 0

  init(_ plan: FleetPlan, _ scene: FleetScene) throws {
    self.plan = plan
    self.scene = scene
    place = try FleetPlace()
    var random = SeededGenerator(seed: plan.seed ^ 0x5EED)
    server = WatchedServer(
      time: time, seed: random.next(), limits: Self.limits(plan, &random))
    edits = RandomEdits(seed: random.next(), excluded: scene.ownEntities)
  }

  private static func limits(
    _ plan: FleetPlan, _ random: inout SeededGenerator
  ) -> AuthorityLimits {
    var limits = AuthorityLimits()
    if plan.hazards.contains(.smallPages) {
      limits.transport.pageRecords = Int.random(in: 1...4, using: &random)
    }
    if plan.hazards.contains(.absences) { limits.silenceMilliseconds = shortSilence }
    return limits
  }

  // MARK: Playing

  /// Plays the plan, heals the fleet, and looks at what is there then.
  func play() async -> FleetPlay {
    do {
      try await begin()
      for action in plan.actions {
        try await play(action)
        // What follows from a finding says nothing new.
        if !findings.isEmpty { break }
      }
      if findings.isEmpty { try await heal() }
      if findings.isEmpty { try await judge() }
    } catch {
      findings.append("It threw: \(error)")
    }
    await end()
    return FleetPlay(findings: findings, traceHash: trace.hash, counts: counts)
  }

  /// Lets the first devices join and make themselves known to the zone, whose fence then waits
  /// for them.
  private func begin() async throws {
    for number in 1...max(1, plan.deviceCount) {
      try await join(seed: plan.seed &+ UInt64(number) &* 0x9E37_79B9)
      var random = SeededGenerator(seed: plan.seed)
      try await runCycle(number - 1, &random)
    }
    if plan.hazards.contains(.serverRestores) { serverBackup = try server.cloud.backUp() }
  }

  private func play(_ action: FleetAction) async throws {
    let index = action.device % devices.count
    var random = action.random
    time.advance(by: Int64.random(in: 1...40, using: &random))
    trace.add("\(action.kind.rawValue) \(index)")
    counts.count("action: " + action.kind.rawValue)
    try await perform(action.kind, index, &random)
    try await look(at: min(index, devices.count - 1))
  }

  private func perform(
    _ kind: FleetAction.Kind, _ index: Int, _ random: inout SeededGenerator
  ) async throws {
    switch kind {
    case .edit: try await edit(index, &random)
    case .editRapidly: try await editRapidly(index, &random)
    case .editByOtherClient: try editByOtherClient(index, &random)
    case .deleteMany: try await deleteMany(index, &random)
    case .runCycle: try await runCycle(index, &random)
    case .takeSteps: try await takeSteps(index, Int.random(in: 1...6, using: &random), &random)
    case .passTime: passTime(&random)
    case .changeLink: changeLink(index, &random)
    case .mendLink: mendLink(index)
    case .expireCursor: expireCursor(index)
    case .kill: try await kill(index)
    case .losePower: try await losePower(index)
    case .backUpDevice: try backUpDevice(index)
    case .restoreDevice: try await restoreDevice(index)
    case .cloneDevice: try await cloneDevice(index, &random)
    case .wipeDevice: try await wipeDevice(index, &random)
    case .join: if devices.count < 6 { try await join(seed: random.next(), isLate: true) }
    case .setClockWrong: setClockWrong(index, &random)
    case .setClockRight: devices[index].clock.setRight()
    case .stayAway: try await stayAway(index, &random)
    case .backUpServer: serverBackup = try server.cloud.backUp()
    case .restoreServer: try restoreServer(&random)
    case .purgeZone: try purgeZone()
    case .answerQuestion: try await answerQuestion(index)
    case .signOut: signOut(index, &random)
    case .useOtherAccount: try useOtherAccount(index)
    case .signIn: devices[index].login.state = .available(Self.account)
    case .refuseRecords: refuseRecords(index, &random)
    case .takeRecords: takeRecords(index)
    case .switchOff: try await devices[index].store?.handleSwitch(.turnOff(purge: false))
    case .switchOn: try await devices[index].store?.handleSwitch(.turnOn)
    case .upgradeModel: try await upgradeModel(index)
    case .prune: try await devices[index].store?.prune(RetentionPolicy(historyDays: 0))
    }
  }

  /// Closes everything, and adds up what happened.
  private func end() async {
    for index in devices.indices {
      counts.add(faultsOf: devices[index].panel)
      close(index)
    }
    for (name, count) in server.counts { counts.count(name, count) }
    counts.count("facts that were lost with the only one that held them", ledger.lost)
  }
}

/// What is the same for all runs of a simulation.
struct FleetScene: Sendable {
  let schema: Schema
  let newerSchema: Schema?
  let ownEntities: Set<String>
  let templates: StoreTemplates
  let edit: FleetSimulation.Edit?
  let check: FleetSimulation.Check?
}

/// What one playing of a plan came to.
struct FleetPlay: Sendable {
  var findings: [String]
  var traceHash: UInt64
  var counts: FleetCounts
}

/// What happened in a run, as one number and as far as it can be compared.
struct FleetTrace {
  private var stable = StableHash()
  var hash: UInt64 { stable.value }

  mutating func add(_ text: String) {
    stable.add(text)
  }
}

extension FleetCounts {
  fileprivate mutating func add(faultsOf panel: FaultPanel) {
    let counts = panel.counts
    for (fault, number) in counts.faults { count("fault: \(fault.rawValue)", number) }
    count("fault: link down", counts.down)
    count("fault: account", counts.wrongAccount)
    count("fault: record refused", counts.refusedRecords)
    count("calls", counts.calls)
  }
}
