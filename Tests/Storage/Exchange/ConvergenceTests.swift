import Foundation
import StrandlineModels
import StrandlineStorage
import Testing

/// Three stores that have seen the same changes hold the same records, stamp by stamp.
@Suite struct ConvergenceTests {
  private static let seedsPerWorld: UInt64 = 300

  @Test(arguments: 0..<2)
  func `stores converge whatever the order, the portions and the repetitions`(
    part: Int
  ) async throws {
    let first = UInt64(part) * Self.seedsPerWorld
    var seeds = first..<first + Self.seedsPerWorld
    if let given = ProcessInfo.processInfo.environment["STRANDLINE_SEED"] {
      let seed = try #require(UInt64(given))
      seeds = part == 0 ? seed..<seed + 1 : seed..<seed
    }
    let world = try await ConvergenceWorld()
    for seed in seeds {
      do {
        try await world.play(seed: seed)
      } catch {
        Issue.record("replay with STRANDLINE_SEED=\(seed): \(error)")
        return
      }
    }
  }
}
