import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// The real programs with clocks that are a year off, or stand still.
@Suite(.timeLimit(.minutes(30))) struct FakedClockTests {
  /// What a clock shows, and whether the one that measures waits is faked with it.
  struct Clock: Sendable, CustomTestStringConvertible {
    let shown: String
    let isMonotonicReal: Bool
    var testDescription: String { shown + (isMonotonicReal ? ", waits are real" : "") }

    /// The words of a program under which the clock is that.
    func wrapper() throws -> [String] {
      let tool = try BuiltProgram.tool("faketime", package: "faketime")
      let variables = isMonotonicReal ? ["env", "FAKETIME_DONT_FAKE_MONOTONIC=1"] : []
      return variables + [tool, "-f", shown]
    }
  }

  private static let ahead = [
    Clock(shown: "+1y", isMonotonicReal: false), Clock(shown: "+1y", isMonotonicReal: true),
  ]
  private static let behind = [
    Clock(shown: "-1y", isMonotonicReal: false), Clock(shown: "-1y", isMonotonicReal: true),
    // Without a sign it stands still.
    Clock(shown: "2024-02-29 12:00:00", isMonotonicReal: true),
  ]

  private let folder: TemporaryFolder
  private let server: ServerProcess

  init() throws {
    folder = try TemporaryFolder()
    server = ServerProcess(in: folder)
  }

  private func device(_ name: String) async throws -> ProgramDevice {
    if server.address.isEmpty { try await server.start() }
    if !FileManager.default.fileExists(atPath: folder.path("token")) {
      _ = try await server.signUp("anna")
    }
    return ProgramDevice(
      name, in: folder, transport: server.address, token: folder.path("token"))
  }

  @Test(arguments: behind + ahead)
  func `F19: an own later edit beats an own earlier one, whatever the clock says`(
    clock: Clock
  ) async throws {
    let phone = try await device("phone")
    let tag = try await phone.succeed("--local", "save", "Tag", "name=one")
    try await phone.succeed("--local", "set", tag, "name=two", under: try clock.wrapper())
    #expect(try await phone.tags() == ["two"])
    try await phone.succeed("--local", "set", tag, "name=three")
    #expect(try await phone.tags() == ["three"])
    let stamps = try await phone.run(
      "--local", "--json", "sql", "SELECT stamp FROM strandline_log ORDER BY sequence")
    let found = try stamps.output.split(separator: "\n")
      .compactMap { try JSONValue(parsing: String($0))["stamp"]?.integer }
    #expect(found.count == 3)
    #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 }, "\(found)")
  }

  @Test(arguments: behind)
  func `F19: a device whose clock is behind or stands still syncs as any other`(
    clock: Clock
  ) async throws {
    let (phone, laptop) = (try await device("phone"), try await device("laptop"))
    let tag = try await phone.succeed("save", "Tag", "name=one", under: try clock.wrapper())
    try await phone.succeed("sync", under: try clock.wrapper())
    try await laptop.succeed("sync")
    try await laptop.succeed("set", tag, "name=two")
    try await laptop.succeed("sync")
    try await phone.succeed("sync", under: try clock.wrapper())
    #expect(try await phone.tags() == ["two"])
    // It has seen the other's stamp, so its later edit wins although its clock is behind.
    try await phone.succeed("set", tag, "name=three", under: try clock.wrapper())
    try await phone.succeed("sync", under: try clock.wrapper())
    try await laptop.succeed("sync")
    #expect(try await laptop.tags() == ["three"])
    #expect(try await phone.tags() == ["three"])
  }

  @Test(arguments: ahead)
  func `F19: a device a year ahead is refused with the amount and wins over nobody`(
    clock: Clock
  ) async throws {
    let (phone, laptop) = (try await device("phone"), try await device("laptop"))
    let tag = try await laptop.succeed("save", "Tag", "name=one")
    try await laptop.succeed("sync")
    try await phone.succeed("sync")

    try await phone.succeed("--local", "set", tag, "name=ahead", under: try clock.wrapper())
    let refused = try await phone.run("sync", under: try clock.wrapper())

    #expect(refused.code != 0)
    #expect(refused.error.contains(/36[45] days/), "\(refused.error)")
    let status = try await phone.status()
    #expect(status["standing"]?.string == "blocked", "\(status.text)")
    #expect(status["reason"]?.string?.contains(/36[45] days/) == true, "\(status.text)")
    #expect(status["pending"]?["total"]?.integer == 1)
    #expect(try await phone.tags() == ["ahead"])
    try await laptop.succeed("set", tag, "name=now")
    try await laptop.succeed("sync")
    #expect(try await laptop.tags() == ["now"])
  }

  @Test(arguments: ["+1y", "-1y"])
  func `F19: a server whose clock is wrong harms nothing, and is well again when it is right`(
    shown: String
  ) async throws {
    let (phone, laptop) = (try await device("phone"), try await device("laptop"))
    let tag = try await phone.succeed("save", "Tag", "name=one")
    try await phone.succeed("sync")
    try await server.kill()
    server.wrapper = try Clock(shown: shown, isMonotonicReal: true).wrapper()
    try await server.start()
    try await phone.succeed("set", tag, "name=two")

    let outcome = try await phone.run("sync")

    // A server a year behind takes this device for one that is ahead, and says so.
    #expect((outcome.code == 0) == (shown == "+1y"), "\(outcome.error)")
    if shown == "-1y" { #expect(outcome.error.contains(/36[45] days/), "\(outcome.error)") }
    #expect(try await phone.tags() == ["two"])
    try await server.kill()
    server.wrapper = []
    try await server.start()
    for device in [phone, laptop, phone, laptop] { try await device.succeed("sync") }
    #expect(try await laptop.tags() == ["two"])
    #expect(try await phone.status()["pending"]?["total"]?.integer == 0)
  }

  @Test(arguments: ["+1y", "-1y", "2024-02-29 12:00:00"])
  func `F19: neither a server nor a device that watches runs in circles under a wrong clock`(
    shown: String
  ) async throws {
    let clock = Clock(shown: shown, isMonotonicReal: true)
    server.wrapper = try clock.wrapper()
    let (phone, laptop) = (try await device("phone"), try await device("laptop"))
    try await phone.succeed("sync", under: try clock.wrapper())
    let watch = try phone.process(
      ["--json", "watch", "Tag"], under: try clock.wrapper()
    ).start()
    defer { watch.kill() }
    try await wait(for: "the watch") { try watch.printed().contains("\"watch\"") }

    let start = ContinuousClock.now
    let before = try processorTicks(of: watch.id, server.processID)
    for round in 1...5 {
      try await laptop.succeed("save", "Tag", "name=tag \(round)", under: try clock.wrapper())
      try await laptop.succeed("sync", under: try clock.wrapper())
      try await wait(for: "tag \(round)") { try watch.printed().contains("tag \(round)") }
    }

    // A loop that never waits would take all of one processor, whoever else wants it.
    let ticks = try processorTicks(of: watch.id, server.processID) - before
    let elapsed = ContinuousClock.now - start
    #expect(Double(ticks) / 100 < elapsed / .seconds(1), "\(ticks) ticks in \(elapsed)")
  }

  /// The processor time that processes have used, in hundredths of a second.
  private func processorTicks(of processes: Int32?...) throws -> Int {
    try processes.compactMap(\.self).reduce(0) { sum, process in
      let status = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      // Behind the name in parentheses: utime and stime are fields 14 and 15 of the line.
      let fields = status.split(separator: ")").last?.split(separator: " ") ?? []
      return sum + [11, 12].reduce(0) { $0 + (fields.count > $1 ? Int(fields[$1]) ?? 0 : 0) }
    }
  }
}
