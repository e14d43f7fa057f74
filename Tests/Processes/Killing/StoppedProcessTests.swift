import Foundation
import Strandline
import StrandlineModels
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import Testing

/// A process that the system stops for a while, as a laptop that sleeps, goes on without harm.
@Suite(.timeLimit(.minutes(30))) struct StoppedProcessTests {
  /// Waits until the kernel shows a process as stopped.
  private func waitUntilStopped(_ running: Running) async throws {
    let end = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < end {
      let status = (try? String(contentsOfFile: "/proc/\(running.id)/stat", encoding: .utf8)) ?? ""
      // The letter behind the name in parentheses.
      if status.split(separator: ")").last?.split(separator: " ").first == "T" { return }
      await Task.yield()
    }
    running.kill()
    throw SetupError(description: "The process did not stop: \(try await running.outcome())")
  }

  @Test(arguments: MeetingPlace.allCases)
  func `F34: a device stopped before any step goes on without a stale write`(
    meeting: MeetingPlace
  ) async throws {
    let world = try await KilledWorld(meeting)
    world.nextRound()
    world.note(try await world.writer("edit:\(world.round):1").run())
    for place in ["before apply", "after gather", "after send", "before exchangeReceipts"] {
      world.nextRound()
      let stopped = try world.writer("edit:\(world.round):1", at: place, action: "stop").start()
      try await waitUntilStopped(stopped)
      // Meanwhile the others go on, and another process saves into the same store.
      for _ in 0..<3 { try await world.editOnReader() }
      try await saveBeside(world)
      _ = kill(stopped.id, SIGCONT)
      let outcome = try await stopped.outcome()
      world.note(outcome)
      #expect(outcome.code == 0, "\(place): \(outcome.output)\(outcome.error)")
      try await world.expectWhole("\(meeting), \(place)")
    }
  }

  /// Another process saves into the writer's store; this one does in its place.
  private func saveBeside(_ world: KilledWorld) async throws {
    let store = try await Store.open(
      .file(world.folder.path("writer/store.sqlite")), schema: try StepperModel.schema(),
      options: StoreOptions(mayCreate: false))
    let last = try await store.read { read in
      try read.records(Query("Setting")).first { $0["key"] == .text("last") }?.id
    }
    let id = try #require(last)
    try await store.write { try $0.update("Setting", id, values: ["value": .text("beside")]) }
    store.close()
  }

  @Test func `F22, F34: a stopped process keeps the lease, and a killed one frees it`()
    async throws
  {
    let world = try await KilledWorld(.server)
    world.nextRound()
    world.note(try await world.writer("edit:\(world.round):1").run())
    world.nextRound()
    let stopped = try world.writer("edit:\(world.round):1", at: "after send", action: "stop")
      .start()
    try await waitUntilStopped(stopped)

    let refused = try await world.writer("import").run()
    #expect(refused.code == 1)
    #expect(
      refused.output.contains(
        "failed leaseHeld: Could not sync the store, process \(stopped.id) (StepperFixture)"),
      "\(refused.output)")

    // It has sent its group and has not noted that; the next process sends nothing twice.
    stopped.kill()
    world.note(try await stopped.outcome())
    try await world.expectWhole("after the kill")
  }

  @Test func `F34: a device that was stopped while its stream of hints died opens it again`()
    async throws
  {
    let folder = try TemporaryFolder()
    let server = ServerProcess(in: folder)
    try await server.start()
    let token = try await server.signUp("anna")
    let phone = ProgramDevice("phone", in: folder, transport: server.address, token: token)
    let laptop = ProgramDevice("laptop", in: folder, transport: server.address, token: token)
    try await phone.succeed("sync")
    let watch = try phone.process(["--json", "watch", "Tag"]).start()
    defer { watch.kill() }
    try await laptop.succeed("save", "Tag", "name=before")
    try await laptop.succeed("sync")
    try await wait(for: "the first tag") { try watch.printed().contains("before") }
    kill(watch.id, SIGSTOP)
    try await waitUntilStopped(watch)
    try await server.kill()
    try await server.start()
    try await laptop.succeed("save", "Tag", "name=meanwhile")
    try await laptop.succeed("sync")

    kill(watch.id, SIGCONT)

    try await wait(for: "the tag saved meanwhile") { try watch.printed().contains("meanwhile") }
    try await laptop.succeed("save", "Tag", "name=later")
    try await laptop.succeed("sync")
    try await wait(for: "the tag saved later") { try watch.printed().contains("later") }
  }
}
