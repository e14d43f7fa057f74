import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import Testing

@Suite struct MergeConflictTests {
  @Test(arguments: TestStore.Writer.allCases)
  func `it does not matter who changed the record`(_ writer: TestStore.Writer) async throws {
    let world = try await TestStore()
    let id = try await world.item("a", note: "n")
    let gone = try await world.item("gone")
    let context = EditingContext(world.store)
    _ = try await context.records(Query("TodoItem"))
    try context.update("TodoItem", id, values: ["name": .text("c")])
    try context.update("TodoItem", gone, values: ["name": .text("edited")])
    try await world.make(.update("TodoItem", id, ["name": .text("s")]), by: writer)
    try await world.make(.delete("TodoItem", gone), by: writer)

    let error = await #expect(throws: MergeConflictError.self) { try await context.save() }

    #expect(
      error?.conflicts.map(\.kind).sorted(by: { $0.rawValue < $1.rawValue })
        == [.changedOnBothSides, .deletedInStore])
    let both = try #require(error?.conflicts.first { $0.kind == .changedOnBothSides })
    #expect(both.record == RecordIdentity("TodoItem", id))
    #expect(both.property == "name")
    #expect(both.readValue == .text("a"))
    #expect(both.storeValue == .text("s"))
    #expect(both.contextValue == .text("c"))
    #expect(error?.codeName == "mergeConflict")
    #expect(
      error?.message
        == "Could not save the context, 2 records were changed in the store after the reading.")

    let result = try await context.save(mergePolicy: .objectTrumps)

    #expect(result.merged == [RecordIdentity("TodoItem", id)])
    #expect(result.discarded == [RecordIdentity("TodoItem", gone)])
    #expect(try await world.record("TodoItem", id)?["name"] == .text("c"))
    #expect(try await world.record("TodoItem", gone) == nil)
  }

  @Test func `a refused save changes nothing at all, also of other records`() async throws {
    let world = try await TestStore()
    let (id, other) = (try await world.item("a"), try await world.item("b"))
    let context = EditingContext(world.store)
    _ = try await context.records(Query("TodoItem"))
    try context.update("TodoItem", id, values: ["name": .text("mine")])
    try context.update("TodoItem", other, values: ["name": .text("fine")])
    try await world.make(.update("TodoItem", id, ["name": .text("theirs")]))
    let before = try await world.store.historyToken()

    await #expect(throws: MergeConflictError.self) { try await context.save() }

    #expect(try await world.store.historyToken() == before)
    #expect(try await world.record("TodoItem", other)?["name"] == .text("b"))
    #expect(context["TodoItem", other]?["name"] == .text("fine"))
  }

  @Test func `a conflict that the caller resolved by refreshing saves`() async throws {
    let world = try await TestStore()
    let (mine, theirs, gone) = (
      try await world.item("a"), try await world.item("b"), try await world.item("c", note: "n")
    )
    let context = EditingContext(world.store)
    _ = try await context.records(Query("TodoItem"))
    for id in [mine, theirs, gone] {
      try context.update("TodoItem", id, values: ["name": .text("edited")])
      let edit: TestStore.Edit =
        id == gone ? .delete("TodoItem", id) : .update("TodoItem", id, ["name": .text("theirs")])
      try await world.make(edit)
    }
    await #expect(throws: MergeConflictError.self) { try await context.save() }

    try await context.refresh("TodoItem", mine, keepingChanges: true)
    try await context.refresh("TodoItem", theirs, keepingChanges: false)
    try await context.refresh("TodoItem", gone, keepingChanges: true)
    let result = try await context.save()

    #expect(result.conflicts.isEmpty)
    #expect(try await world.record("TodoItem", mine)?["name"] == .text("edited"))
    #expect(try await world.record("TodoItem", theirs)?["name"] == .text("theirs"))
    let again = try await world.record("TodoItem", gone)
    #expect(again?["name"] == .text("edited"))
    #expect(again?["note"] == .text("n"))
  }
}
