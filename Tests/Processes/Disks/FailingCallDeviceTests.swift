import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// Calls of the system that fail, in whole programs: libfiu stands between them and the system.
///
/// What each call of the folder transport does when it fails is in
/// `DirectoryTransport/Failures/FailingCallTests`.
@Suite(.timeLimit(.minutes(60))) struct FailingCallDeviceTests {
  private static let isSoak = ProcessInfo.processInfo.environment["STRANDLINE_SOAK"] != nil
  private static let seed =
    ProcessInfo.processInfo.environment["STRANDLINE_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 0...UInt64.max)
  private static let places = [
    "before save", "before apply", "before gather", "before send", "before acknowledge",
    "before exchangeReceipts", "before end",
  ]
  private static let calls =
    [
      "posix/io/oc/open", "posix/io/rw/pwrite", "posix/io/sync/fdatasync", "posix/io/sync/fsync",
    ]
    + (isSoak
      ? [
        "posix/io/rw/pread", "posix/io/rw/read", "posix/io/rw/write", "posix/io/rw/ftruncate",
        "posix/io/dir/rename", "posix/io/dir/unlink", "posix/io/dir/readdir", "posix/io/oc/close",
        "posix/mm/mmap", "posix/io/net/connect", "posix/io/net/send", "posix/io/net/recv",
      ] : [])

  /// A program ends by itself, and what failed is said in a sentence.
  private func expectClean(_ outcome: Outcome, _ comment: String) {
    // The system's own thread pool looks at its threads in /proc, and ends the process where that
    // cannot be opened.
    if outcome.wasKilled, outcome.error.contains("_dispatch_workq_monitor_pools") { return }
    #expect(!outcome.wasKilled, "\(comment): \(outcome)")
    #expect([0, 1].contains(outcome.code), "\(comment): \(outcome)")
    for line in outcome.output.split(separator: "\n") where line.hasPrefix("failed ") {
      #expect(
        line.contains(/^failed \w+: Could not .+\.$/), "\(comment): \(line)")
    }
  }

  @Test(arguments: MeetingPlace.allCases)
  func `F7: a call of the system that fails once at any place is told and harms nothing`(
    meeting: MeetingPlace
  ) async throws {
    let world = try await KilledWorld(meeting)
    world.nextRound()
    world.note(try await world.writer("edit:\(world.round):2").run())
    try await world.syncReader()
    var told = 0
    for place in Self.places {
      for call in Self.calls {
        if call == Self.calls.first { try await world.editOnReader() }
        world.nextRound()
        let comment = "\(meeting), \(call) \(place)"
        let outcome = try await world.writer(
          "edit:\(world.round):2", at: place, action: call, under: try FailingCalls.wrapper()
        ).run()
        world.note(outcome)
        expectClean(outcome, comment)
        #expect(!outcome.output.contains("libfiu is not there"))
        if outcome.output.contains("failed ") { told += 1 }
      }
      try await world.expectWhole("\(meeting), calls that fail \(place)")
    }
    // A test that fails nothing would prove nothing.
    #expect(told > Self.places.count)
  }

  /// What libfiu lets fail at random cannot be replayed, so this is for long runs.
  @Test(.enabled(if: isSoak), arguments: MeetingPlace.allCases)
  func `F7: calls of the system that fail at random are told and harm nothing`(
    meeting: MeetingPlace
  ) async throws {
    let world = try await KilledWorld(meeting)
    var random = SeededGenerator(seed: Self.seed)
    world.nextRound()
    world.note(try await world.writer("edit:\(world.round):2").run())
    try await world.syncReader()
    var told = 0
    for attempt in 1...(Self.isSoak ? 200 : 12) {
      if attempt.isMultiple(of: 3) { try await world.editOnReader() }
      world.nextRound()
      let comment = "\(meeting), seed \(Self.seed), attempt \(attempt)"
      let chance = [0.002, 0.01, 0.05].randomElement(using: &random) ?? 0.01
      let wrapper = try FailingCalls.random(chance)
      let outcome = try await world.writer("edit:\(world.round):3", under: wrapper).run()
      world.note(outcome)
      expectClean(outcome, comment)
      if outcome.output.contains("failed ") { told += 1 }
      if attempt.isMultiple(of: 6) { try await world.expectWhole(comment) }
    }
    #expect(told > 0, "seed \(Self.seed)")
    try await world.expectWhole("\(meeting), seed \(Self.seed), at the end")
  }

  @Test func `F4, F7: after a sync to disk that failed, all of the log is written anew`()
    async throws
  {
    let world = try await KilledWorld(.folder)
    world.nextRound()
    world.note(try await world.writer("edit:\(world.round):1").run())
    world.nextRound()
    // The first save's cycle fails when it makes the save durable; the second one's goes on.
    let outcome = try await world.writer(
      "edit:\(world.round):2", at: "before gather", action: "posix/io/sync/fdatasync",
      under: try FailingCalls.wrapper()
    ).run()
    world.note(outcome)
    expectClean(outcome, "a failed sync")
    #expect(outcome.output.contains("failed inputOutput: "), "\(outcome.output)")
    #expect(outcome.output.contains("synced"), "\(outcome.output)")
    // The process ended without closing the store, so what it wrote after that stands in the log;
    // what was saved before the failure is in the file itself, which was synced.
    let copy = world.folder.path("copy.sqlite")
    try FileManager.default.copyItem(atPath: world.folder.path("writer/store.sqlite"), toPath: copy)
    let shell = try await ChildProcess(
      folder: world.folder, executable: try BuiltProgram.tool("sqlite3", package: "sqlite3"),
      arguments: [copy, "SELECT count(*) FROM Item WHERE name = 'writer-\(world.round)-1-a'"]
    ).run()
    #expect(shell.output == "1\n", "\(shell)")
    try await world.expectWhole("after a failed sync")
  }
}
