import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// A store is where its path says, and a failed open leaves the folder as it was.
@Suite struct PlaceTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("store.sqlite") }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func refusal(
    of path: String, _ options: StoreOptions = StoreOptions()
  ) async throws -> StorageError? {
    let before = try folder.contents()
    let error = await #expect(throws: StorageError.self) {
      _ = try await Store.open(.file(path), schema: SampleSchema.todo(), options: options)
    }
    #expect(try folder.contents() == before)
    return error
  }

  /// Makes a store of one record, closes it, and leaves one file.
  private func makeStore(_ name: String = "store.sqlite") async throws {
    let place = folder.path(name)
    try await Self.save(at: place)
    try ForeignClient(place).run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private static func save(at place: String) async throws {
    let store = try await Store.open(
      .file(place), schema: SampleSchema.todo(),
      options: StoreOptions(mayStandBesideOthers: true, clock: WallClock { 1_796_000_000_000 }))
    try await store.write { try $0.save(TodoItem("milk")) }
  }

  // MARK: Beside another

  @Test func `a renamed store is named instead of making an empty one`() async throws {
    try await makeStore("old.sqlite")

    let error = try await refusal(of: path)

    #expect(error?.code == .anotherStoreBeside)
    #expect(
      error?.message == "Could not make the store '\(path)', its folder holds the store "
        + "'old.sqlite' with 1 record, last changed 2026-11-30T00:53:20.000Z.")
    #expect(error?.context["other"] == "old.sqlite")
  }

  @Test func `a store that another process has open is found beside, too`() async throws {
    let other = try await Store.open(
      .file(folder.path("old.sqlite")), schema: SampleSchema.todo())
    try await other.write { try $0.save(TodoItem("milk")) }

    let error = await #expect(throws: StorageError.self) {
      _ = try await Store.open(.file(path), schema: SampleSchema.todo())
    }

    #expect(error?.code == .anotherStoreBeside)
    #expect(try await other.read { try $0.count(TodoItem.self) } == 1)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test(arguments: [Data(), Data(repeating: 0, count: 100)])
  func `an empty file is no store beside which another could not be made`(
    _ bytes: Data
  ) async throws {
    try folder.write(bytes, to: "other.sqlite")

    let store = try await Store.open(.file(path), schema: SampleSchema.todo())

    #expect(try await store.read { try $0.count(TodoItem.self) } == 0)
  }

  @Test func `an empty file beside a store does not become one either`() async throws {
    try await makeStore("old.sqlite")
    try folder.write("", to: "store.sqlite")

    let error = try await refusal(of: path)

    #expect(error?.code == .anotherStoreBeside)
  }

  @Test func `two stores stand in one folder where that was asked for`() async throws {
    try await makeStore("old.sqlite")

    let store = try await Store.open(
      .file(path), schema: SampleSchema.todo(),
      options: StoreOptions(mayStandBesideOthers: true))
    let old = try await Store.open(
      .file(folder.path("old.sqlite")), schema: SampleSchema.todo())

    #expect(try await store.read { try $0.count(TodoItem.self) } == 0)
    #expect(try await old.read { try $0.count(TodoItem.self) } == 1)
  }

  @Test func `a moved store is opened by its new path`() async throws {
    try await makeStore()
    try folder.makeFolder("new")
    try FileManager.default.moveItem(atPath: path, toPath: folder.path("new/moved.sqlite"))

    let moved = try await Store.open(
      .file(folder.path("new/moved.sqlite")), schema: SampleSchema.todo(),
      options: StoreOptions(mayCreate: false))

    #expect(try await moved.read { try $0.count(TodoItem.self) } == 1)
  }

  // MARK: What is no file

  @Test func `a folder, a pipe and a link to nothing are refused`() async throws {
    try FileManager.default.createDirectory(atPath: path + ".d", withIntermediateDirectories: true)
    mkfifo(path + ".pipe", 0o600)
    try FileManager.default.createSymbolicLink(
      atPath: path + ".link", withDestinationPath: folder.path("nowhere"))

    let words = [
      ".d": "Could not open '\(path).d', it is a folder.",
      ".pipe": "Could not open '\(path).pipe', it is not a file.",
      ".link": "Could not open the store '\(path).link', it is a link to a missing file.",
    ]
    for (suffix, message) in words {
      let error = await #expect(throws: StorageError.self) {
        _ = try await Store.open(.file(path + suffix), schema: SampleSchema.todo())
      }
      #expect(error?.message == message)
    }
    #expect(try folder.names(in: "").count == 3)
  }

  @Test func `a link to a store opens that store`() async throws {
    try await makeStore()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.sqlite"), withDestinationPath: path)

    let linked = try await Store.open(
      .file(folder.path("link.sqlite")), schema: SampleSchema.todo())
    try await linked.write { try $0.save(TodoItem("more")) }
    let direct = try await Store.open(.file(path), schema: SampleSchema.todo())

    #expect(try await direct.read { try $0.count(TodoItem.self) } == 2)
  }

  @Test func `a path through a file says so`() async throws {
    try await makeStore()

    let error = try await refusal(of: path + "/store.sqlite")

    #expect(error?.message == "Could not open '\(path)/store.sqlite', not a directory.")
  }

  @Test(arguments: [1, 16, 100, 511])
  func `a file of a few bytes is no database`(count: Int) async throws {
    try folder.write(
      Data("SQLite format 3\0".utf8 + [UInt8](repeating: 1, count: 600)).prefix(count),
      to: "store.sqlite")

    let error = try await refusal(of: path)

    #expect(error?.code == .notADatabase)
  }

  @Test(arguments: [StoreOptions(mayCreate: false), StoreOptions(isReadOnly: true)])
  func `an empty file is no store where none may be made`(options: StoreOptions) async throws {
    try folder.write("", to: "store.sqlite")

    let error = try await refusal(of: path, options)

    #expect(error?.code == .storeNotFound)
    #expect(error?.message == "Could not open the store '\(path)', the file is empty.")
  }

  // MARK: Logs

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

  // MARK: Creation

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
