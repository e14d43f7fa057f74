import Foundation
import Testing

/// Ten thousand random steps of all writers on a store, against a model that knows no SQL.
///
/// A failure names its seed and step; `STRANDLINE_SEED=… swift test --filter RandomStepTests`
/// plays just that one, and `STRANDLINE_STEPS=…` sets the number of steps of each seed.
@Suite struct RandomStepTests {
  private static let seeds: UInt64 = 8
  private static let stepsPerSeed = 1_250

  @Test(arguments: 1...seeds)
  func `a store holds what the model says after every step`(seed: UInt64) async throws {
    let variables = ProcessInfo.processInfo.environment
    var seed = seed
    if let given = variables["STRANDLINE_SEED"] {
      guard seed == 1 else { return }
      seed = try #require(UInt64(given))
    } else if seed == Self.seeds {
      // One history is new each time.
      seed = .random(in: .min ... .max)
    }
    let steps = try variables["STRANDLINE_STEPS"].map { try #require(Int($0)) }
    do {
      try await StepWorld(seed: seed).play(steps: max(1, steps ?? Self.stepsPerSeed))
    } catch {
      Issue.record("replay with STRANDLINE_SEED=\(seed): \(error)")
    }
  }
}
