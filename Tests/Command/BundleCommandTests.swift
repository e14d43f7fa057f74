import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// The program writes a support bundle where it is asked to, and nowhere else.
@Suite struct BundleCommandTests {
  private let folder: TemporaryFolder
  private let phone: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    phone = CommandDevice("phone", in: folder, transport: "memory")
  }

  @Test func `a bundle has the page and no contents of records`() async throws {
    try await phone.succeed("save", "TodoItem", "name=correct-horse-battery")

    let answer = try await phone.object("bundle", folder.path("support.tar.gz"))

    #expect(answer["bundle"]?["files"]?.elements?.contains(.string("index.html")) == true)
    let unpacked = try await ChildProcess(
      folder: folder, executable: "/bin/tar",
      arguments: ["-xzf", folder.path("support.tar.gz"), "-C", folder.path("")]
    ).run()
    #expect(unpacked.code == 0, "\(unpacked.error)")
    let names = try folder.names(in: "strandline-bundle")
    #expect(names.contains("index.html") && names.contains("counts.json"))
    for name in names {
      let text = try folder.read("strandline-bundle/\(name)")
      #expect(!text.contains("correct-horse"), "\(name)")
    }
    #expect(try folder.read("strandline-bundle/counts.json").contains("\"TodoItem\": 1"))
  }

  @Test func `a file that is there is replaced only after a word`() async throws {
    try folder.write("mine", to: "support.zip")
    let path = folder.path("support.zip")

    let refused = try await phone.run(["bundle", path])
    #expect(refused.code == 1)
    #expect(refused.error.contains("has to be confirmed"))
    #expect(try folder.read("support.zip") == "mine")

    try await phone.succeed("--yes", "bundle", path)
    #expect(try folder.bytes("support.zip").prefix(2) == Data("PK".utf8))
  }

  @Test func `the store's own file is never replaced`() async throws {
    try await phone.succeed("save", "Tag", "name=a")

    let outcome = try await phone.run(["--yes", "bundle", phone.store])

    #expect(outcome.code == 1)
    #expect(outcome.error.contains("belongs to the open store"))
    #expect(try await phone.shell("SELECT name FROM Tag") == "'a'")
  }
}
