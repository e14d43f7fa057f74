import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

@Suite struct ContextMergeTests {
  @Test(arguments: TestStore.Writer.allCases)
  func `a merge takes up changes and deletes, whoever made them`(
    _ writer: TestStore.Writer
  ) async throws {
    let world = try await TestStore()
    let (changed, gone, other) = (
      try await world.item("a"), try await world.item("b"), try await world.item("c")
    )
    let context = EditingContext(world.store)
    _ = try await context.records(Query("TodoItem", where: "priority = 0"))
    let (new, stranger) = (RecordID(), RecordID())
    try await world.make(.update("TodoItem", changed, ["name": .text("s")]), by: writer)
    try await world.make(.delete("TodoItem", gone), by: writer)
    try await world.make(.insert("TodoItem", new, ["name": .text("new")]), by: writer)
    try await world.make(.insert("TodoItem", stranger, ["priority": .integer(1)]), by: writer)
    try await world.make(.insert("Tag", RecordID(), ["name": .text("red")]), by: writer)

    let merge = try await context.merge()

    #expect(merge.updated.map(\.id) == [changed])
    #expect(merge.deleted.map(\.id) == [gone])
    #expect(merge.inserted.map(\.id) == [new])
    #expect(merge.changedProperties(of: RecordIdentity("TodoItem", changed)) == ["name"])
    #expect(context["TodoItem", changed]?["name"] == .text("s"))
    #expect(context["TodoItem", gone] == nil)
    #expect(context["TodoItem", new]?["name"] == .text("new"))
    #expect(context["TodoItem", stranger] == nil)
    #expect(context["TodoItem", other]?["name"] == .text("c"))
    #expect(try await context.merge().isEmpty)
  }

  @Test(arguments: MergePolicy.allCases)
  func `a merge keeps unsaved edits and takes the other properties`(
    _ policy: MergePolicy
  ) async throws {
    let world = try await TestStore()
    let id = try await world.item("a", note: "n")
    let context = EditingContext(world.store, mergePolicy: policy)
    _ = try await context.record("TodoItem", id)
    try context.update("TodoItem", id, values: ["name": .text("c")])
    try await world.make(
      .update("TodoItem", id, ["name": .text("s"), "note": .text("s2")]), by: .anImport)

    let merge = try await context.merge()

    #expect(context["TodoItem", id]?["name"] == .text("c"))
    #expect(context["TodoItem", id]?["note"] == .text("s2"))
    #expect(context.changedValues("TodoItem", id) == ["name": .text("c")])
    #expect(merge.contested.map(\.id) == [id])
    #expect(merge.updated.map(\.id) == [id])

    // The property that both sides changed is still for the policy to decide.
    if policy == .error {
      let error = await #expect(throws: MergeConflictError.self) { try await context.save() }
      #expect(error?.conflicts.map(\.property) == ["name"])
      #expect(error?.conflicts.first?.readValue == .text("a"))
    } else {
      let result = try await context.save()
      let wins = policy == .objectTrumps || policy == .overwrite
      #expect(result.conflicts.map(\.discardedValue) == [.text(wins ? "s" : "c")])
      #expect(try await world.record("TodoItem", id)?["name"] == .text(wins ? "c" : "s"))
      #expect(try await world.record("TodoItem", id)?["note"] == .text("s2"))
    }
  }

  @Test func `an edit that the store has made as well is no edit after a merge`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a")
    let context = EditingContext(world.store)
    _ = try await context.record("TodoItem", id)
    try context.update("TodoItem", id, values: ["name": .text("same")])
    try await world.make(.update("TodoItem", id, ["name": .text("same")]))

    #expect(try await context.merge().contested.isEmpty)

    #expect(!context.hasChanges)
    #expect(context["TodoItem", id]?["name"] == .text("same"))
  }

  @Test func `a record that is deleted under unsaved edits is kept until the save`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a")
    let context = EditingContext(world.store, mergePolicy: .objectTrumps)
    _ = try await context.record("TodoItem", id)
    try context.update("TodoItem", id, values: ["name": .text("c")])
    try await world.make(.delete("TodoItem", id), by: .anImport)

    #expect(try await context.merge().deleted.map(\.id) == [id])
    #expect(context["TodoItem", id]?["name"] == .text("c"))
    #expect(context.hasChanges)

    let result = try await context.save()
    #expect(result.discarded.map(\.id) == [id])
    #expect(result.conflicts.map(\.contextValue) == [.text("c")])
    #expect(context["TodoItem", id] == nil)
    #expect(!context.hasChanges)
  }

  @Test func `a record that comes to match what was fetched is taken up`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a", priority: 1)
    let context = EditingContext(world.store)
    #expect(try await context.records(Query("TodoItem", where: "priority > 1")).isEmpty)

    try await world.make(.update("TodoItem", id, ["priority": .integer(2)]), by: .plainSQL)

    #expect(try await context.merge().inserted.map(\.id) == [id])
    #expect(context["TodoItem", id]?["priority"] == .integer(2))
  }

  @Test func `a fetched window takes up what enters it, and no more`() async throws {
    let world = try await TestStore()
    var ids: [RecordID] = []
    for number in 0..<3 {
      ids.append(try await world.item("\(number)", priority: Int64(number)))
    }
    let context = EditingContext(world.store)
    _ = try await context.records(Query("TodoItem", orderBy: "priority DESC", limit: 2))

    let below = try await world.item("below", priority: -1)
    #expect(try await context.merge().isEmpty)
    let top = try await world.item("top", priority: 9)
    #expect(try await context.merge().inserted.map(\.id) == [top])
    try await world.make(.delete("TodoItem", top))
    try await world.make(.delete("TodoItem", ids[2]))
    let merge = try await context.merge()

    #expect(merge.inserted.map(\.id) == [ids[0]])
    #expect(Set(merge.deleted.map(\.id)) == [top, ids[2]])
    #expect(context["TodoItem", below] == nil)
  }

  @Test func `a context reads everything again where history was pruned`() async throws {
    let world = try await TestStore()
    let (changed, gone) = (try await world.item("a"), try await world.item("b"))
    let context = EditingContext(world.store)
    _ = try await context.records(Query("TodoItem"))
    try await world.make(.update("TodoItem", changed, ["name": .text("s")]))
    try await world.make(.delete("TodoItem", gone))
    let new = try await world.item("new")
    try await world.store.administer {
      try $0.connection.run("DELETE FROM strandline_transaction WHERE id < 6")
      try $0.connection.run("DELETE FROM strandline_log")
    }

    let merge = try await context.merge()

    #expect(merge.updated.map(\.id) == [changed])
    #expect(merge.deleted.map(\.id) == [gone])
    #expect(merge.inserted.map(\.id) == [new])
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `after a merge every record without edits is as the store has it`(
    _ seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let world = try await TestStore()
    let contexts = MergePolicy.allCases.filter { $0 != .error }.map {
      EditingContext(world.store, mergePolicy: $0)
    }
    var ids: [RecordID] = []
    for _ in 0..<120 {
      let context = contexts[Int.random(in: 0..<contexts.count, using: &random)]
      let values: [String: Value] = [
        Bool.random(using: &random) ? "name" : "note":
          .text("\(Int.random(in: 0..<4, using: &random))")
      ]
      let id = ids.randomElement(using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: ids.append(try context.insert("TodoItem", values: values))
      case 1...3:
        if let id, context["TodoItem", id] != nil {
          try context.update("TodoItem", id, values: values)
        }
      case 4: if let id, context["TodoItem", id] != nil { try context.delete("TodoItem", id) }
      case 5: try await context.save()
      case 6: _ = try await context.records(Query("TodoItem"))
      default: try await context.merge()
      }
    }
    for context in contexts { try await context.save() }
    let stored = try await world.store.read { try $0.records(Query("TodoItem")) }

    for context in contexts {
      try await context.merge()
      for record in stored {
        if let held = context["TodoItem", record.id] {
          #expect(held == record, "seed \(seed), \(context.mergePolicy)")
        }
      }
      let gone = ids.filter { id in !stored.contains { $0.id == id } }
      #expect(gone.allSatisfy { context["TodoItem", $0] == nil }, "seed \(seed)")
    }
  }
}
