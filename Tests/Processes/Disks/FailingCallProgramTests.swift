import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// The real programs while calls of the system fail at random.
@Suite(.timeLimit(.minutes(60))) struct FailingCallProgramTests {
  private static let isSoak = ProcessInfo.processInfo.environment["STRANDLINE_SOAK"] != nil
  private static let chances = isSoak ? [0.001, 0.005, 0.02, 0.05] : [0.005, 0.03]
  private static let rounds = isSoak ? 40 : 3

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A program is not ended by a signal, and what it could not do is said in a sentence.
  private func expectClean(
    _ outcome: Outcome, at location: SourceLocation = #_sourceLocation
  ) {
    #expect(!outcome.wasKilled, "\(outcome)", sourceLocation: location)
    if outcome.code != 0 {
      #expect(outcome.error.contains("Could not "), "\(outcome)", sourceLocation: location)
    }
  }

  /// After all is well again the devices have everything that they had said was saved.
  private func expectEqual(_ devices: [ProgramDevice], have saved: Set<String>) async throws {
    for device in devices + devices { try await device.succeed("sync") }
    for device in devices {
      let tags = try await device.tags()
      #expect(saved.isSubset(of: tags))
      #expect(Set(tags).count == tags.count, "doubled")
      #expect(try await tags == devices[0].tags())
      let check = try await device.run("--local", "sql", "PRAGMA integrity_check")
      #expect(check.output.contains("ok"), "\(check)")
      #expect(try await device.status()["pending"]?["total"]?.integer == 0)
    }
  }

  /// What libfiu lets fail at random cannot be replayed, so this is for long runs.
  @Test(.enabled(if: isSoak), arguments: chances)
  func `F7: devices whose calls fail at random say so and lose nothing that was saved`(
    chance: Double
  ) async throws {
    try folder.makeFolder("shared")
    let transport = "directory:" + folder.path("shared")
    let devices = ["phone", "laptop"].map {
      ProgramDevice($0, in: folder, transport: transport)
    }
    for device in devices { try await device.succeed("sync") }
    let wrapper = try FailingCalls.random(chance)
    var saved: Set<String> = []
    for round in 1...Self.rounds {
      for device in devices {
        let name = "\(device.name) \(round)"
        let outcome = try await device.run(
          "--local", "save", "Tag", "name=\(name)", under: wrapper)
        expectClean(outcome)
        if outcome.code == 0 { saved.insert(name) }
        expectClean(try await device.run("sync", under: wrapper))
      }
    }
    try await expectEqual(devices, have: saved)
  }

  @Test func `F7: a server whose calls fail refuses in words, and goes on when they do not`()
    async throws
  {
    let server = ServerProcess(in: folder)
    let pipes = folder.path("fiu")
    server.wrapper = try FailingCalls.wrapper(pipes: pipes)
    try await server.start()
    let token = try await server.signUp("anna")
    let devices = ["phone", "laptop"].map {
      ProgramDevice($0, in: folder, transport: server.address, token: token)
    }
    for device in devices { try await device.succeed("sync") }
    let process = try #require(server.processID)
    var saved: Set<String> = []
    var refusals = 0
    for (name, chance) in [("rw/pwrite", 0.2), ("sync/*", 0.5), ("rw/pread", 0.2)] {
      let command = "enable_random name=posix/io/\(name),probability=\(chance)"
      try await FailingCalls.command(command, process: process, pipes: pipes, in: folder)
      for round in 1...2 {
        for device in devices {
          let tag = "\(device.name) \(name) \(round)"
          try await device.succeed("--local", "save", "Tag", "name=\(tag)")
          saved.insert(tag)
          let outcome = try await device.run("sync")
          expectClean(outcome)
          if outcome.code != 0 { refusals += 1 }
        }
      }
      try await FailingCalls.command(
        "disable name=posix/io/\(name)", process: process, pipes: pipes, in: folder)
      try await expectEqual(devices, have: saved)
    }
    #expect(refusals > 0)
    #expect(server.processID == process && kill(process, 0) == 0)
    #expect(try await server.stop()?.code == 0)
    try await server.admin("check")
  }
}
