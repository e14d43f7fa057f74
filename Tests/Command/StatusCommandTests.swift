import StrandlineModels
import StrandlineTestSupport
import Testing

/// What the program tells of what was observed.
@Suite(.timeLimit(.minutes(10))) struct StatusCommandTests {
  private let folder: TemporaryFolder
  private let phone: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("share")
    phone = CommandDevice("phone", in: folder, transport: "directory:" + folder.path("share"))
  }

  /// Waits until a program printed what is asked for.
  private func wait(for running: Running, until isReached: (String) -> Bool) async throws {
    while try !isReached(running.printed()) {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test func `the status tells the first launch and each kind of activity by itself`()
    async throws
  {
    let before = try await phone.object("status")["status"]
    #expect(before?["firstLaunch"]?.string == "checking")
    #expect(before?["activities"]?["import"]?["outcome"]?.string == "notObserved")
    try await phone.succeed("save", "Tag", "name=a")
    try await phone.succeed("sync")

    let after = try await phone.object("status")["status"]
    #expect(after?["firstLaunch"]?.string == "hasRecords")
    for kind in ["setup", "import", "export"] {
      let activity = after?["activities"]?[kind]
      #expect(activity?["outcome"]?.string == "succeeded", "\(kind)")
      #expect(activity?["lastSuccess"]?.string != nil, "\(kind)")
    }
    #expect(after?["deferred"] == .null)
  }

  @Test func `a status that is followed prints a line for each change, of others too`()
    async throws
  {
    let local = CommandDevice("phone", in: folder, options: ["--local"])
    try await phone.succeed("save", "Tag", "name=a")
    let follow = try local.process(["status", "--follow"]).start()
    try await wait(for: follow) { $0.contains("Checking") }

    try await phone.succeed("sync")
    try await wait(for: follow) { $0.contains("Caught up as of") }
    try await phone.succeed("save", "Tag", "name=b")
    try await wait(for: follow) { $0.contains("1 change waits to be put in the folder.") }
    follow.kill()

    let outcome = try await follow.outcome()
    for (line, next) in zip(outcome.lines, outcome.lines.dropFirst()) {
      #expect(line.dropFirst(8) != next.dropFirst(8))
    }
    #expect(!outcome.output.contains("\u{1B}["))
  }

  @Test func `a transaction is traced by its token`() async throws {
    try await phone.succeed("save", "Tag", "name=a")
    let saved = try await phone.object("trace", "1")["trace"]
    #expect(saved?["token"]?.string == "1")
    #expect(saved?["records"]?.integer == 1)
    #expect(saved?["peers"]?.elements?.first?["exported"] == .null)
    #expect(try await phone.succeed("trace", "1").contains("not observed"))

    try await phone.succeed("sync")
    let sent = try await phone.object("trace", "1")["trace"]
    #expect(sent?["peers"]?.elements?.first?["exported"]?.string != nil)

    let unknown = try await phone.run(["trace", "99"])
    #expect(unknown.code == 1)
    #expect(unknown.error.contains("history has no such transaction"))
  }

  @Test func `what happens beside the phases is listed with what there is to say`() async throws {
    try await phone.succeed("save", "Tag", "name=a")
    try await phone.succeed("sync")

    let outcome = try await phone.run(["--json", "events"])

    let events = try outcome.objects().compactMap { $0["event"] }
    #expect(events.contains { $0["kind"]?.string == "export" })
    #expect(events.allSatisfy { $0["interrupted"]?.bool == false })
    let migration = events.first { $0["kind"]?.string == "migration" }
    #expect(migration == nil || migration?["detail"]?.string?.contains("model") == true)
  }
}
