import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// Earlier values, told and brought back.
@Suite struct RestoreTests {
  private let id = RecordID(text: "n")

  private func set(_ store: Store, _ values: [String: Value]) async throws {
    try await store.write { try $0.update("Note", id, values: values) }
  }

  private func value(_ store: Store, _ property: String) async throws -> Value? {
    try await store.read { try $0.record("Note", id)?[property] }
  }

  @Test func `a difference tells earlier values, and which are no longer held`() async throws {
    let store = try await HistoryFixture.storeWithNote()
    let token = try await store.historyToken()
    try await set(store, ["text": .text("two")])
    try await set(store, ["text": .text("three"), "color": .integer(4)])
    try await set(store, ["body": .null])
    try await set(store, ["body": .text("b")])

    let since = try await store.difference(of: "Note", id, since: token)
    let latest = try await store.difference(of: "Note", id)

    #expect(since.existedThen && since.existsNow)
    #expect(since.changes.map(\.property) == ["text", "color"])
    #expect(since.changes.map(\.old) == [.known(.text("one")), .notHeld])
    #expect(since.changes.map(\.new) == [.text("three"), .integer(4)])
    #expect(latest.changes.map(\.property) == ["body"])
    #expect(latest.changes.map(\.old) == [.known(.null)])
  }

  @Test func `a difference from before the birth has no earlier values`() async throws {
    let store = try await HistoryFixture.storeWithNote()

    let difference = try await store.difference(of: "Note", id, since: store.token(0))

    #expect(!difference.existedThen)
    #expect(difference.changes.allSatisfy { $0.old == .absent })
    #expect(difference.changes.count == 4)
  }

  @Test func `restoring sets known earlier values as a new edit and names the others`()
    async throws
  {
    let store = try await HistoryFixture.storeWithNote()
    let token = try await store.historyToken()
    try await set(store, ["text": .text("two"), "color": .integer(4)])
    try await set(store, ["text": .text("three")])

    let restoration = try await store.restore("Note", id, to: token, author: "ann")

    #expect(!restoration.isNewLife)
    #expect(restoration.properties(.restored) == ["text"])
    #expect(restoration.properties(.notHeld) == ["color"])
    #expect(restoration.properties(.unchanged) == ["body", "folder"])
    #expect(try await value(store, "text") == .text("one"))
    #expect(try await value(store, "color") == .integer(4))
    let edit = try #require(try await store.history().last)
    #expect(edit.author == "ann")
    #expect(edit.context == "restore")
    #expect(edit.changes.map(\.preserved) == [["text": .text("three")]])
  }

  @Test func `without a token the latest change is undone, and doing so twice redoes it`()
    async throws
  {
    let store = try await HistoryFixture.storeWithNote()
    try await set(store, ["text": .text("two")])

    try await store.restore("Note", id)
    #expect(try await value(store, "text") == .text("one"))
    try await store.restore("Note", id)
    #expect(try await value(store, "text") == .text("two"))
  }

  @Test func `a deleted record is brought back in a new life`() async throws {
    let store = try await HistoryFixture.storeWithNote()
    let peer = try await store.follow()
    let first = try await store.pending(for: peer).first { $0.key.id == id }?.birth
    try await store.write { try $0.delete("Note", id) }

    let restoration = try await store.restore("Note", id)

    #expect(restoration.isNewLife)
    #expect(restoration.properties(.restored) == ["body", "folder", "text"])
    #expect(restoration.properties(.notHeld) == ["color"])
    #expect(try await value(store, "text") == .text("one"))
    #expect(try await value(store, "color") == .integer(0))
    let birth = try await store.pending(for: peer).first { $0.key.id == id }?.birth
    #expect(try #require(birth) > (try #require(first)))
  }

  @Test func `a state between two lives can be named`() async throws {
    let store = try await HistoryFixture.storeWithNote()
    try await set(store, ["text": .text("two")])
    let token = try await store.historyToken()
    try await store.write { try $0.delete("Note", id) }
    try await store.write { try $0.insert("Note", id: id, values: ["text": .text("new life")]) }

    let difference = try await store.difference(of: "Note", id, since: token)
    try await store.restore("Note", id, to: token)

    #expect(difference.changes.first?.old == .known(.text("two")))
    #expect(try await value(store, "text") == .text("two"))
    let between = await #expect(throws: HistoryError.self) {
      try await store.restore("Note", id, to: store.token(token.sequence + 1))
    }
    #expect(between?.code == .recordNotThere)
  }

  @Test func `a reference to a record that is gone is left out and told`() async throws {
    let store = try await HistoryFixture.storeWithNote()
    try await store.write { try $0.delete("Folder", RecordID(text: "f")) }

    let restoration = try await store.restore("Note", id)

    #expect(restoration.properties(.targetMissing) == ["folder"])
    #expect(try await value(store, "folder") == .null)
    #expect(try await value(store, "text") == .text("one"))
  }

  @Test func `a record of which nothing is held is not brought back empty`() async throws {
    let store = try await HistoryFixture.store(try HistoryFixture.notes(preserving: false))
    try await store.write { try $0.insert("Note", id: id, values: ["text": .text("one")]) }
    let token = try await store.historyToken()
    try await set(store, ["text": .text("two")])
    let editing = await #expect(throws: HistoryError.self) {
      try await store.restore("Note", id, to: token)
    }
    try await store.write { try $0.delete("Note", id) }
    let deleting = await #expect(throws: HistoryError.self) { try await store.restore("Note", id) }

    #expect(editing?.code == .valuesNotHeld)
    #expect(deleting?.code == .valuesNotHeld)
    #expect(try await store.contents("Note").isEmpty)
  }

  @Test func `a place that was pruned is refused, and a record nobody knows is unknown`()
    async throws
  {
    let day = TestDay()
    let store = try await HistoryFixture.store(day: day)
    try await store.write { try $0.insert("Note", id: id, values: ["text": .text("one")]) }
    try await store.write { try $0.delete("Note", id) }
    let unknown = await #expect(throws: StorageError.self) {
      try await store.restore("Note", RecordID(text: "nobody"))
    }
    try await store.prune(RetentionPolicy(historyDays: 0))
    let pruned = await #expect(throws: HistoryError.self) { try await store.restore("Note", id) }
    let named = await #expect(throws: HistoryError.self) {
      try await store.difference(of: "Note", id, since: store.token(1))
    }

    #expect(unknown?.code == .unknownRecord)
    #expect(pruned?.code == .historyExpired)
    #expect(named?.code == .historyExpired)
  }

  @Test func `an identity-keyed record is brought back under its id`() async throws {
    let store = try await HistoryFixture.store()
    let word = try await store.write {
      try $0.insert("Word", values: ["word": .text("hello"), "count": .integer(2)])
    }
    try await store.write { try $0.delete("Word", word) }

    try await store.restore("Word", word)

    let record = try #require(try await store.contents("Word").first)
    #expect(record.id == word)
    #expect(record["count"] == .integer(2))
  }

  @Test func `a store of a format without earlier values is read all the same`() async throws {
    let store = try await HistoryFixture.storeWithNote()
    try await set(store, ["text": .text("two")])
    try ForeignWriter(store).run("DROP TABLE strandline_preserved")
    let reading = try await Store.open(
      .file(store.path), schema: store.schema, options: StoreOptions(isReadOnly: true))

    #expect(try await reading.history().last?.changes.first?.preserved == [:])
    #expect(try await reading.difference(of: "Note", id).changes.map(\.old) == [.notHeld])
    #expect(try await reading.previewPrune(.standard).preservedValues == 0)
  }

  @Test func `a restore inside an open transaction sees its own changes`() async throws {
    let store = try await HistoryFixture.storeWithNote()
    try await store.begin()
    try await store.step { try $0.update("Note", id, values: ["text": .text("two")]) }

    let restoration = try await store.step { try $0.restore("Note", id) }
    try await store.commit()

    #expect(restoration.properties(.restored) == ["text"])
    #expect(try await value(store, "text") == .text("one"))
  }
}
