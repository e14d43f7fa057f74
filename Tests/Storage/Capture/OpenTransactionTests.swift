import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// A transaction that stays open between calls keeps its one stamp whatever a step does.
@Suite struct OpenTransactionTests {
  private struct Stop: Error {}
  private static let id = RecordID(text: "x")

  private func store() async throws -> Store {
    let store = try await Store.open(.memory, schema: SampleSchema.todo())
    try await store.write { try $0.insert("TodoItem", id: Self.id, values: [:]) }
    return store
  }

  @Test func `a step that is undone leaves the transaction its stamp`() async throws {
    let store = try await store()

    try await store.begin()
    await #expect(throws: Stop.self) {
      try await store.step {
        try $0.update("TodoItem", Self.id, values: ["name": .text("lost")])
        throw Stop()
      }
    }
    for priority in 1...3 {
      try await store.step {
        try $0.update("TodoItem", Self.id, values: ["priority": .integer(Int64(priority))])
        try $0.update("TodoItem", Self.id, values: ["note": .text("\(priority)")])
      }
    }
    try await store.commit()

    let (shadow, seen) = try await store.read {
      (try #require(try $0.shadow("TodoItem", Self.id)), try $0.seen())
    }
    #expect(shadow.stamps["priority"] == seen)
    #expect(shadow.stamps["note"] == seen)
    #expect(shadow.stamps["name"] == shadow.born)
  }

  @Test func `a commit that is refused can be mended and committed`() async throws {
    let store = try await store()
    let start = try await store.read { try $0.logHead() }

    try await store.begin()
    try await store.step {
      try $0.update("TodoItem", Self.id, values: ["list": .text("nowhere")])
    }
    await #expect(throws: StorageError.self) { try await store.commit() }
    try await store.step {
      try $0.insert("TodoList", id: RecordID(text: "nowhere"), values: [:])
      try $0.update("TodoItem", Self.id, values: ["name": .text("z"), "list": .null])
      try $0.update("TodoItem", Self.id, values: ["list": .text("nowhere")])
    }
    try await store.commit()

    let (shadow, seen, log, transactions) = try await store.read {
      (
        try #require(try $0.shadow("TodoItem", Self.id)), try $0.seen(),
        try $0.log(after: start), try $0.transactions(after: start)
      )
    }
    #expect(shadow.stamps["list"] == seen)
    #expect(shadow.stamps["name"] == seen)
    #expect(
      transactions
        == [TransactionRow(first: start + 1, last: log.last?.sequence ?? 0, origin: 0)])
  }

  @Test func `a transaction that SQLite ended by itself takes no more changes`() async throws {
    let store = try await store()

    await #expect(throws: StorageError.self) {
      try await store.write {
        try $0.update("TodoItem", Self.id, values: ["name": .text("lost")])
        try $0.connection.execute("ROLLBACK")
        try $0.update("TodoItem", Self.id, values: ["name": .text("half")])
      }
    }

    let name = try await store.read { try $0.record("TodoItem", Self.id)?["name"] }
    #expect(name == .text(""))
  }

  @Test func `an open transaction that SQLite ended by itself can only be rolled back`()
    async throws
  {
    let store = try await store()

    try await store.begin()
    try await store.step { try $0.connection.execute("RELEASE step; ROLLBACK; SAVEPOINT step") }
    await #expect(throws: StorageError.self) { try await store.step { _ in } }
    await #expect(throws: StorageError.self) { try await store.commit() }
    try await store.rollback()

    try await store.write { try $0.delete("TodoItem", Self.id) }
    #expect(try await store.read { try $0.count(Query("TodoItem")) } == 0)
  }

  @Test func `a seed that fails does not make seeds of what follows`() async throws {
    let store = try await store()

    try await store.write { write in
      #expect(throws: StorageError.self) {
        try write.seed("Setting", [["key": .text("a"), "value": .integer(1)]])
      }
      try write.insert("Setting", values: ["key": .text("b"), "value": .text("chosen")])
    }

    let shadow = try await store.read { try $0.shadow("Setting", RecordID(text: "b")) }
    #expect(shadow?.born == .firstLife)
    #expect(try #require(shadow?.stamps["value"]) > .firstLife)
  }
}
