import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// Several processes use one store at the same time: one of them syncs, all of them save.
///
/// The device's safety net comes once a day, so that nothing but what a process notices makes it
/// sync.
@Suite(.timeLimit(.minutes(30))) struct ManyProcessesTests {
  let folder: TemporaryFolder
  let phone: CommandDevice
  let laptop: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("shared")
    let transport = "directory:" + folder.path("shared")
    phone = CommandDevice("phone", in: folder, transport: transport)
    laptop = CommandDevice("laptop", in: folder, transport: transport)
    try folder.write(#"{"schedule": {"everySeconds": 86400}}"#, to: "phone/strandline.json")
  }

  /// Gives a program a terminal of its own and writes what appears there into a file.
  private static let terminal = """
    import os, pty, sys
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.argv[2], sys.argv[2:])
    screen = open(sys.argv[1], "wb", 0)
    while True:
        try:
            shown = os.read(terminal, 4096)
        except OSError:
            break
        if not shown:
            break
        screen.write(shown)
    """

  /// A process of the phone at its prompt, where it syncs by itself, and its number.
  private struct Prompt {
    let terminal: Running
    let process: Int32

    /// Ends the process as a power cut would; its terminal ends with it.
    func kill() async throws {
      _ = Foundation.kill(process, SIGKILL)
      _ = try await terminal.outcome()
    }
  }

  /// Starts a process at a terminal, whose screen is the file of that name.
  private func startPrompt(screen: String = "screen") throws -> Running {
    try folder.write("", to: screen)
    return try ChildProcess(
      folder: folder, executable: try BuiltProgram.tool("python3", package: "python3"),
      arguments: ["-c", Self.terminal, folder.path(screen), try BuiltProgram.path()]
        + phone.options
    ).start()
  }

  /// Starts a process and waits until it has the right to sync.
  private func prompt() async throws -> Prompt {
    let before = try await holder()
    let terminal = try startPrompt()
    while true {
      if let process = try await holder(), process != before {
        return Prompt(terminal: terminal, process: process)
      }
    }
  }

  /// The process that syncs the phone's store, as another process is told.
  private func holder() async throws -> Int32? {
    let status = try await phone.succeed("--local", "status")
    guard let match = status.firstMatch(of: /synced by +process (\d+) \(strandline\)/) else {
      return nil
    }
    return Int32(match.1)
  }

  /// Waits until the phone's other process has exported everything, which it is not asked to do.
  private func waitUntilNothingIsPending() async throws {
    while true {
      let status = try await phone.object("--local", "status")
      if status["status"]?["pending"]?["total"]?.integer == 0 { return }
    }
  }

  private func expectOnLaptop(
    _ names: String..., at location: SourceLocation = #_sourceLocation
  ) async throws {
    try await laptop.succeed("sync")
    let found = try await laptop.shell("SELECT name FROM Tag ORDER BY name")
    #expect(found == names.map { "'\($0)'" }.joined(separator: "\n"), sourceLocation: location)
  }

  @Test func `a save of another process is exported by the one that syncs`() async throws {
    try await phone.succeed("sync")
    let prompt = try await prompt()
    try await phone.succeed("--local", "save", "Tag", "name=a")
    try await waitUntilNothingIsPending()
    try await phone.succeed("--local", "save", "Tag", "name=b")
    try await waitUntilNothingIsPending()
    try await prompt.kill()

    try await expectOnLaptop("a", "b")
  }

  @Test func `what the sqlite3 shell writes is exported by the process that syncs`() async throws {
    try await phone.succeed("sync")
    let prompt = try await prompt()
    try await phone.shell("INSERT INTO Tag(name) VALUES ('from the shell')")
    try await waitUntilNothingIsPending()
    try await prompt.kill()

    try await expectOnLaptop("from the shell")
    let history = try await phone.run(["--local", "--json", "history"]).objects()
    #expect(history.last?["transaction"]?["origin"]?.string == "anotherClient")
  }

  @Test func `saves made while no process synced are exported when one does`() async throws {
    try await phone.succeed("sync")
    try await phone.succeed("--local", "save", "Tag", "name=a")
    try await phone.shell("INSERT INTO Tag(name) VALUES ('b')")
    let prompt = try await prompt()
    try await waitUntilNothingIsPending()
    try await prompt.kill()

    try await expectOnLaptop("a", "b")
  }

  @Test func `a second process that syncs is told of the first, and may when that has died`()
    async throws
  {
    try await phone.succeed("sync")
    let first = try await prompt()

    let refused = try await phone.run(["sync"])
    #expect(refused.code == 3)
    #expect(
      refused.error.contains(
        "Could not sync the store, process \(first.process) (strandline) syncs it already."),
      "\(refused.error)")

    try await first.kill()
    try await phone.succeed("sync")
  }

  @Test func `a process that waits for the right to sync takes it over`() async throws {
    try await phone.succeed("sync")
    let first = try await prompt()
    // It begins to wait for the lease now, and shows what it was refused.
    let waiting = try startPrompt(screen: "waiting")
    while try !folder.read("waiting").contains("process \(first.process) (strandline)") {
      await Task.yield()
    }

    try await first.kill()
    var second = try await holder()
    while second == nil { second = try await holder() }
    try await phone.succeed("--local", "save", "Tag", "name=a")
    try await waitUntilNothingIsPending()
    try await Prompt(terminal: waiting, process: try #require(second)).kill()

    #expect(second != first.process)
    try await expectOnLaptop("a")
  }
}
