import Foundation
import Strandline
import StrandlineModels
import StrandlineSettings
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// When the store's files are marked to be left out of backups.
struct BackupMarkTests {
  private let folder: TemporaryFolder
  private let scene: PurgeScene

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("notes")
    scene = try PurgeScene(.memory)
  }

  private func open() async throws -> SyncedStore {
    try await SyncedStore.open(
      .file(folder.path("notes/notes.sqlite")), schema: try SampleSchema.todo(),
      registry: Registry([]), options: SyncEngine.Options(deviceName: "a"))
  }

  @Test func `a store that never followed anything stays in backups`() async throws {
    let synced = try await open()
    try await synced.use([])
    #expect(synced.store.backupState()?.extent == .included)
    try await synced.switchOff(purge: false)

    #expect(synced.store.backupState()?.extent == .included)
  }

  @Test func `the files are out of backups while sync is off, and in them while it is on`()
    async throws
  {
    let synced = try await open()
    try await synced.use(scene.transport())
    #expect(synced.store.backupState()?.extent == .included)

    try await synced.switchOff(purge: false)
    #expect(synced.store.backupState() == BackupState(.folder))
    let again = try await open()
    try await again.use(scene.transport())
    #expect(again.store.backupState()?.extent == .folder)

    try await synced.switchOn()
    #expect(synced.store.backupState() == BackupState(.included))
    #expect(try !folder.names(in: "notes").contains("CACHEDIR.TAG"))
  }
}
