import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

@Suite struct RecordEditorTests {
  @Test func `what changes elsewhere is told, and edits stay`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a", note: "n")
    let editor = try await RecordEditor.open("TodoItem", id, in: world.store)
    var changes = editor.changes().makeAsyncIterator()
    try editor.set("name", to: .text("edited"))

    // What concerns other records is no news.
    _ = try await world.item("other")
    try await world.make(
      .update("TodoItem", id, ["name": .text("s"), "note": .text("s2")]), by: .anImport)

    #expect(try await changes.next() == .changed(["name", "note"]))
    #expect(editor["name"] == .text("edited"))
    #expect(editor["note"] == .text("s2"))
    #expect(editor.editedProperties == ["name"])
    let result = try await editor.save()
    #expect(result.conflicts.map(\.discardedValue) == [.text("s")])
    #expect(try await world.record("TodoItem", id)?["name"] == .text("edited"))
    #expect(editor.editedProperties.isEmpty)
  }

  @Test(arguments: TestStore.Writer.allCases)
  func `a deletion elsewhere is told, whoever made it`(_ writer: TestStore.Writer) async throws {
    let world = try await TestStore()
    let id = try await world.item("a", note: "n")
    let editor = try await RecordEditor.open("TodoItem", id, in: world.store)
    var changes = editor.changes().makeAsyncIterator()
    try editor.set("name", to: .text("edited"))

    try await world.make(.delete("TodoItem", id), by: writer)

    #expect(try await changes.next() == .deleted)
    #expect(editor.state == .deletedElsewhere)
    #expect(editor["name"] == .text("edited"))
    #expect(editor["note"] == .text("n"))
    #expect(editor.editedProperties == ["name"])
    let error = await #expect(throws: RecordDeletedError.self) { try await editor.save() }
    #expect(error?.message == "Could not save TodoItem \(id), it was deleted elsewhere.")
  }

  @Test func `after a deletion the edits may be discarded`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a")
    let editor = try await RecordEditor.open("TodoItem", id, in: world.store)
    try editor.set("name", to: .text("edited"))
    try await world.make(.delete("TodoItem", id), by: .anImport)
    #expect(try await editor.look() == .deleted)
    let before = try await world.store.historyToken()

    editor.discard()

    #expect(editor.state == .closed)
    #expect(editor.values.isEmpty)
    #expect(throws: StorageError.self) { try editor.set("name", to: .text("x")) }
    #expect(try await editor.look() == nil)
    #expect(try await world.store.historyToken() == before)
    var changes = editor.changes().makeAsyncIterator()
    #expect(try await changes.next() == nil)
  }

  @Test func `after a deletion the values may be kept as a draft`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a", note: "n")
    let editor = try await RecordEditor.open("TodoItem", id, in: world.store)
    try await world.make(.delete("TodoItem", id), by: .anImport)
    #expect(try await editor.look() == .deleted)

    let draft = editor.keepAsDraft()
    try editor.set("name", to: .text("edited later"))

    #expect(editor.state == .draft)
    #expect(draft["name"] == .text("a"))
    #expect(editor["name"] == .text("edited later"))
    #expect(try editor.value(as: TodoItem.self).note == "n")
    #expect(try await world.record("TodoItem", id) == nil)
    // A draft follows nothing, also no record of that id.
    try await world.make(.insert("TodoItem", id, ["name": .text("again")]))
    #expect(try await editor.look() == nil)
    let copy = try await world.store.write { [values = editor.values] in
      try $0.insert("TodoItem", values: values)
    }
    #expect(try await world.record("TodoItem", copy)?["name"] == .text("edited later"))
  }

  @Test func `after a deletion the values may be saved as a new life`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a", note: "n")
    let editor = try await RecordEditor.open(
      "TodoItem", id, in: world.store, name: "editor", author: "ann")
    try editor.set("name", to: .text("edited"))
    try await world.make(.delete("TodoItem", id), by: .anImport)
    #expect(try await editor.look() == .deleted)
    let token = try await world.store.historyToken()

    let life = try await editor.saveAsNewLife()

    #expect(life.isComplete)
    #expect(editor.state == .open)
    let record = try await world.record("TodoItem", id)
    #expect(record?["name"] == .text("edited"))
    #expect(record?["note"] == .text("n"))
    let history = try await world.store.history(after: token)
    #expect(history.flatMap(\.changes).map(\.kind) == [.insert])
    #expect(history.first?.author == "ann")
    // The tombstone that comes once more, and everything else, leaves the new life alone.
    try await world.makeElsewhere { _ in }
    #expect(try await world.record("TodoItem", id) != nil)
    try editor.set("name", to: .text("and on"))
    try await editor.save()
    #expect(try await world.record("TodoItem", id)?["name"] == .text("and on"))
  }

  @Test func `a new life has its links again, and names what is missing`() async throws {
    let world = try await TestStore()
    let store = world.store
    let id = try await world.item("a")
    let (list, kept, gone) = try await store.write { transaction in
      let list = try transaction.insert("TodoList", values: [:])
      try transaction.update("TodoItem", id, values: ["list": list.value])
      let tags = try ["red", "green"].map {
        try transaction.insert("Tag", values: ["name": .text($0)])
      }
      for tag in tags { try transaction.link("TodoItem", id, "tags", to: tag) }
      return (list, tags[0], tags[1])
    }
    let editor = try await RecordEditor.open("TodoItem", id, in: store)
    try await world.makeElsewhere { transaction in
      try transaction.delete("TodoItem", id)
      try transaction.delete("TodoList", list)
      try transaction.delete("Tag", gone)
    }
    #expect(try await editor.look() == .deleted)

    let life = try await editor.saveAsNewLife()

    #expect(life.missingReferences == ["list": list])
    #expect(life.missingLinks == ["tags": [gone]])
    let record = try #require(try await world.record("TodoItem", id))
    #expect(record["list"] == .null)
    #expect(try await store.read { try $0.related(record, "tags").map(\.id) } == [kept])
  }

  @Test func `an identity-keyed record lives again under its own id`() async throws {
    let world = try await TestStore()
    let id = try await world.store.write {
      try $0.insert("Setting", values: ["key": .text("theme"), "value": .text("dark")])
    }
    let editor = try await RecordEditor.open("Setting", id, in: world.store)
    try await world.make(.delete("Setting", id), by: .anImport)
    #expect(try await editor.look() == .deleted)

    let refusal = #expect(throws: StorageError.self) { try editor.set("key", to: .text("size")) }
    #expect(refusal?.code == .constraint)
    try editor.set("value", to: .text("light"))
    try await editor.saveAsNewLife()

    #expect(try await world.record("Setting", id)?["value"] == .text("light"))
    try await world.makeElsewhere { _ in }
    #expect(try await world.record("Setting", id)?["value"] == .text("light"))
  }

  @Test func `a record that comes back elsewhere is told, and edits rest on it`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a", note: "n")
    let editor = try await RecordEditor.open("TodoItem", id, in: world.store)
    try editor.set("name", to: .text("edited"))
    try await world.make(.delete("TodoItem", id))
    #expect(try await editor.look() == .deleted)
    try await world.make(.insert("TodoItem", id, ["name": .text("new"), "note": .text("m")]))

    let error = await #expect(throws: StorageError.self) { try await editor.saveAsNewLife() }
    #expect(error?.code == .duplicateRecord)
    #expect(try await editor.look() == .returned)
    #expect(editor["name"] == .text("edited"))
    #expect(editor["note"] == .text("m"))
    try await editor.save()
    #expect(try await world.record("TodoItem", id)?["name"] == .text("edited"))
  }

  @Test(arguments: [MergePolicy.objectTrumps, .storeTrumps, .rollback, .error])
  func `a save that meets a deletion keeps the values and says so`(
    _ policy: MergePolicy
  ) async throws {
    let world = try await TestStore()
    let id = try await world.item("a", note: "n")
    let editor = try await RecordEditor.open(
      "TodoItem", id, in: world.store, mergePolicy: policy)
    try editor.set("name", to: .text("edited"))
    try await world.make(.delete("TodoItem", id))

    await #expect(throws: RecordDeletedError.self) { try await editor.save() }

    #expect(editor.state == .deletedElsewhere)
    #expect(editor["name"] == .text("edited"))
    #expect(editor.editedProperties == ["name"])
    #expect(try await editor.look() == .deleted)
    #expect(try await editor.look() == nil)
    try await editor.saveAsNewLife()
    #expect(try await world.record("TodoItem", id)?["note"] == .text("n"))
  }

  @Test func `typed values are edited in place`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a")
    let editor = try await RecordEditor.open("TodoItem", id, in: world.store)

    try editor.edit(TodoItem.self) { $0.done = true }

    #expect(editor.editedProperties == ["done"])
    #expect(try editor.value(as: TodoItem.self).done)
    try await editor.save()
    #expect(try await world.record("TodoItem", id)?["done"] == .integer(1))
  }

  @Test func `there is no editor for a record that is not there`() async throws {
    let world = try await TestStore()

    let error = await #expect(throws: StorageError.self) {
      try await RecordEditor.open("TodoItem", RecordID(), in: world.store)
    }

    #expect(error?.code == .unknownRecord)
  }
}
