import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// The real programs with clocks that are a year off, or stand still.
@Suite(.timeLimit(.minutes(30))) struct FakedClockTests {
  private let folder: TemporaryFolder
  private let server: ServerProcess

  init() async throws {
    folder = try TemporaryFolder()
    server = ServerProcess(in: folder)
    try await FakedClock.prepare(in: folder)
  }

  private func device(_ name: String) async throws -> ProgramDevice {
    if server.address.isEmpty { try await server.start() }
    if !FileManager.default.fileExists(atPath: folder.path("token")) {
      _ = try await server.signUp("anna")
    }
    return ProgramDevice(
      name, in: folder, transport: server.address, token: folder.path("token"))
  }

  @Test(arguments: [
    FakedClock("+1y"), FakedClock("-1y"), FakedClock.frozen, FakedClock("+1y", isForWaits: true),
    FakedClock("-1y", isForWaits: true),
  ])
  func `F19: an own later edit beats an own earlier one, whatever the clock says`(
    clock: FakedClock
  ) async throws {
    let phone = try await device("phone")
    let tag = try await phone.succeed("--local", "save", "Tag", "name=one")
    try await phone.succeed("--local", "set", tag, "name=two", under: clock.wrapper(in: folder))
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

  @Test(arguments: [FakedClock("-1y"), FakedClock.frozen])
  func `F19: a device whose clock is behind or stands still syncs as any other`(
    clock: FakedClock
  ) async throws {
    let (phone, laptop) = (try await device("phone"), try await device("laptop"))
    let tag = try await phone.succeed("save", "Tag", "name=one", under: clock.wrapper(in: folder))
    try await phone.succeed("sync", under: clock.wrapper(in: folder))
    try await laptop.succeed("sync")
    try await laptop.succeed("set", tag, "name=two")
    try await laptop.succeed("sync")
    try await phone.succeed("sync", under: clock.wrapper(in: folder))
    #expect(try await phone.tags() == ["two"])
    // It has seen the other's stamp, so its later edit wins although its clock is behind.
    try await phone.succeed("set", tag, "name=three", under: clock.wrapper(in: folder))
    try await phone.succeed("sync", under: clock.wrapper(in: folder))
    try await laptop.succeed("sync")
    #expect(try await laptop.tags() == ["three"])
    #expect(try await phone.tags() == ["three"])
  }

  @Test func `F19: a device a year ahead is refused with the amount and wins over nobody`()
    async throws
  {
    let clock = FakedClock("+1y")
    let (phone, laptop) = (try await device("phone"), try await device("laptop"))
    let tag = try await laptop.succeed("save", "Tag", "name=one")
    try await laptop.succeed("sync")
    try await phone.succeed("sync")

    try await phone.succeed("--local", "set", tag, "name=ahead", under: clock.wrapper(in: folder))
    let refused = try await phone.run("sync", under: clock.wrapper(in: folder))

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
    server.wrapper = FakedClock(shown).wrapper(in: folder)
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

  @Test(arguments: [FakedClock("+1y"), FakedClock("-1y"), FakedClock.frozen])
  func `F19: neither a server nor a device that watches runs in circles under a wrong clock`(
    clock: FakedClock
  ) async throws {
    server.wrapper = clock.wrapper(in: folder)
    let (phone, laptop) = (try await device("phone"), try await device("laptop"))
    try await phone.succeed("sync", under: clock.wrapper(in: folder))
    let watch = try phone.process(
      ["--json", "watch", "Tag"], under: clock.wrapper(in: folder)
    ).start()
    defer { watch.kill() }
    try await wait(for: "the watch") { try watch.printed().contains("\"watch\"") }

    let start = ContinuousClock.now
    let before = try processorTicks(of: watch.id, server.processID)
    for round in 1...5 {
      try await laptop.succeed("save", "Tag", "name=tag \(round)", under: clock.wrapper(in: folder))
      try await laptop.succeed("sync", under: clock.wrapper(in: folder))
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
