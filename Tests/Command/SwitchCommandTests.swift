import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// The switch and the purge through the program.
struct SwitchCommandTests {
  let folder: TemporaryFolder
  let phone: CommandDevice
  let laptop: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("share")
    let share = "directory:" + folder.path("share")
    phone = CommandDevice("phone", in: folder, transport: share)
    laptop = CommandDevice("laptop", in: folder, transport: share)
  }

  private func pair() async throws {
    try await phone.succeed("save", "Tag", "name=x")
    try await phone.succeed("sync")
    try await laptop.succeed("sync")
    try await phone.succeed("sync")
  }

  /// The switch and all that a change of it would write.
  private func switchRows() async throws -> String {
    try await phone.shell(
      """
      SELECT * FROM strandline_switch; SELECT * FROM strandline_purge;
      SELECT count(*) FROM strandline_transaction; SELECT count(*) FROM strandline_event;
      """)
  }

  @Test func `what is not confirmed has changed nothing`() async throws {
    try await pair()
    let before = try await switchRows()

    for command in [["sync", "off"], ["sync", "off", "--purge"], ["purge"]] {
      let outcome = try await phone.run(command)
      #expect(outcome.code == 1, "\(command)")
      #expect(outcome.error.contains("Nothing is deleted on this device"), "\(outcome.error)")
      #expect(outcome.error.contains("--yes"), "\(outcome.error)")
    }

    #expect(try await switchRows() == before)
    #expect(try await phone.object("status")["status"]?["switch"]?["wanted"]?.bool == true)
  }

  @Test func `sync off with --yes and no flag keeps the cloud copy`() async throws {
    try await pair()
    let answer = try await phone.object("--yes", "sync", "off")["switch"]

    #expect(answer?["wanted"]?.bool == false)
    #expect(answer?["standing"]?.string == "off")
    #expect(answer?["pendingPurge"]?.bool == false)
    #expect(answer?["backups"]?["excluded"]?.bool == true)
    #expect(try await laptop.object("sync")["sync"]?["error"] == .null)
    let on = try await phone.object("sync", "on")["switch"]
    #expect(on?["wanted"]?.bool == true)
    #expect(on?["waits"]?.elements?.first?["code"]?.string == "firstCycle")
    #expect(on?["backups"]?["excluded"]?.bool == false)
  }

  @Test func `a purge names the other devices, and switching on again asks`() async throws {
    try await pair()
    let asked = try await phone.run(["sync", "off", "--purge"])
    #expect(asked.error.contains("laptop (last heard from"), "\(asked.error)")

    let answer = try await phone.object("--yes", "sync", "off", "--purge")["switch"]

    #expect(answer?["purged"]?.elements?.count == 1)
    #expect(answer?["pendingPurge"]?.bool == false)
    #expect(try await phone.succeed("count", "Tag") == "1")
    let told = try await laptop.run(["sync"])
    #expect(told.code == 4)
    #expect(told.error.contains("phone"), "\(told.error)")
    let again = try await phone.run(["sync", "on"])
    #expect(again.code == 1)
    #expect(again.error.contains("1 record of this device goes to"), "\(again.error)")
    try await phone.succeed("--yes", "sync", "on")
    #expect(try await phone.object("sync")["sync"]?["standing"]?.string == "caughtUp")
  }

  @Test func `a purge that cannot be done stays pending, is shown, and is done by purge`()
    async throws
  {
    try await pair()
    try FileManager.default.moveItem(
      atPath: folder.path("share"), toPath: folder.path("unplugged"))
    let answer = try await phone.object("--yes", "sync", "off", "--purge")["switch"]
    #expect(answer?["standing"]?.string == "offPurging")
    let purge = answer?["purges"]?.elements?.first
    #expect(purge?["code"]?.string == "unreachable")
    #expect(purge?["next"]?.string != nil)

    let status = try await phone.succeed("status")
    #expect(status.contains("the folder is not there"), "\(status)")
    let failed = try await phone.run(["purge"])
    #expect(failed.code == 4)
    #expect(failed.error.contains("Connect the disk"), "\(failed.error)")
    try FileManager.default.moveItem(
      atPath: folder.path("unplugged"), toPath: folder.path("share"))
    let done = try await phone.run(["purge"])

    #expect(done.code == 0, "\(done.error)")
    #expect(done.error.contains("was purged"), "\(done.error)")
    let events = try await phone.succeed("events")
    #expect(events.contains("purge"), "\(events)")
  }

  @Test func `a pending purge is dropped by --keep`() async throws {
    try await pair()
    try FileManager.default.moveItem(
      atPath: folder.path("share"), toPath: folder.path("unplugged"))
    try await phone.succeed("--yes", "sync", "off", "--purge")

    let answer = try await phone.object("--yes", "sync", "off", "--keep")["switch"]

    #expect(answer?["pendingPurge"]?.bool == false)
    #expect(answer?["standing"]?.string == "off")
  }

  @Test func `purge switches sync off, and says where no copy is known of`() async throws {
    let nothing = try await phone.run(["purge"])
    #expect(nothing.code == 4)
    #expect(nothing.error.contains("none is known of"), "\(nothing.error)")
    try await pair()

    let answer = try await phone.object("--yes", "purge")["switch"]

    #expect(answer?["wanted"]?.bool == false)
    #expect(answer?["purged"]?.elements?.count == 1)
    #expect(try await phone.run(["help", "purge"]).output.contains("\"standing\""))
  }
}
