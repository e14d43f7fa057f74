import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// Whatever step of opening a store fails, the store is the old one or the new one.
@Suite struct FailedUpgradeTests {
  /// The fixtures' model after some years: everything that a model can do to another.
  static let later = """
    {"version": 3, "entities": {
      "Entry": {"renamedFrom": "Note", "attributes": {
        "heading": {"type": "text", "default": "-", "renamedFrom": "title"},
        "title": {"type": "text", "default": "", "renamedFrom": "subtitle"},
        "weight": {"type": "real", "default": 0, "renamedFrom": "count2"},
        "count": {"type": "text", "default": ""},
        "due": {"type": "date", "optional": true}},
        "relationships": {"folder": {"to": "Folder", "inverse": "notes", "onDelete": "cascade"},
          "labels": {"to": "Label", "inverse": "notes", "many": true}},
        "indexes": [["heading"], ["due", "heading"]]},
      "Folder": {"attributes": {"name": {"type": "text", "default": ""}},
        "relationships": {"notes": {"to": "Entry", "inverse": "folder", "many": true}}},
      "Label": {"attributes": {"name": {"type": "text", "default": ""}},
        "relationships": {"notes": {"to": "Entry", "inverse": "labels", "many": true}}},
      "Draft": {"attributes": {"text": {"type": "text", "default": ""}}},
      "New": {"attributes": {"name": {"type": "text", "default": ""}}}}}
    """

  private static let step = DataMigration(version: 3) { transaction in
    for entry in try transaction.records(Query("Entry", where: "heading <> ''")) {
      let heading = entry["heading"].text ?? ""
      try transaction.update("Entry", entry.id, values: ["heading": .text(heading.uppercased())])
    }
  }

  /// The earliest format takes every step there is: its own, the model's and that of the records.
  private static let format = 1

  @Test func `an upgrade that fails at any statement leaves the old store`() async throws {
    let schema = try Schema(parsing: Self.later)
    let options = StoreOptions(
      clock: WallClock { 1_900_000_000_000 }, dataMigrations: [Self.step])
    let untouched = try Fixture(format: Self.format)
    let old = try Fixture.dump(untouched.path)
    let upgraded = try Fixture(format: Self.format)
    _ = try await Store.open(.file(upgraded.path), schema: schema, options: options)
    let new = try Fixture.dump(upgraded.path)
    let facts = try await Store.open(.file(upgraded.path), schema: schema).facts()

    var failures = 0
    for count in 1... {
      let fixture = try Fixture(format: Self.format)
      let failing = FailingStatements(in: fixture.folder.url.path, failAt: count)
      do {
        _ = try await Store.open(.file(fixture.path), schema: schema, options: options)
      } catch {
        failures += 1
      }
      failing.end()
      guard failing.hasCome else { break }
      let dump = try Fixture.dump(fixture.path)
      let isOld = dump == old
      #expect(isOld || dump[""] == new[""], "at \(count)")
      if count.isMultiple(of: 20) {
        // Whatever it is now, it opens as the new one.
        let store = try await Store.open(.file(fixture.path), schema: schema, options: options)
        #expect(try await store.facts() == facts, "at \(count)")
        #expect(try Fixture.dump(fixture.path)["strandline_log"] == new["strandline_log"])
      }
    }
    // A test that fails nothing would prove nothing.
    #expect(failures > 100)
  }

  @Test func `making a store that fails at any statement leaves nothing`() async throws {
    let schema = try Fixture.schema()
    var failures = 0
    for count in 1... {
      let folder = try TemporaryFolder()
      let path = folder.path("a/store.sqlite")
      let failing = FailingStatements(in: folder.path("a"), failAt: count)
      let store = try? await Store.open(.file(path), schema: schema)
      failing.end()
      if store == nil {
        failures += 1
        // Reading the finished store may fail as well; then it is whole.
        let names = try folder.names(in: "a").filter { !$0.hasPrefix("store.sqlite-") }
        #expect(names == [] || names == ["store.sqlite"], "at \(count)")
        #expect(names != [] || !FileManager.default.fileExists(atPath: folder.path("a")))
      }
      let again = try await Store.open(.file(path), schema: schema)
      try await again.write { try $0.insert("Note", values: ["title": .text("x")]) }
      #expect(try await again.read { try $0.count(Query("Note")) } == 1)
      guard failing.hasCome else { break }
    }
    #expect(failures > 50)
  }
}
