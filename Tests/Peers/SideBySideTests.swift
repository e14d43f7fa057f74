import Foundation
import Strandline
import StrandlineDirectoryTransport
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Several stores in one process, each with its own model, zone, peers and status (4.6).
struct SideBySideTests {
  private let folder: TemporaryFolder
  private let registry: Registry

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("share")
    registry = Registry([.memory(MemoryCloud(seed: 1)), .directory])
  }

  private func schema(_ entity: String) throws -> Schema {
    try Schema(
      parsing: """
        {"entities": {"\(entity)": {"attributes": {"name": {"type": "text", "default": ""}}}}}
        """)
  }

  private func opening(
    _ name: String, _ entity: String, at location: StoreLocation? = nil,
    transports: [String]
  ) throws -> StoreOpening {
    try StoreOpening(
      name, at: location ?? .file(folder.path("\(name).sqlite")), schema: schema(entity),
      options: SyncEngine.Options(zoneName: name, deviceName: "laptop"),
      transports: transports.map {
        TransportConfiguration(specification: TransportSpecification($0))
      })
  }

  private var share: String { "directory:" + folder.path("share") }

  @Test func `two stores sync side by side, one over memory and one over a folder`()
    async throws
  {
    let opened = await SyncedStore.openAll(
      [
        try opening("notes", "Note", transports: ["memory"]),
        try opening("photos", "Photo", transports: [share]),
      ], registry: registry)
    let (notes, photos) = (
      try #require(opened[0].store), try #require(opened[1].store)
    )
    try await notes.store.write { try $0.insert("Note", values: ["name": .text("n")]) }
    try await photos.store.write { try $0.insert("Photo", values: ["name": .text("p")]) }

    async let first = notes.syncNow()
    async let second = photos.syncNow()
    let reports = try await [first, second]

    #expect(opened.map(\.name) == ["notes", "photos"])
    #expect(reports.map(\.exported) == [1, 1])
    #expect(reports.map { $0.peers.map(\.peer) } == [["memory"], [share]])
    #expect(notes.store.id != photos.store.id)
    for (store, zone) in [(notes, "notes"), (photos, "photos")] {
      #expect(try await store.store.peerItems().map(\.zoneName) == [zone])
      #expect(try await store.store.events().count == 3)
    }
  }

  @Test func `opening waits for all and reports each; a failing one does not hide the others`()
    async throws
  {
    try folder.write("no database at all, but long enough to be read as one", to: "bad.sqlite")
    let opened = await SyncedStore.openAll(
      [
        try opening("bad", "Note", transports: ["memory"]),
        try opening("good", "Note", transports: ["memory", "carrier:pigeon"]),
        try opening("local", "Photo", transports: []),
      ], registry: registry)

    #expect(opened.map(\.name) == ["bad", "good", "local"])
    #expect(opened.map { $0.store == nil } == [true, false, false])
    #expect(opened[0].error?.codeName == "notADatabase")
    #expect(opened[1].error == nil)
    #expect(opened[1].unfollowed.map(\.transport.description) == ["carrier:pigeon"])
    #expect(opened[1].unfollowed.map(\.error.codeName) == ["unknownTransport"])
    #expect(await opened[1].store?.transports.map(\.specification) == ["memory"])
    #expect(await opened[2].store?.transports.isEmpty == true)
    let good = try #require(opened[1].store)
    try await good.store.write { try $0.insert("Note", values: ["name": .text("n")]) }
    #expect(try await good.syncNow().exported == 1)
  }

  @Test func `an error of one store never shows in the status of the other`() async throws {
    let gone = "directory:" + folder.path("gone")
    let opened = await SyncedStore.openAll(
      [
        try opening("notes", "Note", transports: ["memory"]),
        try opening("photos", "Photo", transports: [gone]),
      ], registry: registry)
    let (notes, photos) = (
      try #require(opened[0].store), try #require(opened[1].store)
    )

    #expect(try await photos.syncNow().error != nil)
    #expect(try await notes.syncNow().error == nil)

    let healthy = try await notes.store.status(deviceName: "laptop")
    #expect(healthy.map(\.peer) == ["memory"])
    #expect(healthy.map(\.standing) == [.caughtUp])
    #expect(healthy.allSatisfy { $0.reason == nil })
    #expect(try await notes.store.events().allSatisfy { $0.succeeded == true })
    let failing = try await photos.store.status(deviceName: "laptop")
    #expect(failing.map(\.peer) == [gone])
    #expect(failing.allSatisfy { $0.reason != nil && $0.standing != .caughtUp })
    #expect(try await photos.store.events().contains { $0.succeeded == false })
  }

  @Test func `each store has a lease of its own`() async throws {
    let opened = await SyncedStore.openAll(
      [
        try opening("notes", "Note", transports: ["memory"]),
        try opening("photos", "Photo", transports: ["memory"]),
      ], registry: registry)
    let stores = opened.compactMap(\.store)
    for store in stores { try await store.syncNow() }

    let holders = stores.map { SyncLease.holder(ofStoreAt: $0.store.path) }
    #expect(holders.allSatisfy { $0?.contains("process") == true })
    await stores[0].close()

    #expect(SyncLease.holder(ofStoreAt: stores[0].store.path) == nil)
    #expect(SyncLease.holder(ofStoreAt: stores[1].store.path) != nil)
    try await stores[1].syncNow()
  }

  @Test func `the same file opened twice is synced by one of them, and the other is told`()
    async throws
  {
    let opened = await SyncedStore.openAll(
      [try opening("notes", "Note", transports: ["memory"])], registry: registry)
    let again = await SyncedStore.openAll(
      [
        try opening(
          "again", "Note", at: .file(folder.path("notes.sqlite")), transports: ["memory"])
      ], registry: registry)
    try await opened[0].store?.syncNow()

    let error = await #expect(throws: StorageError.self) { try await again[0].store?.syncNow() }
    #expect(error?.code == .leaseHeld)
  }
}
