import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

@Suite struct EditingContextTests {
  @Test func `a save writes what was edited, in one transaction, and nothing else`() async throws {
    let world = try await TestStore()
    let (kept, edited, gone) = (
      try await world.item("kept"), try await world.item("edited", priority: 1),
      try await world.item("gone")
    )
    let before = try await world.store.historyToken()
    let context = EditingContext(world.store, name: "kitchen", author: "ann")
    _ = try await context.records(Query("TodoItem"))
    try context.update("TodoItem", edited, values: ["priority": .integer(2)])
    try context.delete("TodoItem", gone)
    let new = try context.insert("TodoItem", values: ["name": .text("new")])
    #expect(try await world.store.historyToken() == before)

    let result = try await context.save()

    let history = try await world.store.history(after: before)
    #expect(history.count == 1)
    #expect(history.first?.author == "ann")
    #expect(history.first?.context == "kitchen")
    #expect(history.first?.token == result.token)
    let changes = history.flatMap(\.changes)
    #expect(Set(changes.map(\.id)) == [edited, gone, new])
    #expect(changes.first { $0.id == edited }?.properties == ["priority"])
    #expect(Set(result.saved.map(\.id)) == [edited, gone, new])
    #expect(try await world.record("TodoItem", kept)?["name"] == .text("kept"))
    #expect(try await world.record("TodoItem", gone) == nil)
    #expect(try await world.record("TodoItem", new)?["name"] == .text("new"))
    #expect(!context.hasChanges)
  }

  @Test func `edits are lists in the order of editing, until they are taken back`() async throws {
    let world = try await TestStore()
    let (first, second) = (try await world.item("a"), try await world.item("b"))
    let context = EditingContext(world.store)
    _ = try await context.records(Query("TodoItem"))
    let new = try context.insert("TodoItem", values: [:])
    try context.delete("TodoItem", second)
    try context.update("TodoItem", first, values: ["name": .text("c")])

    #expect(context.changedRecords.map(\.id) == [new, second, first])
    #expect(context.insertedRecords.map(\.id) == [new])
    #expect(context.updatedRecords.map(\.id) == [first])
    #expect(context.deletedRecords.map(\.id) == [second])
    #expect(context.changedValues("TodoItem", first) == ["name": .text("c")])

    try context.update("TodoItem", first, values: ["name": .text("a")])
    #expect(context.changedRecords.map(\.id) == [new, second])
    try context.delete("TodoItem", new)
    try context.insert("TodoItem", id: second, values: ["name": .text("b")])
    #expect(!context.hasChanges)
    let before = try await world.store.historyToken()
    #expect(try await context.save().token == nil)
    #expect(try await world.store.historyToken() == before)
  }

  @Test func `delete rules act in the save and show afterwards`() async throws {
    let world = try await TestStore()
    let context = EditingContext(world.store)
    let list = try context.insert("TodoList", values: ["title": .text("Home")])
    let item = try context.insert("TodoItem", values: ["list": list.value])
    let tag = try context.insert("Tag", values: ["name": .text("red")])
    try await context.link("TodoItem", item, "tags", to: tag)
    try await context.save()
    #expect(try await tags(of: item, in: world.store) == [tag])

    try context.delete("TodoList", list)
    #expect(context["TodoItem", item]?["list"] == list.value)
    try await context.save()

    #expect(context["TodoItem", item]?["list"] == .null)
    try await context.unlink("TodoItem", item, "tags", from: tag)
    try await context.save()
    #expect(try await tags(of: item, in: world.store).isEmpty)
  }

  @Test func `an edit and a delete that takes it along save together`() async throws {
    let schema = try Schema(
      parsing: """
        {"entities":{
        "Parent":{"attributes":{"name":{"type":"text","default":""}},
        "relationships":{"children":{"to":"Child","inverse":"parent","many":true}}},
        "Child":{"attributes":{"name":{"type":"text","default":""}},
        "relationships":{"parent":{"to":"Parent","inverse":"children","onDelete":"cascade"}}}}}
        """)
    let store = try await Store.open(.memory, schema: schema)
    let context = EditingContext(store)
    let parent = try context.insert("Parent")
    let child = try context.insert("Child", values: ["parent": parent.value])
    try await context.save()

    try context.update("Child", child, values: ["name": .text("edited")])
    try context.delete("Parent", parent)
    let result = try await context.save()

    #expect(result.conflicts.isEmpty)
    #expect(context["Child", child] == nil)
    #expect(try await store.read { try $0.count(Query("Child")) } == 0)
  }

  @Test func `rolling back shows what was read, and resetting forgets it`() async throws {
    let world = try await TestStore()
    let (id, gone) = (try await world.item("a"), try await world.item("b"))
    let context = EditingContext(world.store)
    _ = try await context.records(Query("TodoItem"))
    try context.update("TodoItem", id, values: ["name": .text("edited")])
    try context.delete("TodoItem", gone)
    let new = try context.insert("TodoItem", values: [:])

    context.rollback()

    #expect(!context.hasChanges)
    #expect(context["TodoItem", id]?["name"] == .text("a"))
    #expect(context["TodoItem", gone]?["name"] == .text("b"))
    #expect(context["TodoItem", new] == nil)
    try context.update("TodoItem", id, values: ["name": .text("edited")])
    try await context.reset()
    #expect(!context.hasChanges)
    #expect(context["TodoItem", id] == nil)
    #expect(try await context.record("TodoItem", id)?["name"] == .text("a"))
  }

  @Test func `wrong edits are refused where they are made`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a")
    let setting = try await world.store.write {
      try $0.insert("Setting", values: ["key": .text("theme")])
    }
    let context = EditingContext(world.store)

    func code(_ body: () throws -> Void) -> StorageError.Code? {
      #expect(throws: StorageError.self) { try body() }?.code
    }
    #expect(code { try context.update("TodoItem", id, values: [:]) } == .unknownRecord)
    #expect(code { try context.delete("TodoItem", id) } == .unknownRecord)
    _ = try await context.record("TodoItem", id)
    _ = try await context.record("Setting", setting)
    #expect(code { try context.insert("TodoItem", id: id) } == .duplicateRecord)
    #expect(code { try context.insert("Nothing") } == .unknownEntity)
    #expect(
      code { try context.update("TodoItem", id, values: ["nam": .null]) } == .unknownProperty)
    #expect(
      code { try context.update("TodoItem", id, values: ["name": .integer(1)]) } == .wrongType)
    #expect(
      code { try context.update("Setting", setting, values: ["key": .text("size")]) }
        == .constraint)
    #expect(!context.hasChanges)
  }

  @Test func `what the store refuses stays edited`() async throws {
    let world = try await TestStore()
    let context = EditingContext(world.store)
    let nowhere = RecordID(text: "nowhere")
    let id = try context.insert("TodoItem", values: ["list": nowhere.value])

    let error = await #expect(throws: StorageError.self) { try await context.save() }
    #expect(error?.code == .constraint)
    #expect(context.changedRecords.map(\.id) == [id])

    try context.update("TodoItem", id, values: ["list": .null])
    try await context.save()
    #expect(try await world.record("TodoItem", id) != nil)
  }

  @Test func `the same identity inserted in two contexts is one record`() async throws {
    let world = try await TestStore()
    let (one, other) = (
      EditingContext(world.store), EditingContext(world.store, mergePolicy: .objectTrumps)
    )
    let id = try one.insert("Setting", values: ["key": .text("theme"), "value": .text("dark")])
    #expect(
      try other.insert("Setting", values: ["key": .text("theme"), "value": .text("light")]) == id)

    try await one.save()
    let result = try await other.save()

    #expect(result.conflicts.map(\.kind) == [.insertedOnBothSides])
    #expect(result.conflicts.first?.discardedValue == .text("dark"))
    #expect(try await world.record("Setting", id)?["value"] == .text("light"))
  }

  @Test func `edits that are made while a save is under way are kept`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a", note: "n")
    let user = try await ContextUser(world.store, id)

    // The store is held by another transaction, so the save is under way until that ends.
    try await world.store.begin()
    async let saving: Void = user.save()
    await user.waitUntilSaving()
    try await user.edit(["name": .text("a"), "note": .text("later")])
    try await world.store.commit()
    try await saving

    #expect(try await world.record("TodoItem", id)?["name"] == .text("edited"))
    #expect(await user.changes() == ["name": .text("a"), "note": .text("later")])
    try await user.save()
    #expect(try await world.record("TodoItem", id)?["name"] == .text("a"))
    #expect(try await world.record("TodoItem", id)?["note"] == .text("later"))
  }

  /// An actor that has a context of its own.
  private actor ContextUser {
    private let context: EditingContext
    private let id: RecordID
    private var isSaving = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ store: Store, _ id: RecordID) async throws {
      context = EditingContext(store)
      self.id = id
      _ = try await context.record("TodoItem", id)
      try context.update("TodoItem", id, values: ["name": .text("edited")])
    }

    func save() async throws {
      isSaving = true
      for continuation in waiting { continuation.resume() }
      waiting = []
      try await context.save()
    }

    /// The save suspends only once its edits are on their way.
    func waitUntilSaving() async {
      if !isSaving { await withCheckedContinuation { waiting.append($0) } }
    }

    func edit(_ values: [String: Value]) throws {
      try context.update("TodoItem", id, values: values)
    }

    func changes() -> [String: Value] { context.changedValues("TodoItem", id) }
  }

  private func tags(of item: RecordID, in store: Store) async throws -> [RecordID] {
    try await store.read { transaction in
      let record = try #require(try transaction.record("TodoItem", item))
      return try transaction.related(record, "tags").map(\.id)
    }
  }
}
