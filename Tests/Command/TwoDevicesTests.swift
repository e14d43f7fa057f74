import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// Two processes with homes of their own, and one folder between them.
struct TwoDevicesTests {
  let folder: TemporaryFolder
  let phone: CommandDevice
  let laptop: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("shared")
    let transport = "directory:" + folder.path("shared")
    phone = CommandDevice("phone", in: folder, transport: transport)
    laptop = CommandDevice("laptop", in: folder, transport: transport)
  }

  /// Syncs each until neither has anything that the other lacks.
  private func settle() async throws {
    for device in [phone, laptop, phone, laptop] { try await device.succeed("sync") }
  }

  private func expectEqual(at location: SourceLocation = #_sourceLocation) async throws {
    let rows = try await phone.allRows()
    #expect(!rows.isEmpty, sourceLocation: location)
    #expect(try await laptop.allRows() == rows, sourceLocation: location)
  }

  @Test func `inserts, edits, toggles, deletes and links reach the other device`() async throws {
    let list = try await phone.succeed("save", "TodoList", "title=Shopping")
    let milk = try await phone.succeed(
      "save", "TodoItem", "name=Buy milk 🥛", "list=#\(list)", "due=2026-12-24", "note=it's 2%")
    let tag = try await phone.succeed("save", "Tag", "name=urgent")
    let doomed = try await phone.succeed("save", "TodoItem", "name=doomed")
    try await phone.succeed("add", milk, "tags", "#\(tag)")
    try await settle()
    try await expectEqual()

    try await laptop.succeed("toggle", milk)
    try await laptop.succeed("set", milk, "priority=7", "note=null")
    try await laptop.succeed("delete", doomed)
    try await laptop.succeed("save", "Habit", "name=Run", "streak=12")
    try await laptop.succeed("remove", milk, "tags", "#\(tag)")
    try await phone.succeed("set", milk, "name=Buy oat milk")
    try await settle()

    try await expectEqual()
    #expect(
      try await phone.shell("SELECT name, done, priority, note, typeof(due) FROM TodoItem")
        == "'Buy oat milk',1,7,NULL,'real'")
    #expect(try await phone.shell("SELECT count(*) FROM Tag_items") == "0")
    #expect(try await phone.shell("SELECT name, streak FROM Habit") == "'Run',12")
  }

  @Test func `the later of two edits of one field wins on both devices`() async throws {
    let item = try await phone.succeed("save", "TodoItem", "name=first")
    try await settle()
    try await phone.succeed("set", item, "name=from the phone")
    try await laptop.succeed("set", item, "name=from the laptop")
    try await settle()

    try await expectEqual()
    #expect(try await phone.shell("SELECT name FROM TodoItem") == "'from the laptop'")
    let conflicts =
      try await phone.run(["--json", "conflicts"]).objects()
      + laptop.run(["--json", "conflicts"]).objects()
    #expect(conflicts.contains { $0["conflict"]?["lost"]?.string == "from the phone" })
  }

  @Test func `two processes that save and sync at the same time end equal`() async throws {
    async let ended: Void = saveInALoop(phone)
    try await saveInALoop(laptop)
    try await ended
    try await settle()

    try await expectEqual()
    #expect(try await phone.shell("SELECT count(*) FROM TodoItem") == "40")
    #expect(
      try await phone.shell("SELECT name, count(*) FROM TodoItem GROUP BY name HAVING count(*) > 1")
        == "")
  }

  private func saveInALoop(_ device: CommandDevice) async throws {
    for number in 1...20 {
      try await device.succeed(
        "-c", "save TodoItem name='\(device.name) \(number)'", "-c", "sync")
    }
  }

  @Test func `processes that share one store keep every save, and one of them syncs`()
    async throws
  {
    try await phone.succeed("save", "Tag", "name=first")
    let outcomes = try await withThrowingTaskGroup(of: [Outcome].self) { group in
      for process in 1...3 {
        group.addTask {
          var outcomes: [Outcome] = []
          for number in 1...8 {
            outcomes.append(
              try await phone.run(["-c", "save Tag name='\(process).\(number)'", "-c", "sync"]))
          }
          return outcomes
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    for outcome in outcomes where outcome.code != 0 {
      #expect(outcome.code == 3)
      #expect(outcome.error.contains("syncs it already"), "\(outcome.error)")
    }
    #expect(outcomes.contains { $0.code == 0 })
    try await settle()

    try await expectEqual()
    #expect(try await laptop.shell("SELECT count(DISTINCT name) FROM Tag") == "25")
  }

  @Test func `what the sqlite3 shell writes is exported by the next sync`() async throws {
    let item = try await phone.succeed("save", "TodoItem", "name=milk")
    try await phone.succeed("save", "TodoItem", "name=bread")
    try await settle()
    try await phone.shell("UPDATE TodoItem SET done = 1 WHERE name = 'milk'")
    try await phone.shell("INSERT INTO TodoItem(name) VALUES('from the shell')")
    try await phone.shell("DELETE FROM TodoItem WHERE name = 'bread'")

    let sync = try await phone.object("sync")
    #expect(sync["sync"]?["exported"]?.integer == 3)
    try await laptop.succeed("sync")

    try await expectEqual()
    #expect(
      try await laptop.shell("SELECT name, done FROM TodoItem ORDER BY name")
        == "'from the shell',0\n'milk',1")
    let history = try await phone.run(["--json", "history", item]).objects()
    #expect(history.last?["transaction"]?["origin"]?.string == "anotherClient")
  }
}
