import CSQLite
import Foundation
import Observation
import Strandline
import StrandlineMemoryTransport
import StrandlineTestSupport
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct AppStoreTests {
  private func device(_ name: String, _ cloud: MemoryCloud) async throws -> SyncedStore {
    let synced = try await SyncedStore.open(
      .memory, schema: try SampleSchema.todo(), registry: Registry([]),
      options: SyncEngine.Options(deviceName: name))
    try await synced.use(MemoryTransport(cloud: cloud))
    return synced
  }

  @Test func `an import that touches what is shown makes it reload, another does not`()
    async throws
  {
    let cloud = MemoryCloud()
    let (phone, laptop) = (try await device("phone", cloud), try await device("laptop", cloud))
    let names = Names(laptop.store)
    let running = Task { await names.view.run() }
    await names.wait(for: [])

    try await phone.store.write { try $0.save(Tag("unseen")) }
    try await phone.syncNow()
    try await laptop.syncNow()
    try await phone.store.write { try $0.save(TodoItem("milk")) }
    try await phone.syncNow()
    try await laptop.syncNow()
    await names.wait(for: ["milk"])

    #expect(names.view.content == ["milk"])
    #expect(names.view.refreshCount == 2)
    running.cancel()
    await running.value
  }

  @Test func `a change that was looked at and is irrelevant is not looked at again`() async throws {
    let names = try await Names.open()
    await names.view.refresh()
    try await names.store.write { try $0.save(Tag("unseen")) }
    await names.view.refresh()
    let place = names.view.place

    #expect(names.view.refreshCount == 1)
    #expect(place == (try await names.store.historyToken().sequence))
  }

  @Test func `a save shows before it returns, after its hook`() async throws {
    let names = try await Names.open()
    var steps: [String] = []
    names.view.hooks.afterSave = { steps.append("saved") }
    names.view.hooks.afterReload = { steps.append("shows \($0)") }

    let id = try await names.view.save { write in
      let item = TodoItem("bread")
      try write.save(item)
      return item.id
    }

    #expect(names.view.content == ["bread"])
    #expect(steps == ["saved", "shows [\"bread\"]"])
    #expect(try await names.store.history(of: id).map(\.context) == ["names"])
  }

  @Test func `a merge during a reload makes another one follow`() async throws {
    let folder = try TemporaryFolder()
    let store = try await Store.open(
      .file(folder.path("store.sqlite")), schema: try SampleSchema.todo())
    let path = store.path
    let names = Names(store) { number in
      guard number == 1 else { return }
      // Another SQLite client commits after the fetch has read.
      var client: OpaquePointer?
      defer { sqlite3_close(client) }
      guard sqlite3_open(path, &client) == SQLITE_OK,
        sqlite3_exec(client, "INSERT INTO TodoItem (name) VALUES ('late')", nil, nil, nil)
          == SQLITE_OK
      else { throw SetupError(description: "The other client could not write.") }
    }
    let running = Task { await names.view.run() }

    await names.wait(for: ["late"])

    #expect(names.view.refreshCount == 2)
    running.cancel()
    await running.value
  }

  @Test func `reloads that are asked for at once never run side by side`() async throws {
    let names = try await Names.open()
    try await names.add("milk")

    await withTaskGroup { group in
      for _ in 0..<20 { group.addTask { await names.view.reload() } }
    }

    #expect(names.view.content == ["milk"])
    #expect(names.fetches.most == 1)
    #expect(names.fetches.all == names.view.refreshCount)
    #expect((1...20).contains(names.fetches.all))
  }

  @Test func `a reload that fails says so, keeps what is shown, and is tried again`() async throws {
    let isBroken = Atomic(false)
    let store = try await Store.open(.memory, schema: try SampleSchema.todo())
    let view = AppStore(store, identifier: "shelf", initial: -1) { reader in
      if isBroken.load(ordering: .relaxed) {
        throw SetupError(description: "the shelf is locked")
      }
      return try reader.count(TodoItem.self)
    }
    var told: [String] = []
    view.hooks.onFailure = { told.append($0.logLine) }
    await view.refresh()

    isBroken.store(true, ordering: .relaxed)
    try await store.write { try $0.save(TodoItem("milk")) }
    await view.refresh()

    #expect(view.content == 0)
    #expect(view.lastReloadError?.identifier == "shelf")
    #expect(
      told == [
        "shelf: reload failed: Could not fetch what is shown, the shelf is locked. Try again."
      ])
    isBroken.store(false, ordering: .relaxed)
    // Nothing has changed since, but what had is not shown yet.
    await view.refresh()
    #expect(view.content == 1)
    #expect(view.lastError == nil)
  }

  @Test func `a save that fails changes nothing and says so`() async throws {
    let names = try await Names.open()
    var told: [AppStoreFailure.Activity] = []
    names.view.hooks.onFailure = { told.append($0.activity) }

    await #expect(throws: StorageError.self) {
      try await names.view.save { write in
        try write.save(TodoItem("half"))
        try write.update("Nothing", RecordID(), values: [:])
      }
    }

    #expect(names.view.lastSaveError?.codeName == "unknownEntity")
    #expect(told == [.save])
    await names.view.refresh()
    #expect(names.view.content == [])
    try await names.view.save { try $0.save(TodoItem("whole")) }
    #expect(names.view.lastSaveError == nil)
  }

  @Test func `observers hear of what is shown`() async throws {
    let names = try await Names.open()
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking {
      _ = names.view.content
    } onChange: {
      change.yield()
    }

    try await names.view.save { try $0.save(TodoItem("milk")) }

    var heard = changes.makeAsyncIterator()
    #expect(await heard.next() != nil)
  }

  @Test func `trace tells when a change had reached what is shown`() async throws {
    let store = try await Store.open(.memory, schema: try SampleSchema.todo())
    let names = Names(store, consumer: "visible names")
    let item = TodoItem("milk")
    try await store.write { try $0.save(item) }
    await names.view.refresh()
    let trace = try #require(try await store.trace(item.id))

    #expect(trace.consumers.map(\.consumer) == ["visible names"])
    #expect(trace.consumers.first?.at != nil)
  }

  @Test func `records and queries of every kind are shown live`() async throws {
    let store = try await Store.open(.memory, schema: try SampleSchema.todo())
    let plain = AppStore(store, identifier: "plain", showing: Query("Tag"))
    let typed = try AppStore(
      store, identifier: "typed", showing: TodoItem.self, where: #Predicate { $0.priority > 1 })
    await plain.refresh()
    await typed.refresh()

    try await store.write { write in
      try write.save(Tag("a"))
      try write.save(TodoItem("b", priority: 2))
      try write.save(TodoItem("c", priority: 0))
    }
    await plain.refresh()
    await typed.refresh()

    #expect(plain.content.map { $0["name"] } == [.text("a")])
    #expect(typed.content.map(\.name) == ["b"])
  }
}
