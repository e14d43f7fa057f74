import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// What history keeps of values that deletes and updates take away.
@Suite struct PreservedTests {
  private let id = RecordID(text: "n")

  @Test func `an update keeps the values that it replaced, and those alone`() async throws {
    let store = try await HistoryFixture.storeWithNote()
    try await store.write {
      try $0.update("Note", id, values: ["text": .text("two"), "color": .integer(4)])
    }

    let change = try #require(try await store.allChanges().last)
    #expect(change.preserved == ["text": .text("one")])
    #expect(Set(change.properties) == ["text", "color"])
  }

  @Test func `a delete keeps all values that the model asks for, null among them`() async throws {
    let store = try await HistoryFixture.storeWithNote()
    try await store.write { try $0.update("Note", id, values: ["body": .null]) }
    try await store.write { try $0.delete("Note", id) }

    let change = try #require(try await store.allChanges().last)
    #expect(change.preserved == ["text": .text("one"), "body": .null, "folder": .text("f")])
  }

  @Test func `a delete rule's deletes keep values too`() async throws {
    let store = try await HistoryFixture.storeWithNote()
    try await store.write { try $0.delete("Folder", RecordID(text: "f")) }

    let deletes = try await store.allChanges().filter { $0.kind == .delete }
    #expect(Set(deletes.map(\.entity)) == ["Folder", "Note"])
    #expect(deletes.first { $0.entity == "Note" }?.preserved["text"] == .text("one"))
    #expect(deletes.first { $0.entity == "Folder" }?.preserved["name"] == .text("home"))
  }

  @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
  func `plain SQL keeps them however SQLite is set`(
    recursive: Bool, foreignKeys: Bool
  ) async throws {
    let store = try await HistoryFixture.storeWithNote()
    let writer = try ForeignWriter(
      store, recursiveTriggers: recursive, foreignKeys: foreignKeys)
    try writer.run("UPDATE Note SET text = 'two', color = 9 WHERE id = 'n'")
    try writer.run(
      "INSERT INTO Note(id, text) VALUES ('n', 'three') "
        + "ON CONFLICT(id) DO UPDATE SET text = excluded.text")
    try writer.run("INSERT OR IGNORE INTO Note(id, text) VALUES ('n', 'skipped')")
    try writer.run("INSERT INTO Note(id, text) VALUES ('m', 'other')")
    try writer.run("UPDATE OR REPLACE Note SET text = 'four' WHERE id = 'n'")
    try writer.run("UPDATE Note SET text = 'four' WHERE id = 'n'")
    try writer.run("INSERT OR REPLACE INTO Note(id, text, color) VALUES ('n', 'five', 1)")
    try writer.run("REPLACE INTO Note(id, text) VALUES ('n', 'six'), ('m', 'more')")
    try writer.run("DELETE FROM Note WHERE id = 'n'")
    try await store.write { _ in }

    let changes = try await store.history(of: id, in: "Note").flatMap(\.changes).dropFirst()
    let texts = changes.compactMap { $0.preserved["text"]?.text }
    #expect(texts == ["one", "two", "three", "four", "five", "six"])
    let other = try await store.history(of: RecordID(text: "m")).flatMap(\.changes)
    #expect(other.compactMap { $0.preserved["text"]?.text } == ["other"])
    let replaced = try #require(changes.first { $0.preserved["text"] == .text("four") })
    #expect(replaced.kind == (recursive ? .delete : .update))
    #expect(replaced.preserved["body"] == .text("b"))
  }

  @Test func `a statement that fails or is skipped keeps nothing in history`() async throws {
    let store = try await HistoryFixture.storeWithNote()
    let before = try await store.allChanges()
    let writer = try ForeignWriter(store)

    #expect(throws: StorageError.self) {
      try writer.run("INSERT INTO Note(id, text) VALUES ('n', 'refused')")
    }
    try writer.run("INSERT OR IGNORE INTO Note(id, text) VALUES ('n', 'skipped')")
    try await store.write { _ in }

    #expect(try await store.allChanges() == before)
  }

  @Test func `an import keeps what its updates and deletes take away`() async throws {
    let store = try await HistoryFixture.storeWithNote()
    let peer = try await store.follow()
    let key = RecordKey(entity: "Note", id: id)
    let born = try #require(try await store.pending(for: peer).first { $0.key == key }?.birth)
    let late = Stamp(milliseconds: 4_000_000_000_000)
    let version = Version(life: born, stamp: late, value: .text("theirs"))
    try await store.apply([RecordDelta(key: key, versions: ["text": version])], from: peer)
    try await store.apply(
      [RecordDelta(key: key, death: Death(life: born, stamp: late.next))], from: peer)

    let changes = try await store.history(of: id).flatMap(\.changes)
    #expect(changes.map(\.kind) == [.insert, .update, .delete])
    #expect(changes[1].preserved == ["text": .text("one")])
    #expect(
      changes[2].preserved == ["text": .text("theirs"), "body": .text("b"), "folder": .text("f")])
  }

  @Test func `an import of a later life keeps the values of the one that it takes the place of`()
    async throws
  {
    let store = try await HistoryFixture.storeWithNote()
    let peer = try await store.follow()
    let key = RecordKey(entity: "Note", id: id)
    let late = Stamp(milliseconds: 4_000_000_000_000)

    try await store.apply(
      [
        RecordDelta(
          key: key, birth: late,
          versions: ["text": Version(life: late, stamp: late, value: .text("theirs"))])
      ], from: peer)

    let change = try #require(try await store.history(of: id).last?.changes.last)
    #expect(change.kind == .insert)
    #expect(change.preserved["text"] == .text("one"))
    #expect(change.preserved["body"] == .text("b"))
  }

  @Test func `values are kept by permanent key and told by present name`() async throws {
    let store = try await HistoryFixture.storeWithNote()
    try await store.write { try $0.update("Note", id, values: ["body": .text("c")]) }
    let renamed = try Schema(
      parsing: store.schema.modelFile.text.replacing("\"body\"", with: "\"contents\""))

    let again = try await Store.open(.file(store.path), schema: renamed)

    #expect(try await again.allChanges().last?.preserved == ["contents": .text("b")])
    let keys = try await store.read {
      try $0.connection.map("SELECT property FROM strandline_preserved") { $0.text(0) }
    }
    #expect(keys == ["content"])
  }

  @Test func `the flag is taken up and given up by another opening with another model`()
    async throws
  {
    let store = try await HistoryFixture.store(try HistoryFixture.notes(preserving: false))
    try await store.write { try $0.insert("Note", id: id, values: ["text": .text("one")]) }
    try await store.write { try $0.update("Note", id, values: ["text": .text("two")]) }
    let asking = try await Store.open(.file(store.path), schema: try HistoryFixture.notes())
    try await asking.write { try $0.update("Note", id, values: ["text": .text("three")]) }
    let plain = try await Store.open(.file(store.path), schema: store.schema)
    try await plain.write { try $0.update("Note", id, values: ["text": .text("four")]) }

    let kept = try await plain.allChanges().map { $0.preserved["text"] }
    #expect(kept == [nil, nil, .text("two"), nil])
  }
}
