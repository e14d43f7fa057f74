import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// Several peers through the program: followed, listed, forgotten, and what each waits for.
struct PeerCommandTests {
  let folder: TemporaryFolder
  let device: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("one")
    try folder.makeFolder("two")
    device = CommandDevice("phone", in: folder)
  }

  private func specification(_ name: String) -> String { "directory:" + folder.path(name) }

  private func configured() throws -> [String?] {
    let json = try JSONValue(parsing: try folder.read("phone/strandline.json"))
    return (json["peers"]?.elements ?? []).map { $0["transport"]?.string }
  }

  private func peers(of device: CommandDevice) async throws -> [JSONValue] {
    try await device.run(["--json", "peers"]).objects().compactMap { $0["peer"] }
  }

  private func segments(in name: String) throws -> [String] {
    let root = folder.path(name)
    let all = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(".seg") }.sorted().map { root + "/" + $0 }
  }

  // MARK: Following

  @Test func `peers that are added are followed together and written to the configuration`()
    async throws
  {
    try await device.succeed("peer", "add", specification("one"))
    try await device.succeed("peer", "add", specification("two"))
    try await device.succeed("save", "Tag", "name=x")

    let sync = try await device.object("sync")["sync"]

    #expect(try configured() == [specification("one"), specification("two")])
    #expect(
      try await device.succeed("transport") == specification("one") + "\n" + specification("two"))
    #expect(sync?["exported"]?.integer == 2)
    #expect(sync?["standing"]?.string == "caughtUp")
    let each = sync?["peers"]?.elements ?? []
    #expect(each.map { $0["peer"]?.string } == [specification("one"), specification("two")])
    #expect(each.map { $0["exported"]?.integer } == [1, 1])
    #expect(each.allSatisfy { $0["acknowledgement"]?.string == "inTheFolder" })
    #expect(try segments(in: "one").count == 1 && segments(in: "two").count == 1)
  }

  @Test func `a relative path is written as the whole one, and added once`() async throws {
    for _ in 0..<2 { try await device.succeed("peer", "add", "directory:one") }

    #expect(try configured() == [specification("one")])
    #expect(try await peers(of: device).count == 1)
  }

  @Test func `a peer that cannot be made is named and changes nothing`() async throws {
    try await device.succeed("peer", "add", specification("one"))
    let stranger = try await device.run(["peer", "add", "carrier:pigeon"])
    let nothing = try await device.run(["peer", "add", "none"])
    let missing = try await device.run(["peer", "add"])
    let word = try await device.run(["peer", "ad", "memory"])

    #expect(stranger.code == 4)
    #expect(stranger.error.contains("no such transport"), "\(stranger.error)")
    #expect(nothing.code == 2)
    #expect(nothing.error.contains("transport use none"), "\(nothing.error)")
    #expect(missing.code == 2)
    #expect(word.error.contains("add"), "\(word.error)")
    #expect(try configured() == [specification("one")])
  }

  @Test func `a device between two folders carries edits and deletes both ways`() async throws {
    let left = CommandDevice("left", in: folder, transport: specification("one"))
    let right = CommandDevice("right", in: folder, transport: specification("two"))
    try await device.succeed("peer", "add", specification("one"))
    try await device.succeed("peer", "add", specification("two"))
    let milk = try await left.succeed("save", "TodoItem", "name=milk")
    let doomed = try await right.succeed("save", "TodoItem", "name=doomed")
    for one in [left, right, device, left, right] { try await one.succeed("sync") }
    #expect(try await left.allRows() == right.allRows())

    try await right.succeed("toggle", milk)
    try await left.succeed("delete", doomed)
    for one in [left, right, device, left, right] { try await one.succeed("sync") }

    let rows = try await left.allRows()
    #expect(try await right.allRows() == rows)
    #expect(try await device.allRows() == rows)
    #expect(try await right.shell("SELECT name, done FROM TodoItem") == "'milk',1")
    let (before, again) = (
      try segments(in: "one") + segments(in: "two"), try await device.object("sync")["sync"]
    )
    #expect(again?["exported"]?.integer == 0)
    #expect(try segments(in: "one") + segments(in: "two") == before)
  }

  // MARK: Listing and forgetting

  @Test func `peers shows those that are followed and those that are known besides`()
    async throws
  {
    try await device.succeed("peer", "add", specification("one"))
    try await device.succeed("sync")
    try await device.succeed("transport", "use", specification("two"))
    try await device.succeed("save", "Tag", "name=x")

    let found = try await peers(of: device)
    let text = try await device.succeed("peers")

    #expect(found.map { $0["transport"]?.string } == [specification("two"), specification("one")])
    #expect(found.map { $0["followed"]?.bool } == [true, false])
    #expect(found.map { $0["cursorKnown"]?.bool } == [false, true])
    #expect(found.map { $0["pending"]?.integer } == [1, 1])
    #expect(found.map { $0["zone"]?.string } == ["default", "default"])
    #expect(text.contains("not followed"), "\(text)")
    #expect(text.contains("not observed yet"), "\(text)")
  }

  @Test func `a peer is forgotten by its number, after a question where changes are pending`()
    async throws
  {
    try await device.succeed("peer", "add", specification("one"))
    try await device.succeed("peer", "add", specification("two"))
    try await device.succeed("sync")
    try await device.succeed("save", "Tag", "name=x")
    let number = try #require(
      try await peers(of: device).first { $0["transport"]?.string == specification("two") }?[
        "number"]?.integer)

    let asked = try await device.run(["peer", "remove", "\(number)"])
    #expect(asked.code == 1)
    #expect(asked.error.contains("1 change is not exported"), "\(asked.error)")
    #expect(asked.error.contains("first sync"), "\(asked.error)")
    #expect(try await peers(of: device).count == 2)

    let done = try await device.run(["--yes", "peer", "remove", "\(number)"])
    #expect(done.code == 0)
    #expect(done.error.contains("first sync"), "\(done.error)")
    #expect(try configured() == [specification("one")])
    #expect(try await peers(of: device).map { $0["transport"]?.string } == [specification("one")])
    let again = try await device.run(["peer", "remove", "\(number)"])
    #expect(again.code == 1)
    #expect(again.error.contains("Type peers"), "\(again.error)")
  }

  @Test func `a peer that is followed again is offered everything`() async throws {
    try await device.succeed("save", "Tag", "name=a")
    try await device.succeed("peer", "add", specification("one"))
    try await device.succeed("sync")
    try await device.succeed("peer", "remove", specification("one"))
    #expect(try await device.succeed("transport") == "none")
    try await device.succeed("save", "Tag", "name=b")
    try await device.succeed("peer", "add", specification("one"))
    try await device.succeed("sync")

    let reader = CommandDevice("reader", in: folder, transport: specification("one"))
    try await reader.succeed("sync")
    #expect(try await reader.succeed("count", "Tag") == "2")
    #expect(try await peers(of: device).map { $0["pending"]?.integer } == [0])
  }

  @Test func `a swap asks for each peer that changes are pending for`() async throws {
    try await device.succeed("peer", "add", specification("one"))
    try await device.succeed("peer", "add", specification("two"))
    try await device.succeed("sync")
    try await device.succeed("save", "Tag", "name=x")

    let asked = try await device.run(["transport", "use", "directory:one"])

    #expect(asked.code == 1)
    #expect(asked.error.contains(specification("two")), "\(asked.error)")
    #expect(!asked.error.contains(specification("one")), "\(asked.error)")
    try await device.succeed("--yes", "transport", "use", "directory:one")
    #expect(try configured() == [specification("one")])
  }

  // MARK: What fails, and what waits

  @Test func `a folder that is pulled away fails by itself`() async throws {
    try await device.succeed("peer", "add", specification("one"))
    try await device.succeed("peer", "add", specification("two"))
    try await device.succeed("sync")
    try FileManager.default.moveItem(
      atPath: folder.path("one"), toPath: folder.path("elsewhere"))
    try await device.succeed("save", "Tag", "name=x")

    let outcome = try await device.run(["sync"])
    let statuses = try await device.run(["--json", "status"]).objects().map { $0["status"] }

    #expect(outcome.code == 4)
    #expect(outcome.error.contains("Could not sync with 1 of 2 peers."), "\(outcome.error)")
    #expect(outcome.error.contains("1 change put in the folder."), "\(outcome.error)")
    #expect(statuses.map { $0?["peer"]?.string } == [specification("one"), specification("two")])
    #expect(statuses.map { $0?["pending"]?["total"]?.integer } == [1, 0])
    #expect(statuses[1]?["standing"]?.string == "caughtUp")
    #expect(statuses[1]?["reason"] == .null)
    #expect(statuses[0]?["reason"]?.string?.isEmpty == false)
    try FileManager.default.moveItem(
      atPath: folder.path("elsewhere"), toPath: folder.path("one"))
    try await device.succeed("sync")
    #expect(try await peers(of: device).map { $0["pending"]?.integer } == [0, 0])
  }

  @Test func `a file that is missing is waited for, and said everywhere`() async throws {
    let writer = CommandDevice("writer", in: folder, transport: specification("one"))
    for name in ["a", "b"] {
      try await writer.succeed("save", "Tag", "name=\(name)")
      try await writer.succeed("sync")
    }
    let first = try #require(try segments(in: "one").first)
    try FileManager.default.moveItem(atPath: first, toPath: folder.path("kept"))
    try await device.succeed("peer", "add", specification("one"))

    let sync = try await device.object("sync")["sync"]
    let status = try await device.object("status")["status"]
    let text = try await device.succeed("status")
    let late = try await device.run(["sync", "--wait", "0"])

    let sentence = try #require(sync?["waitingFor"]?.elements?.first?.string)
    #expect(sentence.contains("writer"), "\(sentence)")
    #expect(sync?["standing"]?.string == "working")
    #expect(sync?["asOf"] == .null)
    #expect(status?["standing"]?.string == "working")
    #expect(status?["waitingFor"]?.elements == [.string(sentence)])
    #expect(status?["reason"]?.string == sentence)
    #expect(text.contains(sentence), "\(text)")
    #expect(!text.contains("Caught up"), "\(text)")
    #expect(try await peers(of: device).first?["waitingFor"]?.elements == [.string(sentence)])
    #expect(late.code == 5)
    #expect(late.error.contains(sentence), "\(late.error)")

    try FileManager.default.moveItem(atPath: folder.path("kept"), toPath: first)
    #expect(try await device.object("sync")["sync"]?["standing"]?.string == "caughtUp")
    #expect(try await device.succeed("count", "Tag") == "2")
  }

  @Test func `what is in a folder is not called exported`() async throws {
    try await device.succeed("peer", "add", specification("one"))
    let tag = try await device.succeed("save", "Tag", "name=x")

    let sync = try await device.run(["sync"])
    let trace = try await device.succeed("trace", tag)
    let status = try await device.succeed("status")

    #expect(sync.error.contains("1 change put in the folder."), "\(sync.error)")
    #expect(trace.contains("in the folder \(specification("one"))"), "\(trace)")
    #expect(!trace.contains("exported"), "\(trace)")
    #expect(status.contains("no other device has read there yet"), "\(status)")
  }

  // MARK: Configuration

  @Test func `an account in the configuration keeps everything from any other`() async throws {
    try folder.write(
      #"{"peers": [{"transport": "\#(specification("one"))", "account": "me"}]}"#,
      to: "phone/strandline.json")
    try await device.succeed("save", "Tag", "name=x")

    let outcome = try await device.run(["--json", "sync"])
    let status = try await device.object("status")["status"]

    #expect(outcome.code == 4)
    let error = try #require(try outcome.errorObjects().first?["error"])
    #expect(error["code"]?.string == "wrongAccount")
    #expect(error["message"]?.string?.contains("'me'") == true)
    #expect(status?["standing"]?.string == "blocked")
    #expect(status?["pending"]?["total"]?.integer == 1)
    #expect(try segments(in: "one").isEmpty)
    #expect(try await peers(of: device).first?["expectedAccount"]?.string == "me")
  }

  @Test func `an account that is named at the prompt is kept in the configuration`()
    async throws
  {
    try await device.succeed("peer", "add", specification("one"), "--account", "folder")
    #expect(try await device.object("sync")["sync"]?["error"] == .null)
    let json = try JSONValue(parsing: try folder.read("phone/strandline.json"))
    #expect(json["peers"]?.elements?.first?["account"]?.string == "folder")
    try await device.succeed("transport", "use", specification("one"))
    let after = try JSONValue(parsing: try folder.read("phone/strandline.json"))
    #expect(after["peers"]?.elements?.first?["account"]?.string == "folder")
  }

  @Test func `several peers of the configuration are followed, each once`() async throws {
    try folder.write(
      """
      {"peers": [{"transport": "\(specification("one"))"}, {"transport": "memory"},
        {"transport": "\(specification("two"))"}]}
      """, to: "phone/strandline.json")
    try await device.succeed("save", "Tag", "name=x")

    let sync = try await device.object("sync")["sync"]

    #expect(sync?["peers"]?.elements?.map { $0["exported"]?.integer } == [1, 1, 1])
    #expect(
      sync?["peers"]?.elements?.map { $0["acknowledgement"]?.string }
        == ["inTheFolder", "stored", "inTheFolder"])
  }

  @Test func `memory, folder and memory in one process send each change once`() async throws {
    let outcome = try await device.run(
      ["--json", "--yes"]
        + [
          "save Tag name=a", "transport use memory", "sync", "save Tag name=b",
          "transport use \(specification("one"))", "sync", "save Tag name=c",
          "transport use memory", "sync", "sync", "transport use \(specification("one"))", "sync",
        ].flatMap { ["-c", $0] })

    #expect(outcome.code == 0, "\(outcome.error)")
    let exported = try outcome.objects().compactMap { $0["sync"]?["exported"]?.integer }
    #expect(exported == [1, 2, 2, 0, 1])
    let reader = CommandDevice("reader", in: folder, transport: specification("one"))
    try await reader.succeed("sync")
    #expect(try await reader.succeed("count", "Tag") == "3")
  }

  @Test func `the configuration alone swaps memory, folder and memory, and the folder gets all`()
    async throws
  {
    for (transport, name) in [("memory", "a"), (specification("one"), "b"), ("memory", "c")] {
      try folder.write(
        #"{"peers": [{"transport": "\#(transport)"}]}"#, to: "phone/strandline.json")
      try await device.succeed("save", "Tag", "name=\(name)")
      try await device.succeed("sync")
    }
    let before = try segments(in: "one")
    try folder.write(
      #"{"peers": [{"transport": "\#(specification("one"))"}]}"#, to: "phone/strandline.json")

    let sync = try await device.object("sync")["sync"]

    #expect(sync?["exported"]?.integer == 1)
    #expect(try segments(in: "one").count == before.count + 1)
    let reader = CommandDevice("reader", in: folder, transport: specification("one"))
    try await reader.succeed("sync")
    #expect(try await reader.succeed("count", "Tag") == "3")
  }

  @Test func `a run that says nothing of transports follows none and makes no folder`()
    async throws
  {
    try await device.succeed("save", "Tag", "name=x")
    let sync = try await device.run(["sync"])

    #expect(sync.code == 4)
    #expect(try await peers(of: device).isEmpty)
    #expect(try await device.run(["--json", "events"]).objects().isEmpty)
    #expect(try folder.names(in: "phone") == ["model.json", "phone"])
    #expect(
      try folder.names(in: "phone/phone").filter { $0.hasSuffix("-lease") }.isEmpty)
  }

  @Test func `every answer about peers is one JSON object a line`() async throws {
    let outcome = try await device.run(
      ["--json", "--yes"]
        + [
          "peer add memory", "peer add \(specification("one"))", "peer add memory", "sync",
          "status", "peers", "transport", "pending", "peer remove memory", "peers",
        ].flatMap { ["-c", $0] })

    #expect(outcome.code == 0, "\(outcome.error)")
    for object in try outcome.objects() { #expect(object.members != nil, "\(object.text)") }
    let added = try outcome.objects().prefix(3).map { $0["peer"]?["new"]?.bool }
    #expect(added == [true, true, false])
  }

  @Test func `help shows an example of each command`() async throws {
    for name in ["peer", "peers", "transport"] {
      let help = try await device.succeed("help", name)
      #expect(help.contains("For example: \(name)"), "\(help)")
    }
  }
}
