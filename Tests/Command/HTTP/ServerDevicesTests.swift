import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// Devices on a server, all of them programs.
@Suite(.timeLimit(.minutes(30))) struct ServerDevicesTests {
  private let folder: TemporaryFolder
  private let server: ServerProcess

  init() throws {
    folder = try TemporaryFolder()
    server = ServerProcess(in: folder)
  }

  private func device(_ name: String, token: String, _ options: String...) -> CommandDevice {
    CommandDevice(
      name, in: folder, transport: server.address, options: ["--token-file", token] + options)
  }

  /// Starts the server with one account, and makes two devices of it.
  private func begin() async throws -> (phone: CommandDevice, laptop: CommandDevice) {
    try await server.start()
    let token = try await server.signUp("ann")
    return (device("phone", token: token), device("laptop", token: token))
  }

  private func expectEqual(
    _ devices: (phone: CommandDevice, laptop: CommandDevice),
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    for device in [devices.phone, devices.laptop, devices.phone, devices.laptop] {
      try await device.succeed("sync", at: location)
    }
    let rows = try await devices.phone.allRows()
    #expect(!rows.isEmpty, sourceLocation: location)
    #expect(try await devices.laptop.allRows() == rows, sourceLocation: location)
  }

  /// Waits until a watch has shown a listing that is wanted.
  private func wait(
    for names: [String], done: Bool? = nil, on watch: Running
  ) async throws {
    while true {
      let lines = try watch.printed().split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines.dropLast() {
        let records = try JSONValue(parsing: String(line))["watch"]?["records"]?.elements ?? []
        let found = records.compactMap { $0["fields"]?["name"]?.string }
        let values = records.compactMap { $0["fields"]?["done"]?.bool }
        if found == names, done.map({ [$0] == values }) ?? true { return }
      }
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test func `what one device saves and toggles, the other one shows while it watches`()
    async throws
  {
    let (phone, laptop) = try await begin()
    let item = try await phone.succeed("save", "TodoItem", "name=milk")
    try await phone.succeed("sync")
    let watch = try laptop.process(["--json", "watch", "TodoItem"]).start()
    defer { watch.kill() }
    try await wait(for: ["milk"], done: false, on: watch)

    try await phone.succeed("toggle", item, "done")
    try await phone.succeed("sync")

    try await wait(for: ["milk"], done: true, on: watch)
    watch.kill()
    _ = try await watch.outcome()
    try await expectEqual((phone, laptop))
  }

  @Test func `a record that is edited on the server shows on a device that watches`()
    async throws
  {
    let (phone, _) = try await begin()
    let item = try await phone.succeed("save", "TodoItem", "name=milk")
    try await phone.succeed("sync")
    let watch = try phone.process(["--json", "watch", "TodoItem"]).start()
    defer { watch.kill() }
    try await wait(for: ["milk"], on: watch)

    try await server.admin(
      "record", "set", "--account", "ann", "--zone", "default", "TodoItem", item,
      "name=oat milk")

    try await wait(for: ["oat milk"], on: watch)
    watch.kill()
    _ = try await watch.outcome()
    let history = try await phone.succeed("history", item)
    #expect(history.contains("imported from \(server.address)"))
  }

  @Test func `a server that is killed and started again has everything it had acknowledged`()
    async throws
  {
    let devices = try await begin()
    for round in 1...5 {
      try await devices.phone.succeed("save", "TodoItem", "name=phone \(round)")
      try await devices.phone.succeed("sync")
      try await server.kill()
      try await devices.laptop.succeed("save", "TodoItem", "name=laptop \(round)")
      let offline = try await devices.laptop.run(["sync"])
      #expect(offline.code == 4)
      #expect(offline.error.contains(server.address.trimmingPrefix("http://")))
      try await server.start()
    }
    try await expectEqual(devices)
    #expect(try await devices.phone.shell("SELECT count(*) FROM TodoItem") == "10")
  }

  @Test func `a revoked token stops the sync and nothing else, and a new one resumes it`()
    async throws
  {
    let devices = try await begin()
    try await devices.phone.succeed("save", "TodoItem", "name=milk")
    try await devices.phone.succeed("sync")
    try await server.admin("token", "revoke", "1")

    try await devices.phone.succeed("save", "TodoItem", "name=bread")
    let refused = try await devices.phone.run(["sync"])
    #expect(refused.code == 4)
    #expect(refused.error.contains("revoked"))
    #expect(try await devices.phone.shell("SELECT count(*) FROM TodoItem") == "2")

    _ = try await server.makeToken("ann")
    try await expectEqual(devices)
  }

  @Test func `accounts see nothing of each other`() async throws {
    try await server.start()
    let phone = device("phone", token: try await server.signUp("ann", file: "ann"))
    let other = device("other", token: try await server.signUp("bob", file: "bob"))
    try await phone.succeed("save", "TodoItem", "name=secret")
    try await phone.succeed("sync")
    try await other.succeed("sync")
    #expect(try await other.shell("SELECT count(*) FROM TodoItem") == "0")
  }

  @Test func `an empty server in place of the known one takes and deletes nothing`()
    async throws
  {
    let (phone, _) = try await begin()
    try await phone.succeed("save", "TodoItem", "name=milk")
    try await phone.succeed("sync")
    try await server.kill()
    try FileManager.default.removeItem(atPath: folder.path("server"))
    try await server.start()
    _ = try await server.signUp("ann")

    let outcome = try await phone.run(["sync"])

    #expect(outcome.code != 0)
    #expect(outcome.error.contains("zone"))
    #expect(try await phone.shell("SELECT name FROM TodoItem") == "'milk'")
    #expect(try await !server.admin("--json", "zone", "list").contains("default"))
  }

  @Test func `a server put back from a backup gets again what it has lost`() async throws {
    let devices = try await begin()
    try await devices.phone.succeed("save", "TodoItem", "name=before")
    try await expectEqual(devices)
    try await server.admin("backup", folder.path("backup"))
    try await devices.phone.succeed("save", "TodoItem", "name=after")
    try await expectEqual(devices)
    _ = try await server.stop()

    let outcome = try await server.run(["restore", folder.path("backup"), "--yes"])
    #expect(outcome.code == 0)
    #expect(outcome.error.contains("Devices compare"), "what it means for devices is said")
    try await server.start()

    try await devices.laptop.succeed("save", "TodoItem", "name=later")
    try await expectEqual(devices)
    #expect(try await devices.phone.shell("SELECT count(*) FROM TodoItem") == "3")
  }

  @Test func `production takes what was deployed, and says what to deploy`() async throws {
    try await server.start()
    let token = try await server.signUp("ann")
    let developer = device("developer", token: token)
    let phone = device("phone", token: token, "--environment", "production")
    try await phone.succeed("save", "TodoItem", "name=milk")

    let refused = try await phone.run(["sync"])
    #expect(refused.code == 4)
    #expect(refused.error.contains("production does not know"))
    #expect(refused.error.contains("strandline-server schema deploy"))

    try await developer.succeed("save", "TodoItem", "name=sample")
    try await developer.succeed("sync")
    let difference = try await server.admin("schema", "deploy", "--dry-run")
    #expect(difference.contains("TodoItem"))
    #expect(try await phone.run(["sync"]).code == 4, "a dry run deploys nothing")
    try await server.admin("schema", "deploy", "--yes")
    try await phone.succeed("sync")
  }
}
