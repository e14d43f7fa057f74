import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

@Suite struct StoreTests {
  @Test func `a saved typed record reads back as it was`() async throws {
    let store = try await Store.open(.memory, schema: SampleSchema.todo())
    var item = TodoItem("Buy milk", priority: 3)
    item.due = Date(timeIntervalSince1970: 1_800_000_000.25)
    let list = TodoList(title: "Home")
    item.list = Reference(list)

    let saved = item
    try await store.write {
      try $0.save(saved)
      try $0.save(list)
    }

    let found = try await store.read { try $0.fetch(TodoItem.self, id: saved.id) }
    #expect(found?.name == "Buy milk")
    #expect(found?.priority == 3)
    #expect(found?.due == item.due)
    #expect(found?.list == item.list)
    #expect(found?.note == nil)
  }

  @Test func `a predicate reads just the records that it holds for`() async throws {
    let store = try await Store.open(.memory, schema: SampleSchema.todo())
    try await store.write {
      for (index, name) in ["milk", "bread", "oat milk"].enumerated() {
        try $0.save(TodoItem(name, done: index == 1, priority: index))
      }
    }

    let names = try await store.read {
      try $0.fetch(
        TodoItem.self,
        where: #Predicate { $0.name.contains("milk") && !$0.done && $0.priority >= 1 }
      ).map(\.name)
    }
    let starting = try await store.read {
      try $0.count(
        TodoItem.self, where: #Predicate { $0.name.starts(with: "mi") || $0.note != nil })
    }

    #expect(names == ["oat milk"])
    #expect(starting == 1)
  }

  @Test func `a many-to-many link reads from both sides`() async throws {
    let store = try await Store.open(.memory, schema: SampleSchema.todo())
    let item = TodoItem("milk")
    let tag = Tag("shop")

    try await store.write {
      try $0.save(item)
      try $0.save(tag)
      try $0.link("TodoItem", item.id, "tags", to: tag.id)
      try $0.link("Tag", tag.id, "items", to: item.id)
    }

    let (tags, items, links) = try await store.read { read in
      let item = try #require(try read.record("TodoItem", item.id))
      let tag = try #require(try read.record("Tag", tag.id))
      return (
        try read.related(item, "tags").map(\.id), try read.related(tag, "items").map(\.id),
        try read.count(Query("Tag_items"))
      )
    }
    #expect(tags == [tag.id])
    #expect(items == [item.id])
    #expect(links == 1)
  }

  @Test func `a throwing transaction leaves nothing`() async throws {
    struct Stop: Error {}
    let store = try await Store.open(.memory, schema: SampleSchema.todo())

    await #expect(throws: Stop.self) {
      try await store.write {
        try $0.save(TodoItem("milk"))
        throw Stop()
      }
    }

    let (count, log) = try await store.read {
      (try $0.count(TodoItem.self), try $0.pendingChanges(after: 0, for: 1).records.count)
    }
    #expect(count == 0)
    #expect(log == 0)
  }

  @Test func `a typed record reads whatever another client wrote into its columns`() async throws {
    let store = try await Store.open(.memory, schema: SampleSchema.todo())
    let client = try ForeignClient(store.path)
    let columns = ["name", "done", "note", "priority", "due", "list"]

    for value in ["NULL", "x'00ff'", "'text'", "-1.5", "9e999", "9223372036854775807"] {
      let values = columns.map { _ in value }.joined(separator: ", ")
      try client.run("INSERT INTO TodoItem(\(columns.joined(separator: ", "))) VALUES (\(values))")
    }

    let found = try await store.read { try $0.fetch(TodoItem.self) }
    #expect(found.count == 6)
    #expect(found.filter { $0.note == "text" && $0.name == "text" }.count == 1)
    #expect(found.filter { $0.due == nil }.count == 3)
  }
}
