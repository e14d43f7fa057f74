import Strandline
import StrandlineDirectoryTransport
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Synchronization
import Testing

/// A time of day that tests move.
final class TestTime: Sendable {
  private let now = Mutex<Int64>(1_800_000_000_000)

  var clock: WallClock { WallClock { self.now.withLock { $0 } } }

  func advance(_ milliseconds: Int64 = 1000) { now.withLock { $0 += milliseconds } }
}

/// A device that may follow several peers.
struct PeerDevice: Sendable {
  let synced: SyncedStore
  let name: String
  var store: Store { synced.store }

  init(
    _ name: String, _ time: TestTime, following transports: [any Transport] = [],
    schema: Schema? = nil, uploadLimit: Int = 50_000, at location: StoreLocation = .memory,
    firstSync: FirstSync? = nil, stagedChanges: Int? = nil
  ) async throws {
    self.name = name
    var options = SyncEngine.Options(
      deviceName: name, debounce: .zero, uploadLimit: uploadLimit)
    if let stagedChanges { options.stagedChanges = stagedChanges }
    synced = try await SyncedStore.open(
      location, schema: try schema ?? SampleSchema.todo(), registry: Registry([]),
      options: options,
      storeOptions: StoreOptions(clock: time.clock))
    if !transports.isEmpty {
      try await synced.use(transports.map { SyncedStore.Peer($0, firstSync: firstSync) })
    }
  }

  @discardableResult
  func sync() async throws -> SyncReport { try await synced.syncNow() }

  @discardableResult
  func insert(_ name: String, id: RecordID = RecordID()) async throws -> RecordID {
    try await store.write { try $0.insert("TodoItem", id: id, values: ["name": .text(name)]) }
  }

  func rename(_ id: RecordID, _ name: String) async throws {
    try await store.write { try $0.update("TodoItem", id, values: ["name": .text(name)]) }
  }

  func delete(_ id: RecordID) async throws {
    try await store.write { try $0.delete("TodoItem", id) }
  }

  /// Answers what a peer asks now.
  func answer(_ answer: PeerAnswer, of specification: String) async throws {
    let item = try #require(try await peer(specification))
    try await synced.answer(try #require(item.question), of: item.id, with: answer)
  }

  func names() async throws -> Set<String> {
    Set(try await store.read { try $0.records(Query("TodoItem")).compactMap { $0["name"].text } })
  }

  func status(_ peer: String) async throws -> StatusSnapshot? {
    try await store.status(deviceName: name).first { $0.peer == peer }
  }

  func peer(_ specification: String) async throws -> PeerItem? {
    try await store.peerItems(deviceName: name).first { $0.specification == specification }
  }

  /// What lost, as `property = value`.
  func conflicts() async throws -> Set<String> {
    Set(
      try await store.conflictItems(ownName: name).map {
        "\($0.property) = \($0.lostValue.text ?? "\($0.lostValue)")"
      })
  }
}
