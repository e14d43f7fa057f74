import Foundation
import Strandline
import StrandlineTestSupport
import Synchronization
import Testing

/// What is read through a reader is watched, whatever kind of reading it is.
@MainActor @Suite struct ShownReaderTests {
  private func view<Content: Sendable>(
    _ store: Store, _ initial: Content,
    _ fetch: @escaping @Sendable (ShownReader) throws -> Content
  ) async -> AppStore<Content> {
    let view = AppStore(store, identifier: "view", initial: initial, fetch: fetch)
    await view.refresh()
    return view
  }

  private func open() async throws -> Store {
    try await Store.open(.memory, schema: try SampleSchema.todo())
  }

  @Test func `a record that is shown by its id arrives, changes and goes`() async throws {
    let store = try await open()
    var item = TodoItem("a")
    let id = item.id
    let view = await view(store, nil) { try $0.fetch(TodoItem.self, id: id)?.name }

    try await store.write { [item] in try $0.save(item) }
    await view.refresh()
    #expect(view.content == "a")
    item.name = "b"
    try await store.write { [item] in try $0.save(item) }
    await view.refresh()
    #expect(view.content == "b")
    try await store.write { try $0.delete("TodoItem", id) }
    await view.refresh()
    #expect(view.content == nil)
    #expect(view.refreshCount == 4)
  }

  @Test func `a number follows records that come to count and no longer count`() async throws {
    let store = try await open()
    let view = await view(store, -1) {
      try $0.count(TodoItem.self, where: #Predicate { !$0.done })
    }
    let item = TodoItem("a")
    try await store.write { try $0.save(item) }
    await view.refresh()
    #expect(view.content == 1)

    try await store.write { try $0.update(TodoItem.self, item.id) { $0.done = true } }
    await view.refresh()

    #expect(view.content == 0)
  }

  @Test func `the records of a relationship follow its links`() async throws {
    let store = try await open()
    let (item, tag) = (TodoItem("a"), Tag("urgent"))
    try await store.write { write in
      try write.save(item)
      try write.save(tag)
    }
    let view = await view(store, []) { try $0.fetch(Tag.self, "tags", of: item).map(\.name) }
    #expect(view.content == [])

    try await store.write { try $0.link(item, "tags", to: tag) }
    await view.refresh()
    #expect(view.content == ["urgent"])
    try await store.write { try $0.unlink(item, "tags", from: tag) }
    await view.refresh()

    #expect(view.content == [])
  }

  @Test func `what is read past the reader is watched where that is said`() async throws {
    let store = try await open()
    let view = await view(store, 0) { reader in
      reader.watch("Tag")
      return try reader.transaction.records(Query("Tag")).count
    }

    try await store.write { try $0.save(TodoItem("unseen")) }
    await view.refresh()
    #expect(view.refreshCount == 1)
    try await store.write { try $0.save(Tag("a")) }
    await view.refresh()

    #expect(view.content == 1)
  }

  /// Pruning leaves the rows of births, so that the log seems to reach further back than it does.
  @Test func `a change that was pruned before anybody looked makes it reload`() async throws {
    let time = Atomic<Int64>(1_800_000_000_000)
    let store = try await Store.open(
      .memory, schema: try SampleSchema.todo(),
      options: StoreOptions(clock: WallClock { time.load(ordering: .relaxed) }))
    let tag = Tag("before")
    try await store.write { try $0.save(tag) }
    let records = await view(store, []) { try $0.fetch(Tag.self).map(\.name) }
    let number = await view(store, 0) { reader in
      reader.watch("Tag")
      return try reader.transaction.fetch(Tag.self).count { $0.name == "after" }
    }
    try await store.write { try $0.update(Tag.self, tag.id) { $0.name = "after" } }
    time.wrappingAdd(86_400_000, ordering: .relaxed)
    try await store.write { try $0.save(TodoItem("later")) }
    try await store.prune(RetentionPolicy(historyDays: 0))

    await records.refresh()
    await number.refresh()

    #expect(records.content == ["after"])
    #expect(number.content == 1)
  }
}
