import StrandlineModels
import StrandlineTestSupport
import StrandlineTesting
import Testing

/// Fleets whose devices meet only through copies of a folder that a bad carrier keeps equal.
///
/// `STRANDLINE_RUNS=1000` plays more of them, `STRANDLINE_SCENARIO=plain` one kind only, and
/// `STRANDLINE_SEED` one run, as each failure says.
@Suite(.timeLimit(.minutes(600))) struct FolderFleetTests {
  private static let steps = 20...50
  /// After so many failing runs the others would only repeat them.
  private static let failureLimit = 5
  /// How much of what a run has found is told.
  private static let findingLimit = 6
  private static let lengthLimit = 400

  @Test(arguments: FolderScenario.all)
  func `devices whose folders are carried badly end equal`(scenario: FolderScenario) async throws {
    let plan = SeedPlan(scenario)
    let schema = try SampleSchema.todo()
    let place = try FleetPlace()
    let template = try await StoreFiles.template(schema, in: place)
    var counts = FleetCounts()
    var failures = 0
    for seed in plan.seeds where failures < Self.failureLimit {
      let fleet = FolderFleet(
        seed: seed, schema: schema, place: try FleetPlace(), template: template)
      let findings = try await Self.run(fleet, scenario, seed: seed)
      counts += await fleet.counts
      guard !findings.isEmpty else { continue }
      failures += 1
      Issue.record(
        """
        \(scenario.name), seed \(seed); replay with STRANDLINE_SCENARIO='\(scenario.name)' \
        STRANDLINE_SEED=\(seed) swift test --filter FolderFleetTests
        \(findings.prefix(Self.findingLimit).map { $0.prefix(Self.lengthLimit) }.joined(separator: "\n"))
        """)
    }
    if !plan.isReplay { Self.expectVariety(counts, scenario) }
  }

  private static func run(
    _ fleet: FolderFleet, _ scenario: FolderScenario, seed: UInt64
  ) async throws -> [String] {
    // The fleet's own numbers begin at the seed; these must be others.
    var random = SeededGenerator(seed: ~seed)
    let turns = scenario.turns(&random)
    do {
      try await fleet.begin(devices: Int.random(in: 2...4, using: &random))
      try await fleet.play(steps: Int.random(in: steps, using: &random), turns: turns)
      let restless = try await fleet.heal()
      let findings = try await fleet.findings(
        comparesConflicts: FolderScenario.comparesConflicts(turns))
      await fleet.end()
      return restless + findings
    } catch {
      await fleet.end()
      return ["The run stopped: \(error)"]
    }
  }

  /// A fault or a turn that never happens proves nothing.
  ///
  /// All faults are asked of the plain runs, of which there are many; few folders become empty
  /// where nobody removes files.
  private static func expectVariety(_ counts: FleetCounts, _ scenario: FolderScenario) {
    for turn in scenario.turns { #expect(counts.turns[turn, default: 0] > 0, "\(turn)") }
    let missing = Set(counts.copies.missingFaults)
    let folderRemoval = CopyFault.folderRemoval.rawValue
    if scenario.turns.contains(.tidied) { #expect(!missing.contains(folderRemoval)) }
    guard scenario == .plain else { return }
    #expect(missing.isSubset(of: [folderRemoval]))
    #expect(counts.copies.outOfOrder > 0)
    #expect(counts.copies.mended > 0)
    #expect(counts.restarts > 0)
    #expect(counts.offline > 0)
    #expect(counts.failures > 0)
  }
}
