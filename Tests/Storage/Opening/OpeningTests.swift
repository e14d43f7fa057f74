import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// What cannot be opened is refused in words and left as it was, byte for byte.
@Suite struct OpeningTests {
  private func refusal(
    of path: String, options: StoreOptions = StoreOptions()
  ) async throws -> StorageError? {
    await #expect(throws: StorageError.self) {
      _ = try await Store.open(.file(path), schema: SampleSchema.todo(), options: options)
    }
  }

  @Test func `a missing file is not made where that is not allowed`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("store.sqlite")

    let error = try await refusal(of: path, options: StoreOptions(mayCreate: false))
    let readOnly = try await refusal(of: path, options: StoreOptions(isReadOnly: true))

    #expect(error?.code == .storeNotFound)
    #expect(
      error?.message == "Could not open the store '\(path)', there is no such file.")
    #expect(readOnly?.code == .storeNotFound)
    #expect(try folder.contents().isEmpty)
  }

  @Test(arguments: [
    "Dear diary, today nothing happened.", "x", String(repeating: "z", count: 9_000),
  ])
  func `a file that is no database is left as it is`(text: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("notes.txt")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let before = try folder.contents()

    let error = try await refusal(of: path)

    #expect(error?.code == .notADatabase)
    #expect(try folder.contents() == before)
  }

  @Test(arguments: ["DELETE", "WAL"])
  func `a database of another application is left as it is`(journal: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("other.sqlite")
    do {
      let other = try ForeignClient(path)
      try other.run("PRAGMA journal_mode = \(journal)")
      try other.script("CREATE TABLE mine(x); INSERT INTO mine VALUES (1)")
    }
    let before = try folder.contents()

    let error = try await refusal(of: path)

    #expect(error?.code == .notAStore)
    #expect(
      error?.message == "Could not open '\(path)', it is a database of another application.")
    #expect(try folder.contents() == before)
  }

  @Test func `a database with another application's number is left as it is`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("other.sqlite")
    do {
      let other = try ForeignClient(path)
      try other.script("PRAGMA application_id = 7; CREATE TABLE t(x); DROP TABLE t")
    }
    let before = try folder.contents()

    let error = try await refusal(of: path)

    #expect(error?.code == .notAStore)
    #expect(try folder.contents() == before)
  }

  @Test func `a store of a later format is left as it is`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("store.sqlite")
    try await makeStore(at: path)
    do {
      let later = try ForeignClient(path)
      try later.script("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let before = try folder.contents()

    let error = try await refusal(of: path)

    #expect(error?.code == .newerFormat)
    #expect(
      error?.message
        == "Could not open '\(path)', a later version of Strandline wrote it (format 99).")
    #expect(try folder.contents() == before)
  }

  @Test func `an empty file becomes a store`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("store.sqlite")
    try Data().write(to: URL(fileURLWithPath: path))

    let store = try await Store.open(.file(path), schema: SampleSchema.todo())

    #expect(try await store.read { try $0.count(TodoItem.self) } == 0)
  }

  @Test func `a store that is open for reading only cannot be changed`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("store.sqlite")
    try await makeStore(at: path)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))

    let store = try await Store.open(
      .file(path), schema: SampleSchema.todo(), options: StoreOptions(isReadOnly: true))
    let error = await #expect(throws: StorageError.self) {
      try await store.write { try $0.save(TodoItem("x")) }
    }
    let importing = await #expect(throws: StorageError.self) {
      try await store.receive([], from: 1)
    }

    #expect(error?.code == .readOnly)
    #expect(importing?.code == .readOnly)
    #expect(try await store.read { try $0.count(TodoItem.self) } == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `a store that is open for reading only shows the model it was written with`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("store.sqlite")
    try await makeStore(at: path)

    let store = try await Store.open(
      .file(path), schema: Schema([Tag.self, TodoItem.self, TodoList.self, Later.self]),
      options: StoreOptions(isReadOnly: true))

    #expect(store.schema == (try SampleSchema.todo()))
  }

  @Test func `a database whose pages are overwritten is damaged, and stays as it is`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("store.sqlite")
    try await makeStore(at: path)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for index in 100..<bytes.count { bytes[index] = 0xA5 }
    try bytes.write(to: URL(fileURLWithPath: path))
    let before = try folder.contents()

    let error = try await refusal(of: path)

    #expect(error?.code == .damaged)
    #expect(try folder.contents() == before)
  }

  private struct Later: Model {
    var id = RecordID()
    var text = ""
  }

  private func makeStore(at path: String) async throws {
    do {
      let store = try await Store.open(.file(path), schema: SampleSchema.todo())
      try await store.write { try $0.save(TodoItem("milk")) }
    }
    // The store's connections close when it is gone; what is in the log moves into the file.
    let client = try ForeignClient(path)
    try client.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
