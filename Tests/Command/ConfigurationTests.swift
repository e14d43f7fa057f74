import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// Transports are swapped by configuration, and what a person chose is remembered.
struct ConfigurationTests {
  let folder: TemporaryFolder
  let device: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("first")
    try folder.makeFolder("second")
    device = CommandDevice("phone", in: folder)
  }

  private func specification(_ name: String) -> String { "directory:" + folder.path(name) }

  private func configuration() throws -> JSONValue {
    try JSONValue(parsing: try folder.read("phone/strandline.json"))
  }

  @Test func `transport use is written to the configuration`() async throws {
    #expect(try await device.succeed("transport") == "none")
    try await device.succeed("transport", "use", specification("first"))

    let peers = try configuration()["peers"]?.elements
    #expect(peers?.map { $0["transport"]?.string } == [specification("first")])
    #expect(try await device.succeed("transport") == specification("first"))
    try await device.succeed("transport", "use", "none")
    #expect(try await device.succeed("transport") == "none")
  }

  @Test func `an option holds for one run only`() async throws {
    try await device.succeed("transport", "use", specification("first"))
    let before = try folder.bytes("phone/strandline.json")

    #expect(
      try await device.succeed("--transport", specification("second"), "transport")
        == specification("second"))
    #expect(try folder.bytes("phone/strandline.json") == before)
    #expect(try await device.succeed("transport") == specification("first"))
  }

  @Test func `the device of the prompt is remembered`() async throws {
    let home = ["--home", folder.path("phone")]
    let process = { (words: [String]) in
      ChildProcess(
        folder: folder, executable: try BuiltProgram.path(), arguments: home + words)
    }
    #expect(try await process(["device", "tablet"]).run().code == 0)
    #expect(try await process(["device"]).run().output == "tablet\n")
  }

  @Test func `the configuration alone swaps the transport and back`() async throws {
    for name in ["first", "second", "first"] {
      try folder.write(
        #"{"peers": [{"transport": "\#(specification(name))"}]}"#, to: "phone/strandline.json")
      try await device.succeed("save", "Tag", "name=for the \(name)")
      try await device.succeed("sync")
    }
    for (name, count) in [("first", "3"), ("second", "2")] {
      let other = CommandDevice(
        "reader-\(name)", in: folder, transport: specification(name))
      try await other.succeed("sync")
      #expect(try await other.succeed("count", "Tag") == count, "\(name)")
    }
  }

  @Test func `coming back to a transport exports only what it lacks`() async throws {
    try await device.succeed("save", "Tag", "name=one")
    try await device.succeed("transport", "use", specification("first"))
    #expect(try await device.object("sync")["sync"]?["exported"]?.integer == 1)
    try await device.succeed("transport", "use", specification("second"))
    #expect(try await device.object("sync")["sync"]?["exported"]?.integer == 1)
    try await device.succeed("save", "Tag", "name=two")
    try await device.succeed("transport", "use", specification("first"), "--yes")
    #expect(try await device.object("sync")["sync"]?["exported"]?.integer == 1)
  }

  @Test func `a swap asks where changes are pending`() async throws {
    try await device.succeed("transport", "use", specification("first"))
    try await device.succeed("save", "Tag", "name=one")
    let outcome = try await device.run(["transport", "use", specification("second")])

    #expect(outcome.code == 1)
    #expect(outcome.error.contains("1 change not yet exported"), "\(outcome.error)")
    #expect(try await device.succeed("transport") == specification("first"))
  }

  @Test func `zone, environment, account, schedule and retention of the configuration hold`()
    async throws
  {
    try folder.write(
      """
      {"zone": "notes", "environment": "production", "schedule": {"automatic": false,
        "debounceMilliseconds": 100, "everySeconds": 30},
       "retention": {"historyDays": 7, "consumerDays": 9, "tombstoneDays": 11},
       "peers": [{"transport": "\(specification("first"))", "account": "somebody"}]}
      """, to: "phone/strandline.json")
    try await device.succeed("save", "Tag", "name=one")

    let refused = try await device.run(["sync"])
    let peer = try await device.object("peers")["peer"]
    let off = try await device.object("--yes", "sync", "off")["switch"]

    #expect(refused.code == 4)
    #expect(refused.error.contains("is not 'somebody'"), "\(refused.error)")
    #expect(peer?["zone"]?.string == "notes")
    #expect(peer?["environment"]?.string == "production")
    #expect(peer?["expectedAccount"]?.string == "somebody")
    #expect(off?["automatic"]?.bool == false)
  }

  @Test func `a mistyped key is named with the one that was meant`() async throws {
    try folder.write(#"{"shedule": {"automatic": false}}"#, to: "phone/strandline.json")

    let outcome = try await device.run(["status"])

    #expect(outcome.code == 3)
    #expect(outcome.error.contains("\"shedule\""), "\(outcome.error)")
    #expect(outcome.error.contains("Did you mean schedule?"), "\(outcome.error)")
  }

  @Test func `a configuration may stand elsewhere and name model and device`() async throws {
    try folder.write(
      #"{"model": "\#(Subdivisions.model)", "device": "desk"}"#, to: "elsewhere.json")
    let outcome = try await ChildProcess(
      folder: folder, executable: try BuiltProgram.path(),
      arguments: [
        "--home", folder.path("home"), "--config", folder.path("elsewhere.json"), "-c",
        "save Subdivision name=x", "-c", "device",
      ]
    ).run()

    #expect(outcome.code == 0, "\(outcome.error)")
    #expect(outcome.lines.last == "desk")
    #expect(try folder.names(in: "home") == ["desk"])
  }
}
