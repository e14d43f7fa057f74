import StrandlineModels
import Testing

/// The laws of the merge on random facts from alphabets so small that they keep meeting.
@Suite struct MergeLawTests {
  private static let manySeeds: Range<UInt64> = 0..<100_000
  private static let seeds: Range<UInt64> = 0..<15_000

  @Test func `a fact or many, in any order, portions and repetition give one state`() {
    for seed in Self.manySeeds {
      var random = SeededGenerator(seed: seed)
      let facts = RandomFacts.atoms(using: &random)
      let expected = RandomFacts.meaning(of: facts)
      var shuffled = facts.shuffled(using: &random)
      for fact in facts where Bool.random(using: &random) { shuffled.append(fact) }

      let straight = RandomFacts.merged(facts)
      let mixed = RandomFacts.merged(RandomFacts.portions(of: shuffled, using: &random))

      guard straight == expected, mixed == expected else {
        Issue.record("seed \(seed): \(facts)")
        return
      }
    }
  }

  @Test func `merging is commutative and associative over deltas`() {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed ^ 0xA5A5)
      let (a, b, c) = (
        RandomFacts.delta(using: &random), RandomFacts.delta(using: &random),
        RandomFacts.delta(using: &random)
      )

      let states = [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]]
        .map { RandomFacts.merged($0) }

      guard Set(states).count == 1 else {
        Issue.record("seed \(seed): \(a) \(b) \(c)")
        return
      }
    }
  }

  @Test func `merging the same delta again changes nothing and says so`() {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed ^ 0x5A5A)
      let deltas = (0..<3).map { _ in RandomFacts.delta(using: &random) }
      var state = RandomFacts.merged(deltas)
      let before = state

      let outcomes = deltas.map { state.merge($0) }

      guard state == before, outcomes.allSatisfy(\.isNothing) else {
        Issue.record("seed \(seed): \(deltas)")
        return
      }
    }
  }

  @Test func `an outcome is nothing exactly when the state stays as it was`() {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed ^ 0x1234)
      var state = RecordState()
      for _ in 0..<4 {
        let before = state
        let delta = RandomFacts.delta(using: &random)
        let outcome = state.merge(delta)
        guard outcome.isNothing == (state == before), outcome.isAlive == state.isAlive,
          outcome.wasAlive == before.isAlive
        else {
          Issue.record("seed \(seed): \(delta) into \(before)")
          return
        }
      }
    }
  }

  @Test func `every version that is neither kept nor known is named as a loser`() {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed ^ 0x4321)
      var state = RecordState()
      for _ in 0..<4 {
        let before = RandomFacts.kept(by: state)
        let delta = RandomFacts.delta(using: &random)
        let outcome = state.merge(delta)
        let after = RandomFacts.kept(by: state)
        let named = Set(outcome.losers.map { RandomFacts.Kept($0.property, $0.version) })
        let incoming = delta.versions.map { RandomFacts.Kept($0.key, $0.value) }
        let gone = before.union(incoming).subtracting(after)
        guard named == gone else {
          Issue.record("seed \(seed): \(named) for \(gone)")
          return
        }
      }
    }
  }
}
