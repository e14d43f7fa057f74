import Foundation
import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

@Suite struct ContextFetchTests {
  @Test func `a fetch sees unsaved edits in condition, order, limit and subqueries`() async throws {
    let world = try await TestStore()
    var ids: [RecordID] = []
    for number in 1...4 {
      ids.append(try await world.item("\(number)", priority: Int64(number)))
    }
    let context = EditingContext(world.store)
    _ = try await context.records(Query("TodoItem"))
    try context.update("TodoItem", ids[0], values: ["priority": .integer(9)])
    try context.update("TodoItem", ids[3], values: ["priority": .integer(0)])
    try context.delete("TodoItem", ids[2])
    let new = try context.insert(
      "TodoItem", values: ["name": .text("new"), "priority": .integer(5)])

    let top = try await context.records(
      Query(
        "TodoItem", where: "priority > ? AND name <> ''", arguments: [.integer(1)],
        orderBy: "priority DESC", limit: 2))
    let greatest = try await context.records(
      Query("TodoItem", where: "priority = (SELECT max(priority) FROM TodoItem)"))
    let text = try await context.records(Query("TodoItem", where: "priority = '5'"))

    #expect(top.map(\.id) == [ids[0], new])
    #expect(top.first?["priority"] == .integer(9))
    #expect(greatest.map(\.id) == [ids[0]])
    #expect(text.map(\.id) == [new])
    #expect(try await context.records(Query("TodoItem")).count == 4)
    #expect(try await world.store.read { try $0.count(Query("TodoItem")) } == 4)
  }

  @Test func `a subquery sees unsaved edits of another entity`() async throws {
    let world = try await TestStore()
    let store = world.store
    let (list, item) = try await store.write { transaction in
      let list = try transaction.insert("TodoList", values: ["title": .text("Home")])
      return (list, try transaction.insert("TodoItem", values: ["list": list.value]))
    }
    let context = EditingContext(store)
    _ = try await context.record("TodoList", list)
    try context.update("TodoList", list, values: ["title": .text("Work")])

    let query = Query(
      "TodoItem", where: "list IN (SELECT id FROM TodoList WHERE title = 'Work')")

    #expect(try await context.records(query).map(\.id) == [item])
    #expect(try await store.read { try $0.records(query) }.isEmpty)
  }

  @Test func `typed records are edited by what a body or a form changed`() async throws {
    let world = try await TestStore()
    let context = EditingContext(world.store, mergePolicy: .objectTrumps)
    var item = TodoItem("milk", priority: 1)
    try context.insert(item)
    try await context.save()
    let original = try #require(try await context.fetch(TodoItem.self, id: item.id))
    try await world.make(.update("TodoItem", item.id, ["priority": .integer(7)]))
    try await context.merge()

    item = original
    item.name = "oat milk"
    try context.update(item, since: original)
    try context.update(TodoItem.self, item.id) { $0.done = true }

    #expect(
      context.changedValues("TodoItem", item.id)
        == ["name": .text("oat milk"), "done": .integer(1)])
    let saved = try await context.save()
    #expect(saved.conflicts.isEmpty)
    let open = try await context.fetch(TodoItem.self, where: #Predicate { $0.priority == 7 })
    #expect(open.map(\.name) == ["oat milk"])
    #expect(try context.held(TodoItem.self, item.id)?.done == true)
    try context.delete(item)
    try await context.save()
    #expect(try await world.record("TodoItem", item.id) == nil)
  }

  @Test func `more unsaved edits than a fetch can look through are refused, and saved`()
    async throws
  {
    let world = try await TestStore()
    let context = EditingContext(world.store)
    var last = RecordID()
    for _ in 0..<4000 { last = try context.insert("TodoItem") }

    let error = await #expect(throws: StorageError.self) {
      try await context.records(Query("TodoItem"))
    }

    #expect(error?.code == .invalidQuery)
    #expect(error?.message.contains("4000 unsaved changes") == true)
    #expect(try await context.record("TodoItem", last) != nil)
    #expect(try await context.save().saved.count == 4000)
    #expect(try await context.records(Query("TodoItem")).count == 4000)
  }

  @Test func `a fetch is right for every number of unsaved edits`() async throws {
    let world = try await TestStore()
    let context = EditingContext(world.store)
    _ = try await world.item("saved")

    for number in 0..<9 {
      let found = try await context.records(Query("TodoItem", orderBy: "priority"))
      #expect(found.count == number + 1)
      try context.insert("TodoItem", values: ["priority": .integer(Int64(number))])
    }
  }
}
