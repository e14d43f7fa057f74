import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// What a peer asks and what a person answers, through the program.
struct PeerAnswerTests {
  private let folder: TemporaryFolder
  private let device: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    for name in ["share", "other"] { try folder.makeFolder(name) }
    device = CommandDevice("phone", in: folder)
  }

  private var share: String { "directory:" + folder.path("share") }

  private func peer() async throws -> JSONValue? {
    try await device.run(["--json", "peers"]).objects().first?["peer"]
  }

  private func transports() throws -> [String?] {
    let json = try JSONValue(parsing: try folder.read("phone/strandline.json"))
    return (json["peers"]?.elements ?? []).map { $0["transport"]?.string }
  }

  private func tags(_ device: CommandDevice) async throws -> Set<String> {
    Set(
      try await device.run(["--json", "list", "Tag"]).objects()
        .compactMap { ($0["record"] ?? $0)["fields"]?["name"]?.string })
  }

  /// A device that has synced, and another zone where its own was.
  private func swapped() async throws {
    let stranger = CommandDevice(
      "stranger", in: folder, transport: "directory:" + folder.path("other"))
    try await stranger.succeed("save", "Tag", "name=theirs")
    try await stranger.succeed("sync")
    try await device.succeed("peer", "add", share)
    try await device.succeed("save", "Tag", "name=mine")
    try await device.succeed("sync")
    try FileManager.default.removeItem(atPath: folder.path("share"))
    try FileManager.default.copyItem(
      atPath: folder.path("other"), toPath: folder.path("share"))
    let sync = try await device.run(["sync"])
    #expect(sync.code != 0)
    #expect(sync.error.contains("peer answer 1 keep, upload or switch"), "\(sync.error)")
  }

  private func reader() async throws -> Set<String> {
    let reader = CommandDevice("reader", in: folder, transport: share)
    try await reader.succeed("sync")
    return try await tags(reader)
  }

  @Test func `the question stands in the status and in the list of peers`() async throws {
    try await swapped()

    let peer = try await peer()
    let status = try await device.object("status")["status"]

    #expect(peer?["question"]?["kind"]?.string == "zoneReplaced")
    #expect(status?["question"] == peer?["question"])
    #expect(try await device.succeed("status").contains("asks"))
    #expect(try await device.succeed("peers").contains("asks"))
    #expect(try await reader() == ["theirs"])
  }

  @Test func `an answer names its consequence, and is not given without a yes`() async throws {
    try await swapped()

    for (answer, words) in [
      ("keep", "1 record of this device stay"), ("upload", "All 1 record"),
      ("switch", "What is made from now on goes to"),
    ] {
      let outcome = try await device.run(["peer", "answer", "1", answer])
      #expect(outcome.code == 1)
      #expect(outcome.error.contains("Another zone stands where the known one was."))
      #expect(outcome.error.contains(words), "\(outcome.error)")
    }
    #expect(try await peer()?["question"]?["kind"]?.string == "zoneReplaced")
  }

  @Test func `keep takes the peer out of the configuration and keeps everything here`()
    async throws
  {
    try await swapped()

    try await device.succeed("peer", "answer", "1", "keep", "--yes")

    #expect(try transports().isEmpty)
    #expect(try await peer()?["keptHere"]?.bool == true)
    #expect(try await tags(device) == ["mine"])
    #expect(try await reader() == ["theirs"])
    let again = try await device.run(["peer", "add", share])
    #expect(again.code != 0)
    #expect(again.error.contains("peer remove 1"), "\(again.error)")
    try await device.succeed("peer", "remove", "1", "--yes")
    try await device.succeed("peer", "add", share)
    try await device.succeed("sync")
    #expect(try await tags(device) == ["mine", "theirs"])
  }

  @Test func `upload joins the zone with everything`() async throws {
    try await swapped()

    try await device.succeed("peer", "answer", "1", "upload", "--yes")
    try await device.succeed("sync")

    #expect(try await tags(device) == ["mine", "theirs"])
    #expect(try await reader() == ["mine", "theirs"])
    let second = try await device.run(["peer", "answer", "1", "upload", "--yes"])
    #expect(second.error.contains("asks nothing"), "\(second.error)")
  }

  @Test func `switch takes only what is made from now on there`() async throws {
    try await swapped()

    try await device.succeed("peer", "answer", "1", "switch", "--yes")
    try await device.succeed("sync")
    try await device.succeed("save", "Tag", "name=later")
    try await device.succeed("sync")

    #expect(try await tags(device) == ["mine", "theirs", "later"])
    #expect(try await reader() == ["theirs", "later"])
    #expect(try await peer()?["apart"]?.bool == true)
  }

  @Test func `the policy of a first sync is asked for, remembered and done`() async throws {
    try await device.succeed("save", "Tag", "name=mine")
    let stranger = CommandDevice("stranger", in: folder, transport: share)
    try await stranger.succeed("save", "Tag", "name=theirs")
    try await stranger.succeed("sync")

    let wrong = try await device.run(["peer", "add", share, "--first-sync", "mine"])
    #expect(wrong.error.contains("union, local or cloud"), "\(wrong.error)")
    let asked = try await device.run(["peer", "add", share, "--first-sync", "cloud"])
    #expect(asked.error.contains("laid aside"), "\(asked.error)")
    try await device.succeed("peer", "add", share, "--first-sync", "cloud", "--yes")
    let json = try JSONValue(parsing: try folder.read("phone/strandline.json"))
    #expect(json["peers"]?.elements?.first?["firstSync"]?.string == "cloud")
    try await device.succeed("sync")

    #expect(try await tags(device) == ["theirs"])
    #expect(try await reader() == ["theirs"])
    let again = try await device.run(["peer", "add", share, "--first-sync", "local"])
    #expect(again.error.contains("was synced with before"), "\(again.error)")
  }
}
