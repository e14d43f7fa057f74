import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// The release gate as a program, against all transports and against what can be wrong with them.
@Suite(.timeLimit(.minutes(30))) struct VerifyTests {
  private let folder: TemporaryFolder
  private let server: ServerProcess

  init() throws {
    folder = try TemporaryFolder()
    server = ServerProcess(in: folder)
    try folder.makeFolder("tmp")
  }

  private func process(
    _ transport: String, _ options: String..., temporary: String? = nil
  ) throws -> ChildProcess {
    // The program keeps what is temporary where TMPDIR says.
    ChildProcess(
      folder: folder, executable: "/usr/bin/env",
      arguments: [
        "TMPDIR=" + (temporary ?? folder.path("tmp")), try BuiltProgram.path(), "--home",
        folder.path("home"), "--device", "operator", "--transport", transport,
      ] + options + ["verify"])
  }

  /// The gates by name, and how each ended.
  private func outcomes(_ outcome: Outcome) throws -> [String: String] {
    var found: [String: String] = [:]
    for object in try outcome.objects() {
      guard let gate = object["gate"], let name = gate["name"]?.string else { continue }
      found[name] = gate["outcome"]?.string
    }
    return found
  }

  private static let gates: Set<String> = [
    "peer", "environment", "devices", "saveOnA", "exportOnA", "importOnB", "mergedOnB", "logOnB",
    "peerShows", "liveViewOnB", "rapidToggles", "foreground", "bothWays", "offlineIsHonest",
    "signedOutIsUsable", "failureErasesNothing", "editingIsFree", "killedFirstImport",
    "otherProcess", "purge", "removal",
  ]

  private func expectAllPass(
    _ outcome: Outcome, notApplicable: Set<String> = [],
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let found = try outcomes(outcome)
    #expect(outcome.code == 0, "\(outcome.output)\(outcome.error)", sourceLocation: location)
    #expect(Set(found.keys) == Self.gates, sourceLocation: location)
    let others = found.filter { $0.value != "passed" }
    #expect(
      others == Dictionary(uniqueKeysWithValues: notApplicable.map { ($0, "notApplicable") }),
      "\(outcome.output)", sourceLocation: location)
    try expectNothingLeft(at: location)
  }

  private func expectNothingLeft(at location: SourceLocation = #_sourceLocation) throws {
    #expect(try folder.names(in: "tmp") == [], sourceLocation: location)
    #expect(try devicesRunning() == 0, sourceLocation: location)
  }

  /// How many devices of this test still run.
  private func devicesRunning() throws -> Int { try devices().count }

  /// The processes of devices of this test.
  private func devices() throws -> [Int32] {
    let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc")
    return processes.compactMap { Int32($0) }.filter { id in
      guard
        let words = FileManager.default.contents(atPath: "/proc/\(id)/cmdline"),
        let variables = FileManager.default.contents(atPath: "/proc/\(id)/environ")
      else { return false }
      return String(decoding: words, as: UTF8.self).contains("verify-device")
        && String(decoding: variables, as: UTF8.self).contains(folder.url.path)
    }
  }

  @Test func `every gate passes with the cloud in memory`() async throws {
    let outcome = try await process("memory", "--json").run()

    try expectAllPass(outcome)
    let sum = try #require(try outcome.objects().last?["verification"])
    #expect(sum["passed"]?.integer == Int64(Self.gates.count))
    #expect(sum["processes"]?.bool == false)
  }

  @Test func `every gate passes with a folder, by processes, and the zone is purged`()
    async throws
  {
    try folder.makeFolder("shared")

    let outcome = try await process("directory:" + folder.path("shared"), "--json").run()

    try expectAllPass(outcome, notApplicable: ["signedOutIsUsable"])
    let files = FileManager.default.enumerator(atPath: folder.path("shared"))?.allObjects ?? []
    #expect(files.compactMap { $0 as? String }.filter { $0.hasSuffix(".seg") } == [])
  }

  @Test func `every gate passes with a server, and each trouble is named`() async throws {
    try await server.start()
    let token = try await server.signUp("ann")
    let options = ["--token-file", token, "--json"]
    func verify(_ more: String...) async throws -> Outcome {
      try await ChildProcess(
        folder: folder, executable: "/usr/bin/env",
        arguments: try process(server.address).arguments.dropLast() + options + more + ["verify"]
      ).run()
    }

    try expectAllPass(try await verify())

    // Development has learned the model; production has not been told.
    let unknown = try await verify("--environment", "production")
    #expect(unknown.code == 4, "\(unknown.error)")
    #expect(try outcomes(unknown)["environment"] == "failed")
    #expect(unknown.output.contains("production does not know"))
    #expect(unknown.error.contains("deploy"), "\(unknown.error)")
    #expect(try outcomes(unknown)["exportOnA"] == "notRun")
    try expectNothingLeft()

    try await server.admin("schema", "deploy", "--yes")
    try expectAllPass(try await verify("--environment", "production"))

    try folder.write("wrong\n", to: "token")
    let signedOut = try await verify()
    #expect(signedOut.code == 4, "\(signedOut.error)")
    #expect(try outcomes(signedOut)["peer"] == "failed")
    #expect(signedOut.error.contains("token"), "\(signedOut.error)")

    try await server.kill()
    let stopped = try await verify()
    #expect(stopped.code == 4, "\(stopped.error)")
    #expect(try outcomes(stopped)["peer"] == "failed")
    #expect(stopped.error.contains("Could not verify"), "\(stopped.error)")
    try expectNothingLeft()
  }

  @Test(.enabled(if: Mount.isPossible))
  func `a full disk is named, whether it is the folder's or the devices'`() async throws {
    let disk = try await Mount.disk(kibibytes: 24)
    defer { Task { try await disk.end() } }
    let shared = try await process("directory:" + disk.folder, "--json").run()
    #expect(shared.code != 0)
    #expect(
      (shared.output + shared.error).contains("full")
        || (shared.output + shared.error).contains("space"), "\(shared.output)\(shared.error)")
    try expectNothingLeft()

    let small = try await Mount.disk(kibibytes: 64)
    defer { Task { try await small.end() } }
    try folder.makeFolder("shared")
    let devices = try await process(
      "directory:" + folder.path("shared"), "--json", temporary: small.folder
    ).run()
    #expect(devices.code != 0)
    #expect(
      devices.output.contains("full") || devices.output.contains("space"),
      "\(devices.output)\(devices.error)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: small.folder) == [])
    #expect(try devicesRunning() == 0)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `an interruption leaves nothing behind`(_ signal: Int32) async throws {
    try folder.makeFolder("shared")
    let running = try process("directory:" + folder.path("shared"), "--json").start()
    defer { running.kill() }
    while try !running.printed().contains("saveOnA") {
      try Task.checkCancellation()
      await Task.yield()
    }

    _ = Foundation.kill(running.id, signal)
    let outcome = try await running.outcome()

    #expect(outcome.code == 130, "\(outcome)")
    #expect(try outcomes(outcome)["purge"] == "passed")
    #expect(try outcomes(outcome)["otherProcess"] == nil)
    try expectNothingLeft()
  }

  @Test func `a device that dies fails its gate and leaves nothing behind`() async throws {
    try folder.makeFolder("shared")
    let running = try process("directory:" + folder.path("shared"), "--json").start()
    defer { running.kill() }
    while try !running.printed().contains("saveOnA") {
      try Task.checkCancellation()
      await Task.yield()
    }

    for id in try devices() { _ = Foundation.kill(id, SIGKILL) }
    let outcome = try await running.outcome()

    #expect(outcome.code == 1, "\(outcome)")
    #expect(outcome.output.contains("the process of device"), "\(outcome.output)")
    #expect(try outcomes(outcome)["purge"] == "passed")
    try expectNothingLeft()
  }

  @Test func `without a transport it says what to do`() async throws {
    let outcome = try await process("none").run()

    #expect(outcome.code == 4)
    #expect(outcome.error.contains("no transport is configured"))
  }
}
