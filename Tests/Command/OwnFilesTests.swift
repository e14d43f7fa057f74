import StrandlineTestSupport
import Testing

/// Nobody opens a file of an open store beside SQLite, whose locks would end with that.
struct OwnFilesTests {
  let folder: TemporaryFolder
  let device: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    device = CommandDevice("phone", in: folder)
  }

  @Test(arguments: ["", "-wal", "-shm"])
  func `a file of the open store is neither imported, saved nor run`(suffix: String) async throws {
    try await device.succeed("save", "Tag", "name=a")
    let path = device.store + suffix

    for arguments in [
      ["import", path, "Tag"], ["save", "TodoItem", "note=@" + path], ["-f", path],
    ] {
      let outcome = try await device.run(arguments)
      #expect(outcome.code == (arguments[0] == "-f" ? 2 : 1), "\(outcome.error)")
      #expect(
        outcome.error.contains("it belongs to the open store of phone"), "\(outcome.error)")
    }
    #expect(try await device.succeed("count", "Tag") == "1")
  }
}
