import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// A store that is open for reading only sees what others save, and leaves no trace.
@Suite struct ReadOnlyTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("store.sqlite") }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open(isReadOnly: Bool = false, at place: String? = nil) async throws -> Store {
    try await Store.open(
      .file(place ?? path), schema: SampleSchema.todo(),
      options: StoreOptions(isReadOnly: isReadOnly))
  }

  private func save(_ name: String) async throws {
    let store = try await open()
    try await store.write { try $0.save(TodoItem(name)) }
  }

  private func names(_ store: Store) async throws -> [String] {
    try await store.read { try $0.fetch(TodoItem.self).map(\.name).sorted() }
  }

  private func rest() throws {
    try ForeignClient(path).run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  @Test func `a store at rest is read without making a file`() async throws {
    try await save("one")
    try rest()
    let before = try folder.contents()
    #expect(before.keys.sorted() == ["store.sqlite"])

    let reader = try await open(isReadOnly: true)

    #expect(try await names(reader) == ["one"])
    #expect(try await reader.checkup().filter { $0.level == .problem } == [])
    #expect(try folder.contents() == before)
  }

  @Test func `a reader of a store at rest sees what is saved from then on`() async throws {
    try await save("one")
    try rest()
    let reader = try await open(isReadOnly: true)
    #expect(try await names(reader) == ["one"])

    let writer = try await open()
    try await writer.write { try $0.save(TodoItem("two")) }
    #expect(try await names(reader) == ["one", "two"])
    try await writer.write { try $0.save(TodoItem("three")) }
    #expect(try await names(reader) == ["one", "three", "two"])
  }

  @Test func `a reader sees what was saved and written back between two reads`() async throws {
    try await save("one")
    try rest()
    let reader = try await open(isReadOnly: true)
    #expect(try await names(reader) == ["one"])

    try await save("two")
    try rest()

    #expect(try folder.names(in: "") == ["store.sqlite"])
    #expect(try await names(reader) == ["one", "two"])
  }

  @Test func `a reader of a live store sees each commit`() async throws {
    let writer = try await open()
    let reader = try await open(isReadOnly: true)

    for count in 1...5 {
      try await writer.write { try $0.save(TodoItem("item")) }
      #expect(try await names(reader).count == count)
    }
  }

  @Test func `every call that would write says that it is read-only`() async throws {
    try await save("one")
    let reader = try await open(isReadOnly: true)
    let calls: [@Sendable () async throws -> Void] = [
      { try await reader.write { try $0.save(TodoItem("x")) } },
      { try await reader.begin() },
      { try await reader.step { _ in } },
      { try await reader.commit() },
      { try await reader.rollback() },
      { try await reader.administer { _ in } },
      { try await reader.importChanges(from: 1) { _ in } },
    ]

    for call in calls {
      let error = await #expect(throws: StorageError.self) { try await call() }
      #expect(error?.code == .readOnly)
    }
    try await reader.sealOtherClients()
    #expect(try await names(reader) == ["one"])
  }

  @Test func `two stores on one file in one process see each other's saves`() async throws {
    let one = try await open()
    let two = try await open()

    try await one.write { try $0.save(TodoItem("one")) }
    try await two.write { try $0.save(TodoItem("two")) }

    #expect(try await names(one) == ["one", "two"])
    #expect(try await names(two) == ["one", "two"])
    #expect(one.id == two.id)
  }

  @Test func `a reader of a store in memory does not hold up its writer`() async throws {
    let store = try await Store.open(.memory, schema: SampleSchema.todo())
    try await store.write { try $0.save(TodoItem("one")) }
    let (entered, enter) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)

    let reading = Task {
      try await store.read { read in
        let before = try read.count(TodoItem.self)
        enter.finish()
        gate.wait()
        return [before, try read.count(TodoItem.self)]
      }
    }
    for await _ in entered {}
    try await store.write { try $0.save(TodoItem("two")) }
    gate.signal()

    #expect(try await reading.value == [1, 1])
    #expect(try await names(store) == ["one", "two"])
  }

  @Test func `the files of a store in memory go with it`() async throws {
    var place = ""
    do {
      let store = try await Store.open(.memory, schema: SampleSchema.todo())
      place = store.path
      #expect(FileManager.default.fileExists(atPath: place))
    }

    // The last reference may be a job of a queue that is about to end.
    for _ in 0..<1000 where FileManager.default.fileExists(atPath: place) { await Task.yield() }
    #expect(!FileManager.default.fileExists(atPath: place))
  }

  @Test(.enabled(if: Mount.isPossible))
  func `a store on a medium that cannot be written is read`() async throws {
    try await save("one")
    try rest()
    let mount = try await Mount.readOnly(folder)

    let reader = try await open(isReadOnly: true, at: mount.folder + "/store.sqlite")
    #expect(try await names(reader) == ["one"])
    let error = await #expect(throws: StorageError.self) {
      _ = try await open(at: mount.folder + "/store.sqlite")
    }
    #expect(error?.code == .readOnly)
    try await mount.end()
  }

  @Test(.enabled(if: Mount.isPossible))
  func `a log on a medium that cannot be written is not passed over`() async throws {
    let writer = try await open()
    try await writer.write { try $0.save(TodoItem("one")) }
    // What a killed process leaves, without the index that only the running machine needs.
    for suffix in ["", "-wal"] {
      try folder.write(
        try folder.bytes("store.sqlite" + suffix), to: "copy/store.sqlite" + suffix)
    }
    let copy = folder.url.appendingPathComponent("copy")
    let mount = try await Mount.readOnly(of: copy.path)

    let error = await #expect(throws: StorageError.self) {
      _ = try await open(isReadOnly: true, at: mount.folder + "/store.sqlite")
    }

    #expect(error?.code == .cannotOpen)
    #expect(error?.message.contains("what is in its log cannot be read") == true)
    try await mount.end()
  }
}
