import Foundation
import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

@Suite struct GenerationTests {
  @Test func `a generation shows one snapshot until it is advanced`() async throws {
    let world = try await TestStore()
    let id = try await world.item("before")
    let generation = try await world.store.generation()
    let pinned = try await world.store.historyToken()

    for writer in TestStore.Writer.allCases {
      try await world.make(.update("TodoItem", id, ["name": .text(writer.rawValue)]), by: writer)
      let name = try await generation.read { try $0.record("TodoItem", id)?["name"] }
      #expect(name == .text("before"))
      #expect(generation.token == pinned)
    }
    let token = try await generation.advance()

    let name = try await generation.read { try $0.record("TodoItem", id)?["name"] }
    #expect(name == .text(TestStore.Writer.anImport.rawValue))
    #expect(token == (try await world.store.historyToken()))
    #expect(generation.token == token)
  }

  @Test(arguments: [true, false])
  func `a pinned reader blocks no writer`(_ inMemory: Bool) async throws {
    let folder = try TemporaryFolder()
    let store = try await Store.open(
      inMemory ? .memory : .file(folder.path("store.sqlite")), schema: SampleSchema.todo())
    let generation = try await store.generation()

    for batch in 0..<20 {
      try await store.write { transaction in
        for number in 0..<200 {
          try transaction.insert("TodoItem", values: ["name": .text("\(batch) \(number)")])
        }
      }
    }

    #expect(try await generation.read { try $0.count(Query("TodoItem")) } == 0)
    #expect(try await store.read { try $0.count(Query("TodoItem")) } == 4000)
  }

  @Test func `the log is used again from its start once the generation is closed`() async throws {
    let folder = try TemporaryFolder()
    let store = try await Store.open(
      .file(folder.path("store.sqlite")), schema: SampleSchema.todo())
    let generation = try await store.generation()
    let start = try logSize(store)

    try await fill(store)
    let pinned = try logSize(store)
    await generation.close()
    // The first commits after the release bring the checkpoint up, the next ones begin anew.
    try await fill(store)
    let released = try logSize(store)
    for _ in 0..<3 { try await fill(store) }
    let later = try logSize(store)

    #expect(pinned - start > 4_000_000)
    #expect(later - released < pinned - start)
  }

  @Test func `a generation that went out of use lets its place go`() async throws {
    let store = try await TestStore().store

    for _ in 0..<70 { _ = try await store.generation().token }
    for _ in 0..<70 { await (try store.generation()).close() }

    #expect(try await store.generation().read { try $0.count(Query("Tag")) } == 0)
  }

  @Test func `too many generations at once are refused`() async throws {
    let store = try await TestStore().store
    var held: [Generation] = []
    var refusal: StorageError?
    while refusal == nil && held.count < 1000 {
      do {
        held.append(try await store.generation())
      } catch let error as StorageError {
        refusal = error
      }
    }

    #expect(refusal?.code == .tooManyGenerations)
    #expect(held.count == 64)
    await held.removeLast().close()
    #expect(try await store.generation().read { try $0.count(Query("Tag")) } == 0)
  }

  @Test func `pinning says that the file is gone`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("store.sqlite")
    let store = try await Store.open(.file(path), schema: SampleSchema.todo())
    try FileManager.default.removeItem(atPath: path)

    let error = await #expect(throws: StorageError.self) { try await store.generation() }

    #expect(error?.code == .cannotOpen)
  }

  @Test func `pinning refuses another file in the place of the store`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("store.sqlite")
    let store = try await Store.open(.file(path), schema: SampleSchema.todo())
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.moveItem(atPath: path + suffix, toPath: path + "-old" + suffix)
    }
    let other = try await Store.open(
      .file(path), schema: SampleSchema.todo(), options: StoreOptions(mayStandBesideOthers: true))

    let error = await #expect(throws: StorageError.self) { try await store.generation() }

    #expect(error?.code == .cannotOpen)
    #expect(error?.message.contains("another file") == true)
    #expect(try await other.generation().read { try $0.count(Query("Tag")) } == 0)
  }

  @Test func `a closed generation says so`() async throws {
    let store = try await TestStore().store
    let generation = try await store.generation()
    await generation.close()

    let reading = await #expect(throws: StorageError.self) {
      try await generation.read { try $0.count(Query("Tag")) }
    }
    let advancing = await #expect(throws: StorageError.self) { try await generation.advance() }

    #expect(reading?.code == .generationEnded)
    #expect(advancing?.code == .generationEnded)
  }

  @Test func `a statement that ends the snapshot is noticed, and advancing goes on`() async throws {
    let world = try await TestStore()
    let generation = try await world.store.generation()
    _ = try await generation.read { try $0.table(of: "COMMIT") }
    _ = try await world.item("new")

    let error = await #expect(throws: StorageError.self) {
      try await generation.read { try $0.count(Query("TodoItem")) }
    }
    try await generation.advance()

    #expect(error?.code == .generationEnded)
    #expect(try await generation.read { try $0.count(Query("TodoItem")) } == 1)
  }

  private func fill(_ store: Store) async throws {
    for _ in 0..<10 {
      try await store.write { transaction in
        for _ in 0..<100 {
          try transaction.insert(
            "TodoItem", values: ["note": .text(String(repeating: "x", count: 2000))])
        }
      }
    }
  }

  private func logSize(_ store: Store) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: store.path + "-wal")
    return try #require(attributes[.size] as? Int)
  }
}
