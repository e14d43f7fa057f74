import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// History at the prompt: readers, pruning, differences and restoring.
struct HistoryCommandTests {
  let folder: TemporaryFolder
  let device: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    device = CommandDevice("phone", in: folder)
  }

  private func transactions(_ words: String...) async throws -> [JSONValue] {
    try await device.run(["--json", "history"] + words).objects()
      .compactMap { $0["transaction"] }
  }

  // MARK: Differences and restoring

  @Test func `history tells the values that a change took away`() async throws {
    let item = try await device.succeed("save", "TodoItem", "name=milk", "due=2026-12-24")
    try await device.succeed("set", item, "name=bread", "done=true")
    try await device.succeed("delete", item)

    let changes = try await transactions().flatMap { $0["changes"]?.elements ?? [] }

    #expect(changes.count == 3)
    #expect(changes[0]["preserved"] == .object([JSONValue.Member]()))
    #expect(changes[1]["preserved"]?["name"] == .string("milk"))
    #expect(changes[1]["preserved"]?["done"] == .bool(false))
    #expect(changes[2]["preserved"]?["due"] == .string("2026-12-24T00:00:00.000Z"))
    let text = try await device.succeed("history", item)
    #expect(text.contains("(before: name = milk, done = false)"))
  }

  @Test func `a deleted record is told apart from now, and brought back by its id`() async throws {
    let item = try await device.succeed("save", "TodoItem", "name=milk", "priority=2")
    try await device.succeed("delete", item)

    let difference = try await device.object("diff", item)["diff"]
    #expect(difference?["entity"] == .string("TodoItem"))
    #expect(difference?["existedThen"] == .bool(true))
    #expect(difference?["existsNow"] == .bool(false))
    let name = difference?["changes"]?.elements?.first
    #expect(name?["field"] == .string("name"))
    #expect(name?["old"] == .string("milk"))
    #expect(name?["held"] == .bool(true))
    #expect(name?["new"] == .null)

    let restored = try await device.object("restore", item)["restored"]
    #expect(restored?["id"] == .string(item))
    #expect(restored?["newLife"] == .bool(true))
    #expect(restored?["fields"]?.elements?.contains(.string("name")) == true)
    #expect(restored?["notHeld"] == .array([]))
    #expect(try await device.shell("SELECT name, priority FROM TodoItem") == "'milk',2")
  }

  @Test func `a record is brought back to a token that history showed`() async throws {
    let item = try await device.succeed("save", "TodoItem", "name=one", "priority=1")
    let token = try #require(try await transactions().last?["token"]?.integer)
    try await device.succeed("set", item, "name=two")
    try await device.succeed("set", item, "name=three", "priority=3")

    let text = try await device.succeed("diff", item, "\(token)")
    #expect(text.contains("one") && text.contains("three") && text.contains("at \(token)"))
    let outcome = try await device.run(["restore", item, "\(token)"])

    #expect(outcome.code == 0)
    #expect(outcome.error.contains("Saved TodoItem \(item), with the earlier name, priority."))
    #expect(try await device.shell("SELECT name, priority FROM TodoItem") == "'one',1")
    let again = try await device.run(["restore", item, "\(token)"])
    #expect(again.code == 0)
    #expect(again.error.contains("Nothing had to be brought back"))
  }

  @Test func `what is not held is said, and a record without any is not brought back`()
    async throws
  {
    let habit = try await device.succeed("save", "Habit", "name=Run")
    try await device.succeed("set", habit, "name=Walk")
    let difference = try await device.object("diff", habit)["diff"]?["changes"]?.elements?.first
    #expect(difference?["held"] == .bool(false))
    #expect(difference?["old"] == .null)
    try await device.succeed("delete", habit)

    let outcome = try await device.run(["restore", habit])

    #expect(outcome.code == 1)
    #expect(outcome.error.contains("none of its earlier values is held any more"))
  }

  @Test func `diff and restore work inside an open transaction`() async throws {
    let item = try await device.succeed("save", "TodoItem", "name=one")

    let outcome = try await device.run([
      "-c", "begin", "-c", "set \(item) name=two", "-c", "diff \(item)", "-c", "restore \(item)",
      "-c", "commit",
    ])

    #expect(outcome.code == 0, "\(outcome.error)")
    #expect(outcome.output.contains("two"))
    #expect(outcome.error.contains("Noted TodoItem"))
    #expect(try await device.shell("SELECT name FROM TodoItem") == "'one'")
  }

  @Test func `a value that lost is set again by its number, and leaves the list`() async throws {
    try folder.makeFolder("shared")
    let transport = "directory:" + folder.path("shared")
    let phone = CommandDevice("phone", in: folder, transport: transport)
    let laptop = CommandDevice("laptop", in: folder, transport: transport)
    let item = try await phone.succeed("save", "TodoItem", "name=first")
    for one in [phone, laptop] { try await one.succeed("sync") }
    try await phone.succeed("set", item, "name=from the phone")
    try await laptop.succeed("set", item, "name=from the laptop")
    for one in [phone, laptop, phone] { try await one.succeed("sync") }
    let conflict = try #require(
      try await phone.run(["--json", "conflicts"]).objects().first?["conflict"])
    #expect(conflict["lost"] == .string("from the phone"))
    let number = try #require(conflict["number"]?.integer)

    let restored = try await phone.object("conflicts", "restore", "\(number)")["restored"]

    #expect(restored?["fields"] == .array([.string("name")]))
    #expect(try await phone.succeed("--json", "conflicts") == "")
    #expect(try await phone.object("status")["status"]?["conflicts"] == .integer(0))
    for one in [phone, laptop] { try await one.succeed("sync") }
    #expect(try await laptop.shell("SELECT name FROM TodoItem") == "'from the phone'")
    let unknown = try await phone.run(["conflicts", "restore", "999"])
    #expect(unknown.code == 1)
    #expect(unknown.error.contains("999"))
  }

  @Test func `a value that lost to one whose history is pruned is listed`() async throws {
    let phone = CommandDevice("phone", in: folder, transport: "directory:" + folder.path("first"))
    let laptop = CommandDevice(
      "laptop", in: folder, transport: "directory:" + folder.path("second"))
    try folder.makeFolder("first")
    let item = try await phone.succeed("save", "TodoItem", "name=first")
    try await phone.succeed("sync")
    try await carry()
    try await laptop.succeed("sync")
    try await laptop.succeed("set", item, "name=from the laptop")
    try await laptop.succeed("sync")
    // Neither has read the other's edit when it publishes its own.
    try await phone.succeed("set", item, "name=from the phone")
    try await phone.succeed("sync")
    let pruned = try await phone.object("prune", "--keep", "0")["pruned"]
    #expect(pruned?["holds"] == .array([]))

    try await carry()
    try await phone.succeed("sync")

    #expect(try await phone.shell("SELECT name FROM TodoItem") == "'from the phone'")
    let conflicts = try await phone.run(["--json", "conflicts"]).objects()
    #expect(conflicts.compactMap { $0["conflict"]?["lost"]?.string } == ["from the laptop"])
  }

  /// Carries what each of two folders lacks to the other.
  private func carry() async throws {
    try folder.makeFolder("second")
    for (source, target) in [("first", "second"), ("second", "first")] {
      let outcome = try await ChildProcess(
        folder: folder, executable: "/bin/cp",
        arguments: ["-rn", folder.path(source) + "/.", folder.path(target)]
      ).run()
      #expect(outcome.code == 0, "\(outcome.error)")
    }
  }

  // MARK: Readers

  @Test func `a reader gets what is new once, and its place is kept`() async throws {
    for number in 1...3 { try await device.succeed("save", "Tag", "name=\(number)") }

    let first = try await device.run(["--json", "consume", "badge", "--limit", "2"]).objects()
    let second = try await device.run(["--json", "consume", "badge"]).objects()
    let third = try await device.run(["--json", "consume", "badge"]).objects()

    #expect(first.compactMap { $0["transaction"]?["token"]?.integer }.count == 2)
    #expect(first.last?["consumed"]?["transactions"] == .integer(2))
    #expect(second.compactMap { $0["transaction"] }.count == 1)
    #expect(third.count == 1)
    #expect(third.last?["consumed"]?["transactions"] == .integer(0))
    try await device.succeed("save", "Tag", "name=4")
    let consumer = try await device.object("consumers")["consumer"]
    #expect(consumer?["name"] == .string("badge"))
    #expect(consumer?["behind"] == .integer(1))
    #expect(consumer?["expired"] == .bool(false))
    #expect(consumer?["token"] == third.last?["consumed"]?["token"])
    #expect(consumer?["saved"]?.string != nil)
  }

  @Test func `a reader is reset and removed`() async throws {
    try await device.succeed("save", "Tag", "name=x")
    try await device.succeed("consume", "badge", "--reset")
    #expect(try await device.object("consume", "badge")["consumed"]?["transactions"] == .integer(0))

    try await device.succeed("consumers", "remove", "badge")

    #expect(try await device.run(["consumers"]).error.contains("No consumers."))
    let again = try await device.run(["consumers", "remove", "badge"])
    #expect(again.code == 1)
    #expect(again.error.contains("there is no such consumer"))
  }

  // MARK: Pruning

  @Test func `pruning asks before it passes a reader, who is told`() async throws {
    for number in 1...3 { try await device.succeed("save", "Tag", "name=\(number)") }
    try await device.succeed("consume", "badge", "--limit", "1")

    let asked = try await device.run(["prune", "--keep", "0"])
    #expect(asked.code == 1)
    #expect(asked.error.contains("badge has still to process 2 transactions"))
    #expect(try await transactions().count == 3)
    let dry = try await device.object("prune", "--keep", "0", "--dry-run")["pruned"]
    #expect(dry?["dryRun"] == .bool(true))
    #expect(dry?["transactions"] == .integer(1))
    #expect(dry?["holds"]?.elements?.first?["name"] == .string("badge"))
    #expect(try await transactions().count == 3)

    let pruned = try await device.run(["--json", "--yes", "prune", "--keep", "0"]).objects().first
    #expect(pruned?["pruned"]?["transactions"] == .integer(3))
    #expect(pruned?["pruned"]?["expired"] == .array([.string("badge")]))
    let told = try await device.run(["consume", "badge"])
    #expect(told.code == 1)
    #expect(told.error.contains("it was pruned beyond its place"))
    #expect(told.error.contains("consume badge --reset"))
    let rest = try await device.run(["history"])
    #expect(rest.code == 0)
    #expect(rest.error.contains("History begins after 3; what came before was pruned."))
    let history = try await device.run(["--json", "history", "--since", "1"])
    #expect(history.code == 1)
    #expect(try history.errorObjects().first?["error"]?["code"] == .string("historyExpired"))
    let events = try await device.run(["--json", "events"]).objects()
    #expect(events.compactMap { $0["event"]?["kind"]?.string } == ["prune"])
  }

  @Test func `how long history is kept comes from the configuration`() async throws {
    try await device.succeed("save", "Tag", "name=x")
    try await device.succeed("consume", "slow", "--reset")
    try await device.succeed("save", "Tag", "name=y")
    #expect(try await device.object("prune")["pruned"]?["transactions"] == .integer(0))

    try folder.write(#"{"retention": {"historyDays": 0}}"#, to: "phone/strandline.json")
    let pruned = try await device.object("prune")["pruned"]

    #expect(pruned?["transactions"] == .integer(1))
    #expect(pruned?["holds"]?.elements?.first?["name"] == .string("slow"))
    try folder.write(#"{"retention": {"keepAllHistory": true}}"#, to: "phone/strandline.json")
    #expect(try await device.object("prune")["pruned"]?["transactions"] == .integer(0))
  }

  @Test(arguments: [
    ("restore", 2), ("diff", 2), ("restore #1", 1), ("diff 0192f3a1-0000 x", 1),
    ("conflicts restore", 2), ("conflicts restore x", 2), ("conflicts undo 3", 2),
    ("prune --keep soon", 2), ("prune everything", 2), ("prune --all", 2), ("consume", 2),
    ("consume a b", 2), ("consume a --limit none", 2), ("consumers forget a", 2),
    ("history --since 99", 1),
  ])
  func `a wrong word is named`(command: String, code: Int32) async throws {
    try await device.succeed("save", "Tag", "name=x")

    let outcome = try await device.run(["-c", command])

    #expect(outcome.code == code, "\(outcome.error)")
    #expect(outcome.error.contains("Could not"))
    #expect(!outcome.error.contains("unexpected"))
  }

  @Test(arguments: ["consumers", "consume", "prune", "diff", "restore", "conflicts", "history"])
  func `each command has its help`(name: String) async throws {
    let help = try await device.succeed("help", name)

    #expect(help.hasPrefix(name))
    #expect(help.contains("For example: \(name)"))
  }

  @Test(arguments: ["consume a", "prune --keep 0", "consumers remove a"])
  func `no command waits for the transaction that is open`(command: String) async throws {
    let outcome = try await device.run(["-c", "begin", "-c", command, "-c", "rollback"])

    #expect(outcome.code == 1)
    #expect(outcome.error.contains("a transaction is open"))
  }
}
