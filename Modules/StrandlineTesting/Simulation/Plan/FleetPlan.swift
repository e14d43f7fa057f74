import StrandlineModels

/// Everything that a run will do, drawn from its seed before it begins.
public struct FleetPlan: Hashable, Sendable {
  /// The seed.
  public let seed: UInt64
  /// How many devices there are at the beginning.
  public let deviceCount: Int
  /// What the run may meet.
  public let hazards: Set<FleetHazard>
  /// What happens.
  public var actions: [FleetAction]

  /// Takes a plan as it was once drawn.
  package init(
    seed: UInt64, deviceCount: Int, hazards: Set<FleetHazard>, actions: [FleetAction]
  ) {
    self.seed = seed
    self.deviceCount = deviceCount
    self.hazards = hazards
    self.actions = actions
  }

  /// Draws the plan that belongs to a seed.
  public init(seed: UInt64, options: FleetOptions) {
    var random = SeededGenerator(seed: seed)
    self.seed = seed
    deviceCount = Int.random(in: options.devices, using: &random)
    var drawn: Set<FleetHazard> = []
    // Few kinds in some runs and many in others; one in ten has none.
    let share = [0, 10, 15, 20, 25, 25, 30, 30, 40, 60][Int.random(in: 0..<10, using: &random)]
    for hazard in FleetHazard.allCases {
      let isDrawn = Int.random(in: 0..<100, using: &random) < share
      if isDrawn && options.hazards.contains(hazard) { drawn.insert(hazard) }
    }
    if options.newerSchema == nil { drawn.remove(.upgrades) }
    hazards = drawn
    let weights = Self.weights(drawn, &random)
    let total = weights.reduce(0) { $0 + $1.weight }
    let count = Int.random(in: options.actions, using: &random)
    actions = (0..<count).map { _ in
      var left = Int.random(in: 0..<total, using: &random)
      let kind = weights.first { entry in
        left -= entry.weight
        return left < 0
      }
      return FleetAction(
        kind?.kind ?? .edit, device: Int.random(in: 0..<12, using: &random), seed: random.next())
    }
  }

  private static func weights(
    _ hazards: Set<FleetHazard>, _ random: inout SeededGenerator
  ) -> [(kind: FleetAction.Kind, weight: Int)] {
    var weights: [(kind: FleetAction.Kind, weight: Int)] = [
      (.edit, Int.random(in: 20...50, using: &random)),
      (.runCycle, Int.random(in: 6...30, using: &random)),
      (.takeSteps, Int.random(in: 6...40, using: &random)),
      (.passTime, 4),
    ]
    for hazard in FleetHazard.allCases where hazards.contains(hazard) {
      let factor = Int.random(in: 1...3, using: &random)
      weights += hazard.actions.map { ($0.kind, $0.weight * factor) }
    }
    return weights
  }
}
