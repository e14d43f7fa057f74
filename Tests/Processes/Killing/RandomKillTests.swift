import Foundation
import Strandline
import StrandlineModels
import StrandlineSyncEngine
import StrandlineTestSupport
import Testing

/// A device that is killed at moments nobody chose.
@Suite(.timeLimit(.minutes(60))) struct RandomKillTests {
  private static let isSoak = ProcessInfo.processInfo.environment["STRANDLINE_SOAK"] != nil
  private static let kills = isSoak ? 300 : 12
  private static let seed =
    ProcessInfo.processInfo.environment["STRANDLINE_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 0...UInt64.max)

  @Test(arguments: MeetingPlace.allCases)
  func `F1, F2, F3: a device killed at random moments loses nothing and doubles nothing`(
    meeting: MeetingPlace
  ) async throws {
    let world = try await KilledWorld(meeting)
    var random = SeededGenerator(seed: Self.seed)
    var kills = 0
    for attempt in 1...(4 * Self.kills) where kills < Self.kills {
      let comment = "\(meeting), seed \(Self.seed), attempt \(attempt)"
      if attempt.isMultiple(of: 4) { try await world.editOnReader() }
      world.nextRound()
      let running = try world.writer("edit:\(world.round):3").start()
      try await wait(for: Int.random(in: 0...5, using: &random), on: running)
      // The moment of the kill is the input of this test; nothing waits for something to be done.
      try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000, using: &random)))
      running.kill()
      let outcome = try await running.outcome()
      world.note(outcome)
      if outcome.wasKilled {
        kills += 1
      } else {
        #expect(outcome.code == 0, "\(comment): \(outcome.output)\(outcome.error)")
      }
      // Most restarts meet what the killed process left; looking inside would tidy it up.
      if attempt.isMultiple(of: 5) { try await world.expectWhole(comment) }
    }
    #expect(kills == Self.kills, "seed \(Self.seed)")
    try await world.expectWhole("\(meeting), seed \(Self.seed), at the end")
  }

  /// Waits until a process has said so many lines, or has ended.
  private func wait(for lines: Int, on running: Running) async throws {
    let end = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < end {
      let printed = try running.printed()
      if printed.split(separator: "\n").count >= lines || printed.hasSuffix("done\n") { return }
      await Task.yield()
    }
    running.kill()
    throw SetupError(description: "The process said nothing: \(try await running.outcome())")
  }
}
