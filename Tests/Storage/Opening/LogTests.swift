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

  /// A process that is killed while it moves a log into the file leaves a first page that counts
  /// pages which only the log holds.
  private func makeHalfCheckpointed(_ name: String) async throws {
    let store = try await Store.open(.file(path), schema: SampleSchema.todo())
    try await store.write { try $0.save(TodoItem("one")) }
    try ForeignClient(path).run("PRAGMA wal_checkpoint(TRUNCATE)")
    try await store.write { write in
      for number in 1...200 {
        try write.save(TodoItem("item \(number) " + String(repeating: "x", count: 100)))
      }
    }
    var file = try folder.bytes("store.sqlite")
    let log = try folder.bytes("store.sqlite-wal")
    store.close()
    var first: Data?
    for offset in stride(from: 32, to: log.count, by: 24 + 4096)
    where log[offset + 3] == 1 && log[offset..<(offset + 3)].allSatisfy({ $0 == 0 }) {
      first = log[(offset + 24)..<(offset + 24 + 4096)]
    }
    file.replaceSubrange(0..<4096, with: try #require(first))
    try folder.write(file, to: "copies/\(name)")
    try folder.write(log, to: "copies/\(name)-wal")
  }

  @Test(arguments: [false, true])
  func `F1: a store that was taking over its log when it was killed opens whole`(isReadOnly: Bool)
    async throws
  {
    try await makeHalfCheckpointed("copy.sqlite")

    let copy = try await Store.open(
      .file(folder.path("copies/copy.sqlite")), schema: SampleSchema.todo(),
      options: StoreOptions(isReadOnly: isReadOnly))

    #expect(try await copy.read { try $0.count(TodoItem.self) } == 201)
    #expect(try await copy.checkup().filter { $0.level == .problem } == [])
  }

  @Test func `a store that was taking over its log when it was killed is seen beside a new one`()
    async throws
  {
    try await makeHalfCheckpointed("copy.sqlite")

    let error = await #expect(throws: StorageError.self) {
      try await Store.open(
        .file(folder.path("copies/other.sqlite")), schema: SampleSchema.todo())
    }

    #expect(error?.code == .anotherStoreBeside)
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
