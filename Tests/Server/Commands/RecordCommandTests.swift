import Foundation
import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTransport
import Testing

@Suite struct RecordCommandTests {
  /// A keeper whose data holds a zone with one note.
  private func scene(
    _ values: [String: Value] = ["name": .text("milk"), "done": .integer(0)]
  ) throws -> (Keeper, FileCloud, RecordDelta) {
    let keeper = try Keeper()
    var cloud = try FileCloud(at: keeper.data)
    let note = cloud.note("note-1", values)
    try cloud.send(1, [note])
    return (keeper, cloud, note)
  }

  @Test func `an edit arrives on devices, above all that was there`() async throws {
    var (keeper, cloud, note) = try scene()
    let read = try cloud.fetch(1)

    let outcome = await keeper.type("record", "set", "Note", "note-1", "name=12", "done=true")

    #expect(outcome.code == .done, "\(outcome.said)")
    let changes = try cloud.fetch(1, after: read.cursor, proof: read.proof).changes
    #expect(changes.map(\.delta.key) == [note.key])
    // The name is a text and stays one.
    #expect(changes.first?.delta.versions["name"]?.value == .text("12"))
    #expect(changes.first?.delta.versions["done"]?.value == .integer(1))
    #expect(
      changes.first?.delta.versions.values.allSatisfy { $0.stamp > note.greatestStamp } == true)
    let names = try cloud.authority.storage.devices(in: cloud.zone).map(\.info.name)
    #expect(names.contains("server"))
  }

  @Test func `edits of one server come from one device and repeat no sequence`() async throws {
    var (keeper, cloud, _) = try scene()
    for value in ["a", "b", "c"] {
      _ = await keeper.type("record", "set", "Note", "note-1", "name=\(value)")
    }

    let device = try cloud.authority.storage.devices(in: cloud.zone).filter {
      $0.info.name == "server"
    }

    #expect(device.count == 1 && device.first?.lastAccepted?.sequence == 3)
    #expect(try cloud.fetch(2).changes.last?.delta.versions["name"]?.value == .text("c"))
  }

  @Test func `what a device wrote unaware of the edit is listed as a conflict`() async throws {
    var (keeper, cloud, note) = try scene()
    let read = try cloud.fetch(1)
    _ = await keeper.type("record", "set", "Note", "note-1", "name=bread")
    let life = try #require(note.birth)
    let stale = Version(life: life, stamp: life.next, value: .text("cheese"))

    try cloud.send(1, [RecordDelta(key: note.key, versions: ["name": stale])], cursor: read.cursor)

    #expect(try cloud.fetch(2).conflicts.map(\.loser) == [stale])
  }

  @Test func `a deleted record is deleted on devices and no longer listed`() async throws {
    var (keeper, cloud, note) = try scene()
    let read = try cloud.fetch(1)

    #expect(await keeper.type("record", "delete", "Note", "note-1").code == .done)

    let changes = try cloud.fetch(1, after: read.cursor, proof: read.proof).changes
    #expect(changes.first?.delta.death?.life == note.birth)
    #expect(await keeper.type("record", "list").output == [])
    #expect(await keeper.type("record", "show", "Note", "note-1").code == .failed)
  }

  @Test func `records are listed and shown`() async throws {
    let (keeper, _, _) = try scene()

    let listed = try await keeper.type("record", "list", "Note", "--json").objects
    let shown = await keeper.type("record", "show", "Note", "note-1")

    #expect(listed.map { $0["id"]?.string } == ["note-1"])
    #expect(listed.first?["fields"]?["name"]?.string == "milk")
    #expect(shown.output.contains { $0.contains("name") && $0.contains("device 1") })
  }

  @Test(
    arguments: [
      (["record", "set", "Note", "note-1", "nam=x"], "Did you mean 'name'?"),
      (["record", "set", "Nota", "note-1", "name=x"], "Did you mean 'Note'?"),
      (["record", "set", "Note", "note-9", "name=x"], "there is no such record"),
      (["record", "set", "Note", "note-1", "done=perhaps"], "it is of another type"),
      (["record", "set", "Note", "note-1", "done:bolean=true"], "Did you mean 'boolean'?"),
      (["record", "set", "Note", "note-1", "name"], "property=value"),
      (["record", "set", "Note", "note-1", "name=x", "name=y"], "named twice"),
      (["record", "list", "--zone", "defualt"], "Did you mean 'default'?"),
      (["record", "list", "--account", "anne"], "Did you mean 'ann'?"),
      (["record", "list", "--environment", "prod"], "development or production"),
    ])
  func `what is mistyped changes nothing and is named`(
    _ words: [String], _ text: String
  ) async throws {
    let (keeper, cloud, _) = try scene()
    let head = try cloud.authority.storage.zone(cloud.zone)?.head

    let outcome = await keeper.type(words)

    #expect([.failed, .usage].contains(outcome.code))
    #expect(outcome.said.contains(text), "\(outcome.said)")
    #expect(try cloud.authority.storage.zone(cloud.zone)?.head == head)
  }

  @Test(
    arguments: [
      ("done:integer=-5", Value.integer(-5)), ("done:real=2", .real(2)),
      ("done:text=5", .text("5")), ("done=null", .null), ("done:data=AAE=", .blob([0, 1])),
      ("done:date=1970-01-01T00:00:01Z", .real(1)),
      ("done:composite={\"a\": 1}", .text("{\"a\":1}")),
    ])
  func `a value is read in the type that is named`(_ word: String, _ value: Value) async throws {
    var (keeper, cloud, _) = try scene()

    let outcome = await keeper.type("record", "set", "Note", "note-1", word)

    #expect(outcome.code == .done, "\(outcome.said)")
    #expect(try cloud.fetch(2).changes.last?.delta.versions["done"]?.value == value)
  }

  @Test func `a beginning of an id names a record where only one begins like that`() async throws {
    var (keeper, cloud, _) = try scene()
    try cloud.send(1, [cloud.note("note-2", ["name": .text("bread")])])

    #expect(await keeper.type("record", "show", "Note", "note-").code == .failed)
    #expect(await keeper.type("record", "delete", "Note", "note-2").code == .done)
    try cloud.send(1, [cloud.note("another-note", ["name": .text("tea")])])
    #expect(await keeper.type("record", "show", "Note", "another").code == .done)
  }
}
