import Foundation
import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

@Suite struct LiveQueryTests {
  @Test func `the first result is there at once, with its place in history`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a")
    var results = world.store.live(Query("TodoItem")).makeAsyncIterator()

    let first = try #require(try await results.next())

    #expect(first.records.map(\.id) == [id])
    #expect(first.token == (try await world.store.historyToken()))
  }

  @Test(arguments: TestStore.Writer.allCases)
  func `only what touches the result makes another`(_ writer: TestStore.Writer) async throws {
    let world = try await TestStore()
    let (shown, hidden) = (
      try await world.item("shown", priority: 1), try await world.item("hidden")
    )
    let query = world.store.live(Query("TodoItem", where: "priority = 1"))
    var results = query.makeAsyncIterator()
    _ = try await results.next()

    try await world.make(.update("TodoItem", hidden, ["name": .text("x")]), by: writer)
    try await world.make(.insert("Tag", RecordID(), [:]), by: writer)
    try await world.make(.update("TodoItem", shown, ["name": .text("y")]), by: writer)
    let next = try #require(try await results.next())

    #expect(next.records.map { $0["name"] } == [.text("y")])
    #expect(query.evaluations == 2)
  }

  @Test func `irrelevant commits are looked at one by one and cost no evaluation`() async throws {
    let world = try await TestStore()
    let query = world.store.live(Query("TodoItem", where: "priority = 1"))
    let (seen, report) = AsyncStream.makeStream(of: [Value].self)
    let watching = Task {
      for try await result in query { report.yield(result.records.map { $0["name"] }) }
      report.finish()
    }
    var shown = seen.makeAsyncIterator()
    #expect(await shown.next() == [])

    for number in 0..<20 { _ = try await world.item("\(number)") }
    _ = try await world.item("relevant", priority: 1)

    #expect(await shown.next() == [.text("relevant")])
    #expect(query.evaluations == 2)
    watching.cancel()
    try await watching.value
    #expect(await shown.next() == nil)
  }

  @Test func `an equal result is not sent again`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a", priority: 1)
    let query = world.store.live(Query("TodoItem", orderBy: "priority DESC, id", limit: 1))
    var results = query.makeAsyncIterator()
    _ = try await results.next()

    // It meets the condition, so the query runs, but it is beyond the limit.
    _ = try await world.item("beyond", priority: 0)
    try await world.make(.update("TodoItem", id, ["name": .text("b")]))
    try await world.make(.update("TodoItem", id, ["name": .text("a")]))
    let entering = Task { () -> [RecordID]? in
      try await results.next()?.records.map(\.id)
    }
    let top = try await world.item("top", priority: 2)

    #expect(try await entering.value == [top])
  }

  @Test func `records enter and leave a window of limited length`() async throws {
    let world = try await TestStore()
    var ids: [RecordID] = []
    for number in 0..<4 {
      ids.append(try await world.item("\(number)", priority: Int64(number)))
    }
    let query = Query("TodoItem", orderBy: "priority DESC", limit: 2)
    var results = world.store.live(query).makeAsyncIterator()
    #expect(try await results.next()?.records.map(\.id) == [ids[3], ids[2]])

    try await world.make(.delete("TodoItem", ids[3]))
    #expect(try await results.next()?.records.map(\.id) == [ids[2], ids[1]])

    try await world.make(.update("TodoItem", ids[0], ["priority": .integer(9)]), by: .anImport)
    #expect(try await results.next()?.records.map(\.id) == [ids[0], ids[2]])
  }

  @Test func `who comes late gets the newest result only`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a")
    let query = world.store.live(Query("TodoItem"))
    var results = query.makeAsyncIterator()
    _ = try await results.next()

    for number in 0..<50 {
      try await world.make(.update("TodoItem", id, ["priority": .integer(Int64(number))]))
    }

    #expect(try await results.next()?.records.map { $0["priority"] } == [.integer(49)])
    #expect(query.evaluations == 2)
  }

  @Test func `properties that are not shown make no result`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a")
    let query = world.store.live(Query("TodoItem", where: "done = 0"), showing: ["name"])
    var results = query.makeAsyncIterator()
    #expect(try await results.next()?.records.first?.values == ["name": .text("a")])

    try await world.make(.update("TodoItem", id, ["note": .text("x")]))
    try await world.make(.update("TodoItem", id, ["done": .integer(1)]))

    #expect(try await results.next()?.records.isEmpty == true)
    #expect(query.evaluations == 2)
  }

  @Test func `typed results are watched by a predicate`() async throws {
    let world = try await TestStore()
    let query = try world.store.live(
      TodoItem.self, where: #Predicate { !$0.done }, orderBy: [.ascending(\.name)])
    var results = query.makeAsyncIterator()
    #expect(try await results.next()?.records.isEmpty == true)

    try await world.store.write { try $0.save(TodoItem("milk")) }
    let item = try #require(try await results.next()?.records.first)
    #expect(item.name == "milk")

    try await world.make(.update("TodoItem", item.id, ["done": .integer(1)]), by: .anImport)
    #expect(try await results.next()?.records.isEmpty == true)
  }

  @Test func `it ends when the store closes`() async throws {
    let world = try await TestStore()
    var results = world.store.live(Query("TodoItem")).makeAsyncIterator()
    _ = try await results.next()

    world.store.close()

    #expect(try await results.next() == nil)
    #expect(try await results.next() == nil)
  }

  @Test func `errors of the query are thrown from the sequence`() async throws {
    let world = try await TestStore()
    var results = world.store.live(Query("TodoItem", where: "nothing = 1")).makeAsyncIterator()

    await #expect(throws: StorageError.self) { try await results.next() }
  }
}
