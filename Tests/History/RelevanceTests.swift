import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

@Suite struct RelevanceTests {
  /// A view that shows the items of priority 1, of which there is one.
  private struct View {
    let world: TestStore
    let shown: RecordID
    let other: RecordID
    var records: ShownRecords
    let token: HistoryToken

    init(_ query: Query? = nil, properties: Set<String>? = nil) async throws {
      world = try await TestStore()
      shown = try await world.item("shown", priority: 1)
      other = try await world.item("other", priority: 0)
      let query = query ?? Query("TodoItem", where: "priority = ?", arguments: [.integer(1)])
      records = ShownRecords(query, ids: [shown], properties: properties)
      token = try await world.store.historyToken()
    }

    func isTouched() async throws -> Bool {
      try await world.store.isTouched(records, after: token)
    }
  }

  @Test(arguments: TestStore.Writer.allCases)
  func `changes of what is shown count, whoever made them`(
    _ writer: TestStore.Writer
  ) async throws {
    let changed = try await View()
    try await changed.world.make(
      .update("TodoItem", changed.shown, ["name": .text("x")]), by: writer)
    #expect(try await changed.isTouched())

    let left = try await View()
    try await left.world.make(
      .update("TodoItem", left.shown, ["priority": .integer(5)]), by: writer)
    #expect(try await left.isTouched())

    let deleted = try await View()
    try await deleted.world.make(.delete("TodoItem", deleted.shown), by: writer)
    #expect(try await deleted.isTouched())

    let entered = try await View()
    try await entered.world.make(
      .update("TodoItem", entered.other, ["priority": .integer(1)]), by: writer)
    #expect(try await entered.isTouched())

    let inserted = try await View()
    try await inserted.world.make(
      .insert("TodoItem", RecordID(), ["priority": .integer(1)]), by: writer)
    #expect(try await inserted.isTouched())
  }

  @Test(arguments: TestStore.Writer.allCases)
  func `changes of what is not shown do not count`(_ writer: TestStore.Writer) async throws {
    let view = try await View()
    #expect(try await !view.isTouched())
    try await view.world.make(.update("TodoItem", view.other, ["name": .text("x")]), by: writer)
    try await view.world.make(
      .insert("TodoItem", RecordID(), ["priority": .integer(7)]), by: writer)
    try await view.world.make(.insert("Tag", RecordID(), ["name": .text("red")]), by: writer)
    try await view.world.make(.delete("TodoItem", view.other), by: writer)

    #expect(try await !view.isTouched())
  }

  @Test func `properties that are neither shown, looked at nor ordered by do not count`()
    async throws
  {
    let query = Query("TodoItem", where: "priority = 1", orderBy: "due")
    for (property, value, counts) in [
      ("note", Value.text("x"), false), ("name", .text("x"), true), ("due", .real(1), true),
      ("priority", .integer(3), true), ("done", .integer(1), false),
    ] {
      let view = try await View(query, properties: ["name"])
      try await view.world.make(.update("TodoItem", view.shown, [property: value]))
      #expect(try await view.isTouched() == counts, "\(property)")
    }
  }

  @Test func `what a subquery looks at counts, and nothing else of that entity`() async throws {
    let query = Query(
      "TodoItem", where: "list IN (SELECT id FROM TodoList WHERE title = 'Home')")
    let view = try await View(query)
    try await view.world.make(.insert("Setting", .init(text: "a"), ["key": .text("a")]))
    #expect(try await !view.isTouched())

    try await view.world.make(.insert("TodoList", RecordID(), ["title": .text("Home")]))
    #expect(try await view.isTouched())
  }

  @Test func `a subquery on the same entity makes every change of it count`() async throws {
    let query = Query("TodoItem", where: "priority = (SELECT max(priority) FROM TodoItem)")
    let view = try await View(query)

    try await view.world.make(.delete("TodoItem", view.other))

    #expect(try await view.isTouched())
  }

  @Test func `an export and its acknowledgement touch nothing`() async throws {
    let view = try await View()
    let all = ShownRecords(Query("TodoItem"), ids: [view.shown, view.other])
    // What an export writes: the peer's place and an event, no record.
    try await view.world.store.administer(durable: true) {
      try $0.connection.run(
        "INSERT INTO strandline_peer(specification, zone_name, environment, acknowledged) "
          + "VALUES ('memory', 'default', 'development', 99)")
    }
    try await view.world.makeElsewhere { _ in }

    #expect(try await !view.world.store.isTouched(all, after: view.token))
    #expect(try await view.world.store.touchedRecords(after: view.token).isEmpty)
  }

  @Test func `a range ends where it was told to`() async throws {
    let view = try await View()
    try await view.world.make(.update("TodoItem", view.other, ["name": .text("x")]))
    let end = try await view.world.store.historyToken()
    try await view.world.make(.delete("TodoItem", view.shown))

    #expect(
      try await !view.world.store.isTouched(view.records, after: view.token, upTo: end))
    #expect(try await view.world.store.isTouched(view.records, after: end))
    #expect(
      try await view.world.store.touchedRecords(of: ["TodoItem"], after: end)
        == [RecordIdentity("TodoItem", view.shown)])
    #expect(try await view.world.store.touchedRecords(of: ["Tag"], after: end).isEmpty)
  }

  @Test func `where history was pruned the answer is yes`() async throws {
    let view = try await View()
    _ = try await view.world.item("unrelated", priority: 9)
    try await view.world.store.administer {
      try $0.connection.run("DELETE FROM strandline_log")
    }

    #expect(try await view.isTouched())
    let error = await #expect(throws: HistoryError.self) {
      try await view.world.store.touchedRecords(after: view.token)
    }
    #expect(error?.code == .historyExpired)
  }

  @Test func `a token of another store is refused`() async throws {
    let view = try await View()
    let stranger = HistoryToken(store: "another", sequence: 0)

    let error = await #expect(throws: HistoryError.self) {
      try await view.world.store.isTouched(view.records, after: stranger)
    }

    #expect(error?.code == .tokenFromAnotherStore)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `what is called irrelevant leaves the result as it was`(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let world = try await TestStore()
    var ids: [RecordID] = []
    for number in 0..<12 { ids.append(try await world.item("\(number)", priority: 1)) }
    let queries = [
      Query("TodoItem", where: "priority > 2"), Query("TodoItem", where: "name LIKE '1%'"),
      Query("TodoItem", orderBy: "priority DESC, id", limit: 3),
      Query("TodoItem", where: "note IS NULL AND priority <> 3", orderBy: "name", limit: 4),
    ]
    var irrelevant = 0
    for _ in 0..<60 {
      let query = queries[Int.random(in: 0..<queries.count, using: &random)]
      let before = try await world.store.read { try $0.records(query) }
      let token = try await world.store.historyToken()
      let id = ids.randomElement(using: &random) ?? ids[0]
      let isThere = try await world.record("TodoItem", id) != nil
      let values: [String: Value] = [
        Bool.random(using: &random) ? "priority" : "name":
          .integer(Int64.random(in: 0..<5, using: &random))
      ].mapValues { $0 }
      let typed = Dictionary(
        uniqueKeysWithValues: values.map { ($0, $0 == "name" ? .text("\($1)") : $1) })
      let edit: TestStore.Edit =
        !isThere
        ? .insert("TodoItem", id, typed)
        : Int.random(in: 0..<5, using: &random) == 0
          ? .delete("TodoItem", id) : .update("TodoItem", id, typed)
      try await world.make(edit)

      let shown = ShownRecords(query, ids: Set(before.map(\.id)))
      if try await !world.store.isTouched(shown, after: token) {
        irrelevant += 1
        #expect(try await world.store.read { try $0.records(query) } == before, "seed \(seed)")
      }
    }
    #expect(irrelevant > 0, "seed \(seed)")
  }
}
