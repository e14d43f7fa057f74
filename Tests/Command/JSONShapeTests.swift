import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// The members that programs rely on; further ones may be added.
struct JSONShapeTests {
  let folder: TemporaryFolder
  let device: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("shared")
    device = CommandDevice("phone", in: folder, transport: "directory:" + folder.path("shared"))
  }

  /// Expects an object with at least these members.
  private func expect(
    _ json: JSONValue?, has names: Set<String>, at location: SourceLocation = #_sourceLocation
  ) throws {
    let members = try #require(json?.members, sourceLocation: location)
    let found = Set(members.map(\.name))
    #expect(found.isSuperset(of: names), "\(json?.text ?? "")", sourceLocation: location)
    #expect(found.count == members.count, sourceLocation: location)
  }

  private func isMoment(_ json: JSONValue?) -> Bool {
    json?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil
  }

  private func isID(_ json: JSONValue?) -> Bool {
    json?.string?.wholeMatch(of: /[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}/) != nil
  }

  @Test func `a save answers the entity and the id`() async throws {
    let answer = try await device.object("save", "Tag", "name=x")

    try expect(answer, has: ["saved"])
    try expect(answer["saved"], has: ["entity", "id"])
    #expect(answer["saved"]?["entity"]?.string == "Tag")
    #expect(isID(answer["saved"]?["id"]))
  }

  @Test func `a record shows each field as its type`() async throws {
    let list = try await device.object("save", "TodoList", "title=x")["saved"]?["id"]?.string ?? ""
    _ = try await device.object(
      "save", "TodoItem", "name=Buy \"milk\"", "done=true", "priority=-3", "list=#\(list)",
      "due=2026-12-24T18:00:00+01:00")
    let record = try await device.object("list", "TodoItem")

    try expect(record, has: ["entity", "id", "fields"])
    #expect(record["entity"]?.string == "TodoItem")
    #expect(isID(record["id"]))
    let fields = try #require(record["fields"])
    try expect(fields, has: ["name", "done", "note", "priority", "due", "list"])
    #expect(fields["name"] == .string("Buy \"milk\""))
    #expect(fields["done"] == .bool(true))
    #expect(fields["note"] == .null)
    #expect(fields["priority"] == .integer(-3))
    #expect(fields["due"] == .string("2026-12-24T17:00:00.000Z"))
    #expect(fields["list"] == .string(list))
    let id = try #require(record["id"]?.string)
    #expect(try await device.object("show", id) == record)
  }

  @Test func `a cycle answers what it saw`() async throws {
    try await device.succeed("save", "Tag", "name=x")
    let sync = try await device.object("sync")["sync"]

    try expect(sync, has: ["imported", "exported", "setAside", "standing", "asOf", "error"])
    #expect(sync?["imported"] == .integer(0))
    #expect(sync?["exported"] == .integer(1))
    #expect(sync?["setAside"] == .integer(0))
    #expect(sync?["standing"] == .string("caughtUp"))
    #expect(isMoment(sync?["asOf"]))
    #expect(sync?["error"] == .null)
  }

  @Test func `a cycle that fails answers why, on both streams`() async throws {
    let stranded = CommandDevice(
      "stranded", in: folder, transport: "directory:" + folder.path("gone"))
    let outcome = try await stranded.run(["--json", "sync"])

    #expect(outcome.code == 4)
    let sync = try outcome.objects().first?["sync"]
    try expect(sync?["error"], has: ["code", "message", "recovery"])
    #expect(sync?["asOf"] == .null)
    let error = try #require(try outcome.errorObjects().first?["error"])
    try expect(error, has: ["code", "message", "recovery", "at"])
    #expect(error["at"] == .null)
    #expect(error["code"] == sync?["error"]?["code"])
  }

  @Test func `the status tells its places and counts`() async throws {
    try await device.succeed("save", "Tag", "name=x")
    let status = try await device.object("status")["status"]

    try expect(
      status,
      has: [
        "device", "peer", "phase", "standing", "asOf", "until", "reason", "cure", "question",
        "pending",
        "setAside", "orphans", "conflicts", "lastSuccessfulActivity", "switch",
      ])
    try expect(status?["pending"], has: ["total", "oldest"])
    try expect(status?["switch"], has: ["wanted", "active", "pendingPurge"])
    #expect(status?["device"] == .string("phone"))
    #expect(status?["peer"] == .string("directory:" + folder.path("shared")))
    #expect(status?["pending"]?["total"] == .integer(1))
    #expect(isMoment(status?["pending"]?["oldest"]))
    let phases = ["idle", "settingUp", "importing", "exporting", "failed"]
    #expect(phases.contains(status?["phase"]?.string ?? ""))
    let standings = ["off", "settingUp", "working", "caughtUp", "waiting", "blocked"]
    #expect(standings.contains(status?["standing"]?.string ?? ""))
  }

  @Test func `an event tells its kind, times and outcome`() async throws {
    try await device.succeed("save", "Tag", "name=x")
    try await device.succeed("sync")
    let events = try await device.run(["--json", "events"]).objects()

    #expect(!events.isEmpty)
    for event in events {
      try expect(
        event["event"],
        has: ["kind", "store", "peer", "start", "end", "succeeded", "error", "records"])
      #expect(isMoment(event["event"]?["start"]))
      #expect(isID(event["event"]?["store"]))
      #expect(event["event"]?["succeeded"] == .bool(true))
    }
    let export = events.first { $0["event"]?["kind"] == .string("export") }
    #expect(export?["event"]?["records"] == .integer(1))
  }

  @Test func `every line of standard output is one object`() async throws {
    let outcome = try await device.run(
      ["--json", "--yes"]
        + [
          "save Tag name=x", "count Tag", "sync", "status", "events", "pending", "conflicts",
          "history", "devices", "transport", "transport use memory", "sql SELECT 1 AS one",
          "sync auto off", "sync off", "sync on", "link down", "link up", "begin", "rollback",
          "schema", "device tablet", "export Tag '\(folder.path("tags.csv"))'",
        ].flatMap { ["-c", $0] })

    #expect(outcome.code == 0, "\(outcome.error)")
    for object in try outcome.objects() { #expect(object.members != nil, "\(object.text)") }
    #expect(outcome.error.isEmpty, "\(outcome.error)")
  }
}
