import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// A store is made whole, once, and opened beside others who have it open.
@Suite struct CreationTests: StorePlace {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `a store that is made in new folders is one file when it is closed`() async throws {
    try await Self.save(at: folder.path("a/b/store.sqlite"))

    let names = try folder.names(in: "a/b")
    #expect(names.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") } == ["store.sqlite"])
  }

  @Test func `what killed processes left of making a store goes with the next making`()
    async throws
  {
    // No process has this number: it is above the greatest that the kernel gives.
    try folder.write("half", to: ".store.sqlite.new-99999999-x")
    try folder.write("half", to: ".store.sqlite.new-\(getpid())-y")

    try await makeStore()

    let names = try folder.names(in: "").filter { $0.hasPrefix(".") }
    #expect(names == [".store.sqlite.new-\(getpid())-y"])
  }

  @Test func `many openings at once make one store`() async throws {
    let path = path
    let ids = try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          let store = try await Store.open(.file(path), schema: SampleSchema.todo())
          try await store.write { try $0.save(TodoItem("one of many")) }
          return store.id
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }

    #expect(ids.count == 1)
    let store = try await Store.open(.file(path), schema: SampleSchema.todo())
    #expect(try await store.read { try $0.count(TodoItem.self) } == 8)
    #expect(try folder.names(in: "").filter { $0.hasPrefix(".") } == [])
  }

  @Test func `a store opens while another program is in the middle of writing`() async throws {
    try await makeStore()
    let other = try ForeignClient(path)
    try other.script("BEGIN IMMEDIATE; UPDATE TodoItem SET note = 'half'")

    let store = try await Store.open(.file(path), schema: SampleSchema.todo())

    #expect(try await store.read { try $0.fetch(TodoItem.self).map(\.note) } == [nil])
    try other.run("ROLLBACK")
  }

  /// Closing any descriptor of a file ends the locks that the process has on it; another process
  /// that closes the last connection it knows of then deletes the log under the open store.
  @Test func `opening a store again does not end the locks of the first`() async throws {
    let store = try await Store.open(.file(path), schema: SampleSchema.todo())
    try await store.write { try $0.save(TodoItem("one")) }
    let again = try await Store.open(.file(path), schema: SampleSchema.todo())
    // Looking for stores beside a new one reads this one's header, too.
    await #expect(throws: StorageError.self) {
      _ = try await Store.open(
        .file(folder.path("beside.sqlite")), schema: SampleSchema.todo())
    }

    let shell = ChildProcess(
      folder: try TemporaryFolder(), executable: "/usr/bin/sqlite3",
      arguments: [path, "SELECT count(*) FROM TodoItem"])
    let outcome = try await shell.run()

    #expect(outcome.output == "1\n", "\(outcome.error)")
    #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    try await store.write { try $0.save(TodoItem("two")) }
    #expect(try await again.read { try $0.count(TodoItem.self) } == 2)
  }
}
