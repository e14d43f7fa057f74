import Strandline
import StrandlineDirectoryTransport
import StrandlineHistory
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import Testing

/// What is done beside the phases of syncing is in the event log, too.
@Suite struct SideActivityTests {
  private let time = TestTime()
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func event(_ kind: String, of store: Store) async throws -> ActivityEvent? {
    try await store.events(limit: 500).first { $0.kind == kind }
  }

  @Test func `a full compare after a server was put back`() async throws {
    let cloud = MemoryCloud(clock: time.clock, seed: 1)
    let phone = try await SyncedDevice("phone", cloud, time)
    try await phone.insert("milk")
    try await phone.sync()
    let backup = try cloud.backUp()
    try await phone.insert("bread")
    try await phone.sync()
    try cloud.restore(backup, announced: true)

    try await phone.sync()

    let compare = try #require(try await event("compare", of: phone.store))
    #expect(compare.peer == "memory")
    #expect(compare.detail == "the zone was put back")
    #expect(compare.succeeded == true)
  }

  @Test func `groups that a folder's transport gathered`() async throws {
    let phone = try await SyncedDevice("phone", nil, time)
    try folder.makeFolder("share")
    try await phone.synced.use(
      DirectoryTransport(path: folder.path("share"), clock: time.clock))
    for number in 0..<40 {
      try await phone.insert("item \(number)")
      time.advance(60_000)
      #expect(try await phone.sync().error == nil)
      if try await event("compaction", of: phone.store) != nil { break }
    }

    let compaction = try #require(try await event("compaction", of: phone.store))
    #expect(compaction.records > 1)
    #expect(compaction.detail == "groups gathered")
    #expect(compaction.peer.hasPrefix("directory:"))
  }

  @Test func `a save that met another context's change`() async throws {
    let phone = try await SyncedDevice("phone", nil, time)
    let id = try await phone.insert("milk")
    let context = EditingContext(phone.store, mergePolicy: .objectTrumps)
    _ = try await context.fetch(TodoItem.self, id: id)
    try await phone.rename(id, "oat milk")
    try context.update("TodoItem", id, values: ["name": .text("soy milk")])

    let save = try await context.save()

    #expect(save.conflicts.count == 1)
    let conflict = try #require(try await event("conflict", of: phone.store))
    #expect(conflict.records == 1)
    #expect(conflict.peer == "none")
  }

  @Test func `history that was pruned, and a store that was migrated`() async throws {
    let path = folder.path("a.sqlite")
    do {
      let store = try await Store.open(
        .file(path), schema: try Schema([Setting.self]),
        options: StoreOptions(clock: time.clock))
      try await store.write { try $0.insert("Setting", values: ["key": .text("a")]) }
    }
    let store = try await Store.open(
      .file(path), schema: try SampleSchema.todo(), options: StoreOptions(clock: time.clock))

    #expect(try await event("migration", of: store)?.detail?.contains("model of version") == true)

    time.advance(86_400_000)
    try await store.prune(RetentionPolicy(historyDays: 0))
    let prune = try #require(try await event("prune", of: store))
    #expect(prune.records > 0)
    #expect(prune.detail?.hasPrefix("history up to ") == true)
  }
}
