import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// Tests about the files of a store in a folder of their own.
protocol StorePlace {
  var folder: TemporaryFolder { get }
}

extension StorePlace {
  var path: String { folder.path("store.sqlite") }

  /// Why a path cannot be opened; nothing in the folder may have changed.
  func refusal(
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
  func makeStore(_ name: String = "store.sqlite") async throws {
    let place = folder.path(name)
    try await Self.save(at: place)
    try ForeignClient(place).run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  static func save(at place: String) async throws {
    let store = try await Store.open(
      .file(place), schema: SampleSchema.todo(),
      options: StoreOptions(mayStandBesideOthers: true, clock: WallClock { 1_796_000_000_000 }))
    try await store.write { try $0.save(TodoItem("milk")) }
  }
}
