/// Looks for few actions of a failing plan that fail, too: delta debugging (Zeller and Hildebrandt,
/// "Simplifying and Isolating Failure-Inducing Input", 2002) over the list of actions.
struct PlanReduction {
  private(set) var plan: FleetPlan
  private var replaysLeft: Int

  init(_ plan: FleetPlan, replays: Int) {
    self.plan = plan
    replaysLeft = replays
  }

  /// Leaves out what is not needed, as far as the number of replays allows.
  ///
  /// - Parameter fails: Plays a plan, and tells whether it fails.
  mutating func run(_ fails: (FleetPlan) async -> Bool) async {
    var parts = 2
    while plan.actions.count > 1, replaysLeft > 0 {
      if await dropOnePart(of: parts, fails) {
        parts = max(2, parts - 1)
      } else if parts >= plan.actions.count {
        return
      } else {
        parts = min(plan.actions.count, parts * 2)
      }
    }
  }

  private mutating func dropOnePart(
    of parts: Int, _ fails: (FleetPlan) async -> Bool
  ) async -> Bool {
    let size = max(1, plan.actions.count / parts)
    for start in stride(from: 0, to: plan.actions.count, by: size).reversed() {
      guard replaysLeft > 0 else { return false }
      replaysLeft -= 1
      var smaller = plan
      smaller.actions.removeSubrange(start..<min(start + size, plan.actions.count))
      if await fails(smaller) {
        plan = smaller
        return true
      }
    }
    return false
  }
}
