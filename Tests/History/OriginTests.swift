import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// Every committed transaction is in history, with where it came from.
@Suite struct OriginTests {
  @Test func `an import names its peer, and forgotten where the peer is gone`() async throws {
    let store = try await HistoryFixture.store()
    let peer = try await store.follow("directory:/mnt/share")
    let key = RecordKey(entity: "Note", id: RecordID(text: "n"))
    try await store.apply(
      [RecordDelta(key: key, birth: Stamp(milliseconds: 5))], from: peer)
    let origins = try await store.history().map(\.origin)

    try await store.administer { try $0.connection.run("DELETE FROM strandline_peer") }

    #expect(origins == [.imported(from: "directory:/mnt/share")])
    #expect(try await store.history().map(\.origin) == [.imported(from: "forgotten")])
  }

  @Test func `an import of what waits for its insert is a transaction without changes`()
    async throws
  {
    let store = try await HistoryFixture.store()
    let peer = try await store.follow()
    let life = Stamp(milliseconds: 9)
    let version = Version(life: life, stamp: life.next, value: .text("early"))
    let key = RecordKey(entity: "Note", id: RecordID(text: "n"))

    try await store.apply([RecordDelta(key: key, versions: ["text": version])], from: peer)
    try await store.apply([RecordDelta(key: key, birth: life)], from: peer)

    let history = try await store.history()
    #expect(history.map { $0.changes.map(\.kind) } == [[], [.insert]])
    #expect(try await store.history(of: key.id).count == 2)
  }

  @Test func `entities and fields that the model does not know are told by their keys`()
    async throws
  {
    let store = try await HistoryFixture.store()
    let peer = try await store.follow()
    let born = Stamp(milliseconds: 9)
    let id = RecordID(text: "x")
    let version = Version(life: born, stamp: born, value: .integer(1))
    let later = Version(life: born, stamp: born.next, value: .integer(2))
    let stranger = RecordKey(entity: "Planet", id: id)
    let known = RecordKey(entity: "Note", id: id)
    try await store.apply(
      [RecordDelta(key: stranger, birth: born, versions: ["size": version])], from: peer)
    try await store.apply([RecordDelta(key: known, birth: born)], from: peer)
    try await store.apply([RecordDelta(key: stranger, versions: ["size": later])], from: peer)
    try await store.apply([RecordDelta(key: known, versions: ["mood": later])], from: peer)
    try await store.apply(
      [RecordDelta(key: stranger, death: Death(life: born, stamp: born.next))], from: peer)

    let changes = try await store.allChanges()

    #expect(changes.map(\.entity) == ["Planet", "Note", "Planet", "Note", "Planet"])
    #expect(changes.map(\.kind) == [.insert, .insert, .update, .update, .delete])
    #expect(changes.suffix(3).allSatisfy { $0.properties.isEmpty })
    #expect(try await store.history(of: id, in: "Planet").count == 3)
    #expect(try await store.history(of: id, in: "Note").count == 2)
    #expect(try await store.history(of: id).count == 5)
  }

  @Test func `a transaction that changes nothing is not in history`() async throws {
    let store = try await HistoryFixture.store()
    try await store.write { _ in }
    try await store.write { try $0.insert("Note", id: RecordID(text: "n"), values: [:]) }
    try await store.write {
      try $0.update("Note", RecordID(text: "n"), values: ["text": .text("")])
    }

    #expect(try await store.history().count == 1)
  }

  @Test func `a transaction that inserts and deletes a record tells both`() async throws {
    let store = try await HistoryFixture.store()
    try await store.write {
      let id = try $0.insert("Note", values: ["text": .text("short")])
      try $0.delete("Note", id)
    }

    let history = try await store.history()
    #expect(history.count == 1)
    #expect(history.first?.changes.map(\.kind) == [.insert, .delete])
    #expect(history.first?.changes.last?.preserved["text"] == .text("short"))
  }

  @Test func `two stores on one file and a foreign client are told apart`() async throws {
    let store = try await HistoryFixture.store()
    let other = try await Store.open(.file(store.path), schema: store.schema)
    try await store.write(author: "a") { try $0.insert("Note", values: [:]) }
    try await other.write(author: "b") { try $0.insert("Note", values: [:]) }
    try ForeignWriter(store).run("INSERT INTO Note(text) VALUES ('c')")
    try await other.write(author: "d", context: "import") { try $0.insert("Note", values: [:]) }

    let seen = try await store.history()
    let seenByOther = try await other.history()

    #expect(seen.map(\.origin) == [.thisProcess, .anotherProcess, .anotherClient, .anotherProcess])
    #expect(
      seenByOther.map(\.origin) == [.anotherProcess, .thisProcess, .anotherClient, .thisProcess])
    #expect(seen.map(\.author) == ["a", "b", nil, "d"])
    #expect(seen.last?.context == "import")
  }

  @Test func `a record of one id in two entities has a history for each`() async throws {
    let store = try await HistoryFixture.store()
    let id = RecordID(text: "same")
    try await store.write {
      try $0.insert("Note", id: id, values: [:])
      try $0.insert("Folder", id: id, values: [:])
    }
    try await store.write { try $0.update("Folder", id, values: ["name": .text("x")]) }

    let notes = try await store.history(of: id, in: "Note")
    let folders = try await store.history(of: id, in: "Folder")

    #expect(notes.flatMap(\.changes).map(\.entity) == ["Note"])
    #expect(folders.flatMap(\.changes).map(\.entity) == ["Folder", "Folder"])
    await #expect(throws: StorageError.self) { try await store.history(of: id, in: "Nobody") }
  }

  @Test func `a writing of more properties than one row of the log holds is one change`()
    async throws
  {
    let attributes = (0..<130).map {
      "\"p\($0)\": {\"type\": \"integer\", \"default\": 0, \"preserve\": true}"
    }
    let schema = try Schema(
      parsing: """
        {"entities": {"Wide": {"attributes": {\(attributes.joined(separator: ", "))}}}}
        """)
    let store = try await HistoryFixture.store(schema)
    let id = RecordID(text: "w")
    try await store.write { try $0.insert("Wide", id: id, values: [:]) }
    let names = ["p0", "p61", "p62", "p123", "p124", "p129"]
    try await store.write { write in
      try write.update(
        "Wide", id, values: Dictionary(uniqueKeysWithValues: names.map { ($0, .integer(7)) }))
    }
    try ForeignWriter(store).run("INSERT OR REPLACE INTO Wide(id) VALUES ('w')")
    try await store.write { try $0.delete("Wide", id) }

    let changes = try await store.allChanges()

    #expect(changes.map(\.kind) == [.insert, .update, .update, .delete])
    #expect(changes[1].properties == names)
    #expect(
      changes[1].preserved == Dictionary(uniqueKeysWithValues: names.map { ($0, .integer(0)) }))
    #expect(changes[2].properties.count == 130)
    #expect(changes[2].preserved["p124"] == .integer(7))
    #expect(changes[3].preserved.count == 130)
  }

  @Test func `a record's history is found by its own rows, however long the log is`() async throws {
    let store = try await HistoryFixture.store()
    let plans = try await store.read { read in
      try [HistoryReader.recordSQL, ChangeReader.recordSQL].map { sql in
        let arguments = [Value](
          repeating: .integer(1), count: sql == HistoryReader.recordSQL ? 4 : 3)
        return try read.connection.map("EXPLAIN QUERY PLAN " + sql, arguments) { $0.text(3) }
      }
    }

    let steps = plans.flatMap(\.self)
    #expect(!steps.isEmpty)
    #expect(steps.filter { $0.contains("SCAN") } == [])
    #expect(steps.contains { $0.contains("strandline_log_record") })
  }
}
