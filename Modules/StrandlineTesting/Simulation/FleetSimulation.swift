public import Strandline

/// A whole fleet of devices in one process, which does everything that can go wrong, from a seed.
///
/// Each device has a real store in a file and takes the real steps of the sync engine; they meet
/// over the real authority of a cloud in memory. A run edits, syncs step by step, kills, restores,
/// clones, loses messages and power, sets clocks wrong and puts the server back; then it heals
/// everything, lets the fleet come to rest, and compares all devices with each other, with the
/// cloud and with a ledger of all that was written.
///
/// ```swift
/// let simulation = FleetSimulation(schema: try Schema([Account.self]))
/// for seed in 1...100 {
///   let outcome = try await simulation.run(seed: UInt64(seed))
///   #expect(outcome.findings.isEmpty, "\(outcome.report)")
/// }
/// ```
///
/// The same seed and options give the same run. A run that finds something is played again with
/// fewer actions, and its report lists the few that are left.
public struct FleetSimulation: Sendable {
  /// Makes edits of an app's own in one transaction.
  ///
  /// All that is random in it must come from the random source, and new records need ids of the
  /// writer's; then a run can be played again.
  public typealias Edit =
    @Sendable (
      WriteTransaction, inout SeededGenerator, FleetWriter
    ) throws -> Void

  /// Looks for what must not be in a store, and gives one sentence each.
  ///
  /// It is asked on each device that is not catching up, whenever something happened to it.
  public typealias Check = @Sendable (ReadTransaction) throws -> [String]

  /// How large the fleets are, and what they may meet.
  public let options: FleetOptions
  private let scene: FleetScene

  /// Makes a simulation.
  ///
  /// - Parameters:
  ///   - schema: The model.
  ///   - options: How large the fleets are, and what they may meet.
  ///   - ownEntities: The names of entities that only `edit` touches; all others are edited at
  ///     random, too.
  ///   - edit: Makes edits of the app's own.
  ///   - check: Looks for what must not be in a store.
  public init(
    schema: Schema, options: FleetOptions = FleetOptions(), ownEntities: Set<String> = [],
    edit: Edit? = nil, check: Check? = nil
  ) {
    self.options = options
    scene = FleetScene(
      schema: schema, newerSchema: options.newerSchema, ownEntities: ownEntities,
      templates: StoreTemplates(), edit: edit, check: check)
  }

  /// Plays the run of a seed.
  ///
  /// - Parameter seed: What everything random follows from.
  /// - Returns: What was found, with the shortest list of actions that was found to show it.
  /// - Throws: What making the run's folder throws.
  public func run(seed: UInt64) async throws -> FleetOutcome {
    try await run(FleetPlan(seed: seed, options: options))
  }

  /// Plays a plan.
  ///
  /// - Parameter plan: What happens.
  /// - Returns: What was found, with the shortest list of actions that was found to show it.
  /// - Throws: What making the run's folder throws.
  public func run(_ plan: FleetPlan) async throws -> FleetOutcome {
    let play = try await FleetRun(plan, scene).play()
    guard !play.findings.isEmpty else { return FleetOutcome(plan: plan, play: play) }
    var reduction = PlanReduction(plan, replays: options.replays)
    var last = play
    await reduction.run { smaller in
      do {
        let replay = try await FleetRun(smaller, scene).play()
        guard !replay.findings.isEmpty else { return false }
        last = replay
        return true
      } catch {
        // A run that cannot begin shows nothing.
        return false
      }
    }
    var outcome = FleetOutcome(plan: reduction.plan, play: last)
    outcome.traceHash = play.traceHash
    outcome.counts = play.counts
    return outcome
  }
}

/// What one run came to.
public struct FleetOutcome: Sendable {
  /// What was played; of a run that found something, the fewest actions that still do.
  public let plan: FleetPlan
  /// What must not be, one sentence each; empty where all is well.
  public let findings: [String]
  /// A number that is the same for runs in which the same happened.
  public internal(set) var traceHash: UInt64
  /// How often each thing happened.
  public internal(set) var counts: FleetCounts

  init(plan: FleetPlan, play: FleetPlay) {
    self.plan = plan
    findings = play.findings
    traceHash = play.traceHash
    counts = play.counts
  }

  /// The seed, what was met, the actions and what was found, to be read by a person.
  public var report: String {
    let hazards = plan.hazards.map(\.rawValue).sorted().joined(separator: ", ")
    let actions = plan.actions.enumerated().map { number, action in
      "  \(number + 1). device \(action.device) \(action.kind.rawValue) (seed \(action.seed))"
    }
    let head = "seed \(plan.seed): \(plan.deviceCount) devices, hazards: \(hazards)"
    return ([head] + actions + findings.prefix(12)).joined(separator: "\n")
      + "\nReplay it with STRANDLINE_SEED=\(plan.seed)."
  }
}
