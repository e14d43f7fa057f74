import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// What a person decides about deletes that are held, and does about refused records.
struct RecoveryCommandTests {
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

  /// Lets the phone hold the deletes of 30 of the laptop's 40 tags.
  private func hold() async throws {
    let saves = (0..<40).flatMap { ["-c", "save Tag name=t\($0)"] }
    #expect(try await laptop.run(saves).code == 0)
    for device in [laptop, phone] { try await device.succeed("sync") }
    _ = try await laptop.shell("DELETE FROM Tag WHERE name < 't37'")
    let left = try await laptop.shell("SELECT count(*) FROM Tag")
    #expect(left == "9")
    try await laptop.succeed("sync")
    #expect(try await said("sync").contains("31 deletes from elsewhere wait for your word"))
  }

  /// What the phone says to a command, to people and to programs.
  private func said(_ words: String...) async throws -> String {
    let outcome = try await phone.run(["--yes"] + words)
    #expect(outcome.code == 0, "\(words): \(outcome.error)")
    return outcome.output + outcome.error
  }

  @Test func `held deletes are listed with who made them, and refused`() async throws {
    try await hold()

    let list = try await phone.succeed("deletes")
    let status = try await phone.object("status")["status"]
    let asked = try await phone.run(["deletes", "refuse"])
    let refused = try await said("deletes", "refuse")
    for device in [phone, laptop] { try await device.succeed("sync") }

    #expect(list.contains("Tag") && list.contains("31") && list.contains("laptop"))
    #expect(status?["heldDeletes"] == .integer(31))
    #expect(status?["standing"] == .string("working"))
    #expect(asked.code != 0)
    #expect(asked.error.contains("has to be confirmed"))
    #expect(refused.contains("Kept 31 records"))
    #expect(try await laptop.shell("SELECT count(*) FROM Tag") == "40")
    #expect(try await said("deletes").contains("No delete is held."))
  }

  @Test func `held deletes that are applied are gone here too, and one comes back by restore`()
    async throws
  {
    try await hold()
    let records = try await phone.run(["--json", "list", "Tag"]).objects()
    let record = records.first { $0["fields"]?["name"] == .string("t1") }
    let id = try #require(record?["id"]?.string)

    let applied = try await said("deletes", "apply")
    let left = try await phone.shell("SELECT count(*) FROM Tag")
    try await phone.succeed("restore", id)

    #expect(applied.contains("Deleted 31 records"))
    #expect(left == "9")
    #expect(try await phone.shell("SELECT name FROM Tag WHERE name = 't1'") == "'t1'")
  }

  @Test func `what is set aside is told, and nothing is where nothing is`() async throws {
    #expect(try await said("setaside").contains("Nothing is set aside."))
    try await phone.succeed("save", "Tag", "name=hurt")
    _ = try await phone.shell("UPDATE strandline_shadow_Tag SET stamp_name = 'soon'")
    try await phone.succeed("sync")

    let list = try await phone.succeed("setaside")
    let object = try await phone.run(["--json", "setaside"]).objects().first?["setAside"]
    let retried = try await said("setaside", "retry")

    #expect(list.contains("a stamp of it makes no sense"))
    #expect(object?["code"] == .string("damagedRow"))
    #expect(object?["attempts"] == .integer(1))
    #expect(retried.contains("offers 1 record again"))
  }

  @Test(arguments: ["deletes", "setaside"])
  func `each command has its help`(name: String) async throws {
    let help = try await phone.succeed("help", name)

    #expect(help.hasPrefix(name))
    #expect(help.contains("For example: \(name)"))
  }
}
