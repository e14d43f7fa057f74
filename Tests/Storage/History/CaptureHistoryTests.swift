import Foundation
import StrandlineModels
import StrandlineStorage
import Testing

/// Random histories of Strandline's own transactions, other clients and imports, under clocks
/// that go forward, stand still and step back, against a model that knows no SQL.
///
/// A failure names its seed; `STRANDLINE_SEED=… swift test --filter CaptureHistoryTests` plays
/// just that one.
@Suite struct CaptureHistoryTests {
  private static let seedsPerWorld: UInt64 = 2_500

  @Test(arguments: 0..<4)
  func `a store holds what the rules say, whatever is written by whomever`(
    part: Int
  ) async throws {
    let first = UInt64(part) * Self.seedsPerWorld
    var seeds = first..<first + Self.seedsPerWorld
    if let given = ProcessInfo.processInfo.environment["STRANDLINE_SEED"] {
      let seed = try #require(UInt64(given))
      seeds = part == 0 ? seed..<seed + 1 : seed..<seed
    }
    let world = try await HistoryWorld()
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
