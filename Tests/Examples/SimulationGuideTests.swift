import Strandline
import StrandlineTesting
import Testing

// What the guide "Test your own model" shows, compiled and run.

struct Jar: Model {
  var id = RecordID()
  var owner = 0
  var coins = 0
}

/// A jar for each of two purposes; coins only move from one to the other.
enum Coins {
  static let all = 100

  @Sendable static func move(
    _ write: WriteTransaction, _ random: inout SeededGenerator, _ writer: FleetWriter
  ) throws {
    let ids = [writer.id(0), writer.id(1)]
    if try write.record("Jar", ids[0]) == nil {
      try write.save(Jar(id: ids[0], owner: writer.number, coins: all))
      try write.save(Jar(id: ids[1], owner: writer.number, coins: 0))
      return
    }
    let count = Int64.random(in: 1...5, using: &random)
    for (id, change) in [(ids[0], -count), (ids[1], count)] {
      let coins = try write.record("Jar", id)?["coins"].integer ?? 0
      try write.update("Jar", id, values: ["coins": .integer(coins + change)])
    }
  }

  @Sendable static func check(_ read: ReadTransaction) throws -> [String] {
    let jars = try read.fetch(Jar.self)
    return Dictionary(grouping: jars, by: \.owner).compactMap { owner, jars in
      let sum = jars.reduce(0) { $0 + $1.coins }
      return sum == all ? nil : "The jars of writer \(owner) hold \(sum) coins."
    }
  }
}

@Suite struct SimulationGuideTests {
  @Test func `no coin is lost, whatever happens to the devices`() async throws {
    let simulation = FleetSimulation(
      schema: try Schema([Jar.self]), ownEntities: ["Jar"], edit: Coins.move, check: Coins.check)

    for seed in 1...20 {
      let outcome = try await simulation.run(seed: UInt64(seed))
      #expect(outcome.findings.isEmpty, "\(outcome.report)")
    }
  }
}
