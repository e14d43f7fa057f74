import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// A process that is killed at any moment leaves a whole store and a folder that can be read.
struct KilledImportTests {
  private static let kills = 50
  /// Rows of each import that is killed; with all of them the test takes more than 90 seconds.
  private static let sliceCount = 1000

  let folder: TemporaryFolder
  let phone: CommandDevice
  let laptop: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("shared")
    let transport = "directory:" + folder.path("shared")
    phone = CommandDevice("phone", in: folder, transport: transport, model: Subdivisions.model)
    laptop = CommandDevice("laptop", in: folder, transport: transport, model: Subdivisions.model)
  }

  private func commands(_ file: String) -> [String] {
    ["-c", "import '\(file)' Subdivision --map code=id parent=parentCode", "-c", "sync"]
  }

  /// How long a run takes that nobody ends, in a home of its own.
  private func measure(_ file: String) async throws -> Duration {
    try folder.makeFolder("measured-share")
    let device = CommandDevice(
      "measured", in: folder, transport: "directory:" + folder.path("measured-share"),
      model: Subdivisions.model)
    let start = ContinuousClock.now
    let outcome = try await device.run(commands(file))
    #expect(outcome.code == 0, "\(outcome.error)")
    return ContinuousClock.now - start
  }

  @Test func `fifty kills in the middle of imports lose nothing and double nothing`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    do {
      try await killAndFinish(seed: seed)
    } catch {
      Issue.record("\(error), with the seed \(seed)")
    }
  }

  private func killAndFinish(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let subdivisions = try Subdivisions()
    func write(_ round: Int) throws {
      let text = subdivisions.slice(Self.sliceCount, mark: " ·\(round)·")
      try folder.write(text, to: "round.json")
    }
    try write(0)
    var duration = try await measure(folder.path("round.json"))
    var kills = 0
    for round in 1...(4 * Self.kills) where kills < Self.kills {
      // Each round changes every name, so that there is always something to kill.
      try write(round)
      let start = ContinuousClock.now
      let running = try phone.process(commands(folder.path("round.json"))).start()
      let delay = Double.random(in: 0...1, using: &random)
      // The moment of the kill is what is random here; nothing waits for something to be done.
      try await Task.sleep(for: duration * delay)
      running.kill()
      let outcome = try await running.outcome()
      if outcome.wasKilled {
        kills += 1
      } else {
        #expect(outcome.code == 0, "seed \(seed), round \(round): \(outcome.error)")
        duration = min(duration, ContinuousClock.now - start)
      }
      // Most restarts meet what the killed process left; looking inside would tidy it up.
      if round.isMultiple(of: 10) { try await expectWholeTransactions(seed, round) }
    }
    #expect(kills == Self.kills, "seed \(seed)")
    try await finish(subdivisions, seed)
  }

  /// An import is there as a whole or not at all.
  private func expectWholeTransactions(_ seed: UInt64, _ round: Int) async throws {
    guard FileManager.default.fileExists(atPath: phone.store) else { return }
    let answer = try await phone.succeed(
      "--json", "sql",
      "SELECT count(*) AS rows, count(DISTINCT substr(name, instr(name, ' ·'))) AS rounds "
        + "FROM Subdivision")
    let json = try JSONValue(parsing: answer)
    let found = [json["rows"]?.integer, json["rounds"]?.integer]
    #expect(
      found == [0, 0] || found == [Int64(Self.sliceCount), 1],
      "seed \(seed), round \(round): \(answer)")
  }

  @Test func `kills while another device imports leave all or nothing`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    _ = try Subdivisions()
    let start = ContinuousClock.now
    let filled = try await phone.run(commands(Subdivisions.path))
    #expect(filled.code == 0, "\(filled.error)")
    let duration = (ContinuousClock.now - start) / 2

    var counts: Set<String> = []
    for _ in 1...10 {
      let running = try laptop.process(["sync"]).start()
      try await Task.sleep(for: duration * Double.random(in: 0...1, using: &random))
      running.kill()
      let outcome = try await running.outcome()
      #expect(outcome.wasKilled || outcome.code == 0, "seed \(seed): \(outcome.error)")
      counts.insert(try await laptop.succeed("--local", "count", "Subdivision"))
    }
    #expect(counts.isSubset(of: ["0", "5127"]), "seed \(seed)")
    try await laptop.succeed("sync")

    let rows = try await phone.rows(of: ["Subdivision"])
    #expect(try await laptop.rows(of: ["Subdivision"]) == rows, "seed \(seed)")
    #expect(try await laptop.shell("PRAGMA integrity_check") == "'ok'", "seed \(seed)")
  }

  private func finish(_ subdivisions: Subdivisions, _ seed: UInt64) async throws {
    let outcome = try await phone.run(commands(Subdivisions.path))
    #expect(outcome.code == 0, "seed \(seed): \(outcome.error)")
    for device in [laptop, phone, laptop] { try await device.succeed("sync") }

    let expected = subdivisions.dump()
    for device in [phone, laptop] {
      #expect(try await device.rows(of: ["Subdivision"]) == expected, "seed \(seed)")
      #expect(try await device.shell("PRAGMA integrity_check") == "'ok'", "seed \(seed)")
      #expect(try await device.shell("SELECT count(*) FROM Subdivision") == "5127")
    }
    let status = try await laptop.object("status")
    #expect(status["status"]?["standing"]?.string == "caughtUp", "seed \(seed): \(status.text)")
  }
}
