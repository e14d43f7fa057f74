import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

@Suite struct PinnedContextTests {
  @Test func `a pinned context sees its generation only`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a")
    let context = EditingContext(world.store)
    try await context.pin()
    try await world.make(.update("TodoItem", id, ["name": .text("s")]))
    _ = try await world.item("new")

    #expect(try await context.records(Query("TodoItem")).map { $0["name"] } == [.text("a")])
    #expect(try await context.record("TodoItem", id)?["name"] == .text("a"))

    let merge = try await context.unpin()
    #expect(merge.updated.map(\.id) == [id])
    #expect(context.generation == nil)
    #expect(try await context.records(Query("TodoItem")).count == 2)
  }

  @Test func `pinning shows what is held as the generation has it`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a", note: "n")
    let generation = try await world.store.generation()
    try await world.make(.update("TodoItem", id, ["name": .text("s"), "note": .text("s")]))
    let context = EditingContext(world.store, mergePolicy: .storeTrumps)
    _ = try await context.record("TodoItem", id)
    try context.update("TodoItem", id, values: ["note": .text("c")])

    try await context.pin(to: generation)

    #expect(context["TodoItem", id]?["name"] == .text("a"))
    #expect(context["TodoItem", id]?["note"] == .text("c"))
    try await context.merge()
    #expect(context["TodoItem", id]?["name"] == .text("s"))
    #expect(generation.token == (try await world.store.historyToken()))
  }

  @Test func `a save, a merge and a reset advance a pinned context`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a", note: "n")
    let context = EditingContext(world.store)
    try await context.pin()
    _ = try await context.record("TodoItem", id)
    let first = try #require(context.generation).token

    try await world.make(.update("TodoItem", id, ["note": .text("s")]))
    try context.insert("Tag", values: [:])
    try await context.save()
    let second = try #require(context.generation).token
    #expect(second.sequence > first.sequence)
    #expect(context["TodoItem", id]?["note"] == .text("s"))

    try await world.make(.update("TodoItem", id, ["note": .text("t")]))
    let merge = try await context.merge()
    #expect(merge.updated.map(\.id) == [id])
    #expect(context.generation?.token == merge.token)

    try await world.make(.update("TodoItem", id, ["note": .text("u")]))
    try await context.reset()
    #expect(try await context.record("TodoItem", id)?["note"] == .text("u"))
    #expect(context.generation?.token == (try await world.store.historyToken()))
  }

  @Test func `a pinned context that merges automatically is not frozen`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a")
    let follower = try await Follower(world.store, id)
    let merging = Task { try await follower.follow() }

    try await world.make(.update("TodoItem", id, ["name": .text("s")]))

    #expect(await follower.nextShown() == .text("s"))
    merging.cancel()
    try await merging.value
  }

  @Test func `a generation of another store is refused`() async throws {
    let (world, other) = (try await TestStore(), try await TestStore())
    let context = EditingContext(world.store)
    let generation = try await other.store.generation()

    let error = await #expect(throws: HistoryError.self) {
      try await context.pin(to: generation)
    }

    #expect(error?.code == .tokenFromAnotherStore)
    #expect(context.generation == nil)
  }

  @Test func `an error of pinning is thrown and leaves the context as it was`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a")
    let context = EditingContext(world.store)
    _ = try await context.record("TodoItem", id)
    let generation = try await world.store.generation()
    await generation.close()

    let error = await #expect(throws: StorageError.self) {
      try await context.pin(to: generation)
    }

    #expect(error?.code == .generationEnded)
    #expect(context.generation == nil)
    #expect(try await context.record("TodoItem", id)?["name"] == .text("a"))
  }

  private actor Follower {
    private let context: EditingContext
    private let id: RecordID
    private var shown: Value?
    private var waiting: CheckedContinuation<Value?, Never>?

    init(_ store: Store, _ id: RecordID) async throws {
      context = EditingContext(store)
      self.id = id
      try await context.pin()
      _ = try await context.record("TodoItem", id)
    }

    func follow() async throws {
      try await context.mergeAutomatically { _ in
        self.shown = self.context["TodoItem", self.id]?["name"]
        self.waiting?.resume(returning: self.shown)
        self.waiting = nil
      }
    }

    func nextShown() async -> Value? {
      if let shown { return shown }
      return await withCheckedContinuation { waiting = $0 }
    }
  }
}
