import Foundation
import StrandlineModels
import StrandlineTesting
import Testing

@Suite struct SimulationTests {
  /// The runs that are asked for: `STRANDLINE_SEED` replays one, `STRANDLINE_RUNS` sets how many
  /// there are, and `STRANDLINE_FIRST_SEED` with which they begin.
  private struct Seeds {
    let seeds: [UInt64]
    let isReplay: Bool
    /// Runs that are far fewer than usual need not show everything that is rare.
    var isComplete: Bool { !isReplay && seeds.count >= 500 }

    init() {
      let variables = ProcessInfo.processInfo.environment
      if let seed = variables["STRANDLINE_SEED"].flatMap(UInt64.init) {
        (seeds, isReplay) = ([seed], true)
        return
      }
      let first = variables["STRANDLINE_FIRST_SEED"].flatMap(UInt64.init) ?? 1
      let count = variables["STRANDLINE_RUNS"].flatMap(UInt64.init) ?? 500
      (seeds, isReplay) = (Array(first..<(first + max(1, count))), false)
    }
  }

  /// Plays seeds, a few at the same time, until some of them have failed.
  private func play(
    _ seeds: [UInt64], _ simulation: FleetSimulation, failures most: Int = 5
  ) async throws -> (counts: FleetCounts, failures: [FleetOutcome]) {
    var counts = FleetCounts()
    var failures: [FleetOutcome] = []
    try await withThrowingTaskGroup(of: FleetOutcome.self) { group in
      var rest = seeds[...]
      for seed in rest.prefix(2) { group.addTask { try await simulation.run(seed: seed) } }
      rest = rest.dropFirst(2)
      while let outcome = try await group.next() {
        counts.add(outcome.counts)
        if !outcome.findings.isEmpty {
          failures.append(outcome)
          print(outcome.report)
        }
        if failures.count >= most { return group.cancelAll() }
        if let seed = rest.popFirst() { group.addTask { try await simulation.run(seed: seed) } }
      }
    }
    return (counts, failures)
  }

  @Test func `500 runs of whole fleets heal, agree, and lose nothing`() async throws {
    let wanted = Seeds()
    let simulation = try SimulatedModel.simulation()
    let clock = ContinuousClock()
    let start = clock.now
    let (counts, failures) = try await play(wanted.seeds, simulation)
    if ProcessInfo.processInfo.environment["STRANDLINE_SOAK"] != nil {
      print("\(wanted.seeds.count) runs in \(clock.now - start):\n\(counts)")
    }
    for failure in failures { Issue.record("\(failure.report)") }
    if wanted.isComplete, failures.isEmpty {
      for name in RareThings.names where counts[name] == 0 {
        Issue.record("No run of these had: \(name).")
      }
    }
  }

  @Test func `runs that failed once do not fail again`() async throws {
    let simulation = try SimulatedModel.simulation(hasSettings: false)
    let withSettings = try SimulatedModel.simulation()
    let all =
      SeedsThatFailed.all.map { ($0.fault, $0.plan, simulation) }
      + SeedsThatFailed.withSettings.map { ($0.fault, $0.plan, withSettings) }
    for (fault, plan, simulation) in all {
      let outcome = try await simulation.run(plan)
      #expect(outcome.findings.isEmpty, "\(fault)\n\(outcome.report)")
    }
  }

  @Test func `a seed gives the same run each time`() async throws {
    let simulation = try SimulatedModel.simulation()
    for seed in [3, 5, 8, 13, 21, 34] as [UInt64] {
      let first = try await simulation.run(seed: seed)
      let second = try await simulation.run(seed: seed)

      #expect(first.traceHash == second.traceHash, "seed \(seed)")
      #expect(first.counts == second.counts, "seed \(seed)")
    }
  }
}
