import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// Stores that released versions wrote open, keep everything, and go on.
@Suite struct FormatTests {
  static let formats = [1, 2, 3, 4]

  /// The tables of which an upgrade changes no row.
  private static let kept = [
    "Note", "Folder", "Label", "Setting", "Draft", "strandline_shadow_Note",
    "strandline_shadow_Folder", "strandline_shadow_Label", "strandline_shadow_Setting",
    "strandline_shadow_Draft", "strandline_log", "strandline_transaction", "strandline_peer",
    "strandline_conflict", "strandline_parked", "strandline_unknown_value",
    "strandline_unknown_record", "strandline_delivery", "strandline_receipt", "strandline_entity",
    "strandline_property", "strandline_switch", "strandline_set_aside",
  ]

  @Test(arguments: formats)
  func `a store of each format is upgraded and keeps every row`(format: Int) async throws {
    let fixture = try Fixture(format: format)
    let before = try Fixture.dump(fixture.path)

    let store = try await fixture.open()

    let after = try Fixture.dump(fixture.path)
    for table in Self.kept where table != "strandline_transaction" {
      // A table that has got columns since keeps what stands in those that it had.
      let width = before[table]?.first?.count ?? 0
      #expect(after[table]?.map { Array($0.prefix(width)) } == before[table], "\(table)")
    }
    // What other clients had written is sealed by the upgrade at the latest.
    #expect(
      after["strandline_transaction"]?.starts(with: before["strandline_transaction"] ?? []) == true)
    #expect(try ForeignClient(fixture.path).run("PRAGMA user_version") == [[.integer(5)]])
    #expect(try await store.checkup().filter { $0.level == .problem } == [])
    let names = after[""]?.compactMap { $0.count > 1 ? $0[1].text : nil } ?? []
    #expect(names.contains("mine") && names.contains("busy"))
  }

  @Test(arguments: formats)
  func `a store of each format shows what was saved`(format: Int) async throws {
    let fixture = try Fixture(format: format)
    let store = try await fixture.open()
    defer { withExtendedLifetime(fixture) {} }

    let note = try await store.read { try $0.record("Note", RecordID(text: "note-all")) }
    #expect(note?["title"] == .text("Grüße 🌊"))
    #expect(note?["count"] == .integer(43))
    #expect(note?["weight"] == .real(1.5))
    #expect(note?["picture"] == .blob([0, 1, 0xFF]))
    #expect(note?["folder"] == .text("folder-home"))
    #expect(note?["extra"] == .text("{\"a\":[1,null]}"))
    let labels = try await store.read { read in
      try read.related(try #require(note), "labels").map(\.id)
    }
    #expect(labels == [RecordID(text: "label-red")])
    #expect(
      try await store.read { try $0.record("Note", RecordID(text: "note-again"))?["title"] }
        == .text("after"))
    #expect(
      try await store.read { try $0.record("Note", RecordID(text: "note-gone")) } == nil)
    #expect(try await store.read { try $0.conflicts().count } == 1)
    #expect(try await store.read { try $0.peers().count } == 1)
  }

  @Test(arguments: formats)
  func `pending changes of each format are sent to the other device`(format: Int) async throws {
    let fixtures = [
      try Fixture(format: format), try Fixture(format: format, variant: "-older-model"),
    ]
    let phone = try await fixtures[0].open()
    let laptop = try await fixtures[1].open()
    defer { withExtendedLifetime(fixtures) {} }
    let peer = try #require(try await phone.read { try $0.peers().first })
    let returning = try #require(try await laptop.read { try $0.peers().first })

    let pending = try await phone.outgoing(for: peer.id, after: peer.acknowledged).deltas
    try await laptop.receive(pending, from: returning.id)
    let answer = try await laptop.outgoing(for: returning.id, after: returning.acknowledged)
    try await phone.receive(answer.deltas, from: peer.id)

    let changed = Set(pending.map(\.key.id))
    #expect(changed.contains(RecordID(text: "note-shell")))
    #expect(changed.contains(RecordID(text: "note-edited")))
    let local: (RecordKey, RecordState) -> Bool = { key, _ in key.entity != "Draft" }
    #expect(
      try await laptop.facts().mapValues(\.agreed).filter(local)
        == phone.facts().mapValues(\.agreed).filter(local))
    // The laptop never had the weight, the labels and the links in its model, and carried them.
    #expect(
      try await laptop.read { try $0.record("Note", RecordID(text: "note-all"))?["weight"] }
        == .real(1.5))
  }

  @Test(arguments: formats)
  func `what a killed process left in the log is there, but for its half transaction`(
    format: Int
  ) async throws {
    let fixture = try Fixture(format: format, isKilled: true)

    let store = try await fixture.open()

    let note = try await store.read { try $0.record("Note", RecordID(text: "note-all")) }
    #expect(note?["count"] == .integer(99))
    #expect(
      try await store.read { try $0.record("Note", RecordID(text: "note-last"))?["title"] }
        == .text("in the log only"))
    #expect(try await store.checkup().filter { $0.level == .problem } == [])
  }

  @Test func `a store of an earlier format is not read without being upgraded`() async throws {
    let fixture = try Fixture(format: 1)
    let before = try fixture.folder.contents()

    let error = await #expect(throws: StorageError.self) {
      _ = try await fixture.open(StoreOptions(isReadOnly: true))
    }

    #expect(error?.code == .olderFormat)
    #expect(try fixture.folder.contents() == before)
  }

  @Test func `a store of an unknown earlier format is left as it is`() async throws {
    let fixture = try Fixture(format: 1)
    try ForeignClient(fixture.path).script(
      "PRAGMA user_version = -3; PRAGMA wal_checkpoint(TRUNCATE)")
    let before = try Fixture.dump(fixture.path)

    let error = await #expect(throws: StorageError.self) { _ = try await fixture.open() }

    #expect(error?.code == .damaged)
    #expect(try Fixture.dump(fixture.path) == before)
  }

  @Test func `a store of each earlier format has the tables of a new one`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("new.sqlite")
    let new = try await Store.open(.file(path), schema: Fixture.schema())
    defer { withExtendedLifetime((new, folder)) {} }
    let expected = try Self.columns(path)
    for format in Self.formats {
      let fixture = try Fixture(format: format)
      let store = try await fixture.open()
      #expect(try Self.columns(fixture.path) == expected, "format \(format)")
      withExtendedLifetime(store) {}
    }
  }

  /// The columns of Strandline's own tables, beside those that follow the model.
  private static func columns(_ path: String) throws -> [[Value]] {
    try ForeignClient(path).run(
      """
      SELECT t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk
      FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
      WHERE t.name LIKE 'strandline\\_%' ESCAPE '\\' AND t.name NOT LIKE '%\\_shadow\\_%' ESCAPE '\\'
      ORDER BY t.name, c.name
      """)
  }
}
