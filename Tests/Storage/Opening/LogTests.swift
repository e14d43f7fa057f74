import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// A write-ahead log is part of its store, whoever left it.
@Suite struct LogTests: StorePlace {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(arguments: [false, true])
  func `a log without its file is not taken for a new store`(isEmpty: Bool) async throws {
    try folder.write(Data(repeating: 7, count: 5_000), to: "store.sqlite-wal")
    if isEmpty { try folder.write("", to: "store.sqlite") }

    let error = try await refusal(of: path)

    #expect(error?.code == .damaged)
    #expect(
      error?.message == "Could not open the store '\(path)', its file is gone or empty and its "
        + "log is not.")
  }

  @Test func `a store is opened while others close it and end its log`() async throws {
    let path = path
    try await makeStore()
    // Each closing that is the last one removes the log, which another opening is about to read.
    try await withThrowingTaskGroup { group in
      for number in 0..<4 {
        group.addTask {
          for round in 0..<25 {
            let store = try await Store.open(.file(path), schema: SampleSchema.todo())
            try await store.write { try $0.save(TodoItem("\(number) \(round)")) }
            store.close()
          }
        }
      }
      try await group.waitForAll()
    }
    let store = try await Store.open(.file(path), schema: SampleSchema.todo())
    #expect(try await store.read { try $0.count(TodoItem.self) } == 101)
  }

  @Test func `a store whose log is gone opens with what its file holds`() async throws {
    let store = try await Store.open(.file(path), schema: SampleSchema.todo())
    try await store.write { try $0.save(TodoItem("one")) }
    try ForeignClient(path).run("PRAGMA wal_checkpoint(TRUNCATE)")
    try await store.write { try $0.save(TodoItem("two")) }
    try folder.write(try folder.bytes("store.sqlite"), to: "copies/copy.sqlite")

    let copy = try await Store.open(
      .file(folder.path("copies/copy.sqlite")), schema: SampleSchema.todo())

    let names = try await copy.read { try $0.fetch(TodoItem.self).map(\.name) }
    #expect(names == ["one"])
    #expect(try await copy.checkup().filter { $0.level == .problem } == [])
  }

  @Test func `another application's database is known by its log, too`() async throws {
    let other = try ForeignClient(path)
    try other.run("PRAGMA journal_mode = WAL")
    try other.run("PRAGMA wal_autocheckpoint = 0")
    try other.script("CREATE TABLE mine(x); INSERT INTO mine VALUES (1)")

    let error = try await refusal(of: path)

    #expect(error?.code == .notAStore)
  }

  @Test func `a later format is seen in the log alone`() async throws {
    try await makeStore()
    let later = try ForeignClient(path)
    try later.run("PRAGMA wal_autocheckpoint = 0")
    try later.run("PRAGMA user_version = 99")

    let error = try await refusal(of: path)

    #expect(error?.code == .newerFormat)
  }
}
