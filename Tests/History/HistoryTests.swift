import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

@Suite struct HistoryTests {
  @Test func `history after a token holds what came later and nothing else`() async throws {
    let store = try await emptyStore()
    let id = try await store.write(author: "ann") {
      try $0.insert("TodoItem", values: ["name": .text("milk")])
    }
    let token = try await store.historyToken()
    try await store.write(author: "ben", context: "kitchen") {
      try $0.update("TodoItem", id, values: ["done": .integer(1)])
    }
    try await store.write { try $0.delete("TodoItem", id) }

    let later = try await store.history(after: token)

    #expect(later.map(\.author) == ["ben", nil])
    #expect(later.first?.context == "kitchen")
    #expect(later.flatMap(\.changes).map(\.kind) == [.update, .delete])
    #expect(later.first?.changes.first?.properties == ["done"])
    #expect(later.allSatisfy { $0.origin == .thisProcess })
    #expect(try await store.history().count == 3)
    #expect(try await store.history(after: try #require(later.last?.token)).isEmpty)
  }

  @Test func `a limit gives the oldest, and its token leads on`() async throws {
    let store = try await emptyStore()
    for number in 0..<5 {
      try await store.write(author: "\(number)") { try $0.insert("Tag", values: [:]) }
    }
    var token: HistoryToken?
    var authors: [String?] = []

    while let last = try await store.history(after: token, limit: 2).last {
      authors += try await store.history(after: token, limit: 2).map(\.author)
      token = last.token
    }

    #expect(authors == ["0", "1", "2", "3", "4"])
  }

  @Test func `the history of a record leaves out what happened to others`() async throws {
    let store = try await emptyStore()
    let id = try await store.write {
      try $0.insert("Tag", values: [:])
      return try $0.insert("Tag", values: ["name": .text("mine")])
    }
    try await store.write { try $0.insert("Tag", values: [:]) }

    let history = try await store.history(of: id)

    #expect(history.count == 1)
    #expect(history.flatMap(\.changes).map(\.id) == [id])
  }

  @Test func `what another SQLite client wrote is told as such once it is sealed`() async throws {
    let store = try await emptyStore()
    let connection = try Connection(path: store.path, readOnly: false)
    try connection.run("INSERT INTO Tag(name) VALUES ('by hand')")

    try await store.write(author: "ann") { try $0.insert("Tag", values: [:]) }

    let history = try await store.history()
    #expect(history.map(\.origin) == [.anotherClient, .thisProcess])
    #expect(history.first?.changes.first?.entity == "Tag")
  }

  @Test func `another opening of the store is another process`() async throws {
    let store = try await emptyStore()
    let other = try await Store.open(.file(store.path), schema: store.schema)
    try await other.write { try $0.insert("Tag", values: [:]) }

    #expect(try await store.history().map(\.origin) == [.anotherProcess])
    #expect(try await other.history().map(\.origin) == [.thisProcess])
  }

  @Test func `a token of another store is refused for reading and for saving`() async throws {
    let store = try await emptyStore()
    let stranger = try await emptyStore().historyToken()

    let reading = await #expect(throws: HistoryError.self) {
      try await store.history(after: stranger)
    }
    let saving = await #expect(throws: HistoryError.self) {
      try await store.save(stranger, for: "search index")
    }

    #expect(reading?.code == .tokenFromAnotherStore)
    #expect(saving?.code == .tokenFromAnotherStore)
    #expect(try await store.consumers().isEmpty)
  }

  @Test func `consumers keep their places, also for another opening of the store`() async throws {
    let store = try await emptyStore()
    try await store.write { try $0.insert("Tag", values: [:]) }
    let token = try await store.historyToken()
    #expect(try await store.token(of: "search index") == nil)

    try await store.save(HistoryToken(store: store.id, sequence: 0), for: "search index")
    try await store.save(token, for: "search index")
    try await store.save(token, for: "badge")

    let other = try await Store.open(.file(store.path), schema: store.schema)
    #expect(try await other.token(of: "search index") == token)
    #expect(try await other.consumers().map(\.name) == ["badge", "search index"])
  }

  private func emptyStore() async throws -> Store {
    try await Store.open(.memory, schema: try SampleSchema.todo())
  }
}
