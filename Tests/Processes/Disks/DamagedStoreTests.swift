import Foundation
import Strandline
import StrandlineModels
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import Testing

/// A store of which a page was overwritten is not used, or used only where that is not needed.
@Suite(.timeLimit(.minutes(60))) struct DamagedStoreTests {
  private static let isSoak = ProcessInfo.processInfo.environment["STRANDLINE_SOAK"] != nil
  private static let pageBytes = 4096

  /// Overwrites the middle of a page.
  private func damage(_ content: Data, page: Int) -> Data {
    var content = content
    let start = page * Self.pageBytes + (page == 0 ? 100 : 0)
    for offset in start..<min(start + 512, content.count) { content[offset] = 0xA5 }
    return content
  }

  @Test func `F23: a store with any page overwritten is refused in words and spoils no other`()
    async throws
  {
    let world = try await KilledWorld(.folder)
    for _ in 0..<3 {
      world.nextRound()
      world.note(try await world.writer("edit:\(world.round):2").run())
      try await world.editOnReader()
    }
    try await world.expectWhole("before the damage")
    // What the log holds belongs to the file before the copy is made.
    let path = world.folder.path("writer/store.sqlite")
    let shell = try BuiltProgram.tool("sqlite3", package: "sqlite3")
    let flushed = try await ChildProcess(
      folder: world.folder, executable: shell,
      arguments: [path, "PRAGMA wal_checkpoint(TRUNCATE); DELETE FROM Item WHERE name = ''"]
    ).run()
    #expect(flushed.code == 0)
    let sound = try world.folder.bytes("writer/store.sqlite")
    let before = try await world.contents(of: world.reader.store)
    let pages = sound.count / Self.pageBytes
    var refused = 0
    for page in stride(from: 0, to: pages, by: Self.isSoak ? 1 : 5) {
      try world.folder.write(damage(sound, page: page), to: "writer/store.sqlite")
      for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
      let outcome = try await world.writer("import").run()
      #expect(!outcome.wasKilled, "page \(page): \(outcome)")
      #expect([0, 1].contains(outcome.code), "page \(page): \(outcome)")
      if outcome.code == 1 {
        refused += 1
        #expect(outcome.output.contains(/failed \w+: Could not./), "page \(page): \(outcome)")
      }
      try await world.syncReader()
      #expect(try await world.contents(of: world.reader.store) == before, "page \(page)")
    }
    #expect(refused > 0)
    // The sound file goes on where it was.
    try world.folder.write(sound, to: "writer/store.sqlite")
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    _ = try await world.writer("import").run()
    try await world.syncReader()
    try await world.expectWhole("with the sound file")
  }
}
