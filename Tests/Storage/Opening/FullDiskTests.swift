import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// A full disk stops saves in words, costs nothing, and is forgotten when there is space.
@Suite(.enabled(if: Mount.isPossible)) struct FullDiskTests {
  /// Takes the space that is left, but for some.
  private static func fill(_ folder: String, leaving rest: Int = 0) throws {
    let path = folder + "/filler"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    let block = Data(repeating: 1, count: 4096)
    var count = 0
    while (try? file.write(contentsOf: block)) != nil { count += 4096 }
    try file.truncate(atOffset: UInt64(max(0, count - rest)))
    try file.close()
  }

  private static func empty(_ folder: String) throws {
    try FileManager.default.removeItem(atPath: folder + "/filler")
  }

  private static let schema =
    "\"Item\": {\"attributes\": {\"data\": {\"type\": \"data\", \"optional\": true}}}"

  private func open(_ path: String, more: String = "") async throws -> Store {
    try await Store.open(
      .file(path), schema: Schema(parsing: "{\"entities\": {\(Self.schema)\(more)}}"))
  }

  @Test func `a save on a full disk changes nothing, and the next one goes on`() async throws {
    let disk = try await Mount.disk(kibibytes: 1024)
    let store = try await open(disk.folder + "/store.sqlite")
    try await store.write { try $0.insert("Item", values: ["data": .blob([1])]) }
    try Self.fill(disk.folder)

    for _ in 0..<3 {
      let error = await #expect(throws: StorageError.self) {
        try await store.write { transaction in
          for _ in 0..<20 {
            try transaction.insert(
              "Item", values: ["data": .blob([UInt8](repeating: 7, count: 10_000))])
          }
        }
      }
      #expect(error?.code == .diskFull)
      #expect(error?.message == "Could not run a statement, the disk is full.")
    }
    #expect(try await store.read { try $0.count(Query("Item")) } == 1)
    let space = try await store.checkup().first { $0.name == "space" }
    #expect(space?.level == .warning)
    try Self.empty(disk.folder)

    try await store.write { try $0.insert("Item", values: ["data": .blob([2])]) }
    #expect(try await store.read { try $0.count(Query("Item")) } == 2)
    #expect(try await store.checkup().filter { $0.level == .problem } == [])
    try await disk.end()
  }

  @Test func `a store is not made half on a full disk`() async throws {
    let disk = try await Mount.disk(kibibytes: 1024)
    for rest in [0, 4096, 16_384, 65_536] {
      try Self.fill(disk.folder, leaving: rest)

      let error = await #expect(throws: StorageError.self) {
        _ = try await open(disk.folder + "/store.sqlite")
      }

      #expect(error?.code == .diskFull || error?.code == .inputOutput)
      #expect(try FileManager.default.contentsOfDirectory(atPath: disk.folder) == ["filler"])
      try Self.empty(disk.folder)
    }
    _ = try await open(disk.folder + "/store.sqlite")
    try await disk.end()
  }

  @Test func `a migration on a full disk leaves the old store`() async throws {
    let disk = try await Mount.disk(kibibytes: 1024)
    let path = disk.folder + "/store.sqlite"
    do {
      let store = try await open(path)
      try await store.write { transaction in
        for _ in 0..<20 {
          try transaction.insert(
            "Item", values: ["data": .blob([UInt8](repeating: 7, count: 10_000))])
        }
      }
    }
    try ForeignClient(path).run("PRAGMA wal_checkpoint(TRUNCATE)")
    let before = try Fixture.dump(path)
    let other = ", \"Other\": {\"attributes\": {\"name\": {\"type\": \"text\", \"default\": \"\"}}}"
    try Self.fill(disk.folder, leaving: 65_536)

    let error = await #expect(throws: StorageError.self) { _ = try await open(path, more: other) }
    #expect(error?.code == .diskFull || error?.code == .inputOutput)
    try Self.empty(disk.folder)
    #expect(try Fixture.dump(path) == before)

    let store = try await open(path, more: other)
    #expect(try await store.read { try $0.count(Query("Other")) } == 0)
    #expect(try await store.read { try $0.count(Query("Item")) } == 20)
    try await disk.end()
  }
}
