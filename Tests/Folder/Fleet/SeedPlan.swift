import Foundation
import StrandlineModels

/// Which seeds run: a share of a hundred, as many as `STRANDLINE_RUNS` asks for, or one to replay.
struct SeedPlan {
  let seeds: [UInt64]
  /// Whether one failure is looked at again, so that nothing is asked of all runs together.
  let isReplay: Bool

  init(_ scenario: FolderScenario) {
    let variables = ProcessInfo.processInfo.environment
    if let name = variables["STRANDLINE_SCENARIO"], name != scenario.name {
      seeds = []
      isReplay = true
    } else if let seed = variables["STRANDLINE_SEED"].flatMap(UInt64.init) {
      seeds = [seed]
      isReplay = true
    } else {
      let runs = variables["STRANDLINE_RUNS"].flatMap(UInt64.init) ?? 100
      let isAlone = variables["STRANDLINE_SCENARIO"] != nil
      seeds = Array(1...max(1, isAlone ? runs : runs * UInt64(scenario.share) / 100))
      isReplay = false
    }
  }
}
