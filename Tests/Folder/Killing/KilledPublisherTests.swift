import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTestSupport
import Testing

/// A writer that is killed while it publishes leaves whole groups, or nothing of them.
@Suite(.timeLimit(.minutes(30))) struct KilledPublisherTests {
  private static let occurrences = 6
  private static let randomKills = 20

  let world: PublisherWorld

  init() async throws {
    world = try await PublisherWorld()
  }

  /// Each transaction that the reader sees at all has its four items.
  private func expectWholeTransactions(_ place: String) async throws {
    let read = try await world.read()
    #expect(read.values.allSatisfy { $0 == 4 }, "\(place): \(read)")
  }

  /// What was published stands as it was, unless its writer removed it.
  private func expectUnchanged(_ before: [String: String], _ place: String) throws {
    let after = try world.segments()
    for (path, state) in before where after[path] != nil {
      #expect(after[path] == state, "\(place): \(path) was written again.")
    }
  }

  private func expectEverythingAtTheEnd(_ place: String) async throws {
    let outcome = try await world.writer(transactions: 1).run()
    #expect(outcome.code == 0, "\(place): \(outcome.output)\(outcome.error)")
    let written = try await world.written()
    #expect(try await world.read() == written, "\(place)")
    #expect(world.temporaries().isEmpty, "\(place)")
  }

  @Test(arguments: WriteStep.allCases)
  func `a writer killed at a step of publishing loses nothing and shows no half`(
    step: WriteStep
  ) async throws {
    for occurrence in 1...Self.occurrences {
      let place = "\(step), \(occurrence)"
      let before = try world.segments()
      let outcome = try await world.writer(
        transactions: 4, killedAt: "\(step)", occurrence: occurrence
      ).run()

      #expect(outcome.wasKilled, "\(place): \(outcome.output)\(outcome.error)")
      // Only the owner removes what it left behind.
      let left = world.temporaries()
      #expect(left.isEmpty == (step == .begun || step == .renamed), "\(place): \(left)")
      try await expectWholeTransactions(place)
      #expect(world.temporaries() == left, "\(place)")
      try expectUnchanged(before, place)
    }
    try await expectEverythingAtTheEnd("\(step)")
  }

  @Test func `a writer killed at random moments loses nothing and shows no half`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let start = ContinuousClock.now
    let whole = try await world.writer(transactions: 5).run()
    let duration = ContinuousClock.now - start
    #expect(whole.code == 0, "\(whole.output)\(whole.error)")
    var kills = 0
    for round in 1...Self.randomKills {
      let place = "seed \(seed), round \(round)"
      let before = try world.segments()
      let running = try world.writer(transactions: 5).start()
      // The moment of the kill is the input of this test; nothing waits for something to be done.
      try await Task.sleep(for: duration * Double.random(in: 0...1, using: &random))
      running.kill()
      let outcome = try await running.outcome()
      #expect(outcome.wasKilled || outcome.code == 0, "\(place): \(outcome.output)\(outcome.error)")
      if outcome.wasKilled { kills += 1 }
      try await expectWholeTransactions(place)
      try expectUnchanged(before, place)
    }
    #expect(kills > 0, "seed \(seed)")
    try await expectEverythingAtTheEnd("seed \(seed)")
  }
}
