import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// A store is where its path says, and a failed open leaves the folder as it was.
@Suite struct PlaceTests: StorePlace {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
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
    #expect(linked.path == path)
    let reader = try await Store.open(
      .file(folder.path("link.sqlite")), schema: SampleSchema.todo(),
      options: StoreOptions(isReadOnly: true))
    try await direct.write { try $0.save(TodoItem("third")) }
    #expect(try await reader.read { try $0.count(TodoItem.self) } == 3)
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
}
