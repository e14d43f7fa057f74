import Strandline
import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Synchronization

/// A time of day that tests move.
final class TestTime: Sendable {
  private let now = Mutex<Int64>(4_102_444_800_000)

  var clock: WallClock { WallClock { self.now.withLock { $0 } } }

  func advance(_ milliseconds: Int64 = 1000) { now.withLock { $0 += milliseconds } }
}

/// A device over a cloud in memory, with switches for faults.
struct TestDevice: Sendable {
  let synced: SyncedStore
  let panel = FaultPanel(seed: 1)
  let name: String
  var store: Store { synced.store }

  init(
    _ name: String, _ cloud: MemoryCloud?, _ time: TestTime, schema: Schema? = nil,
    options: SyncEngine.Options? = nil
  ) async throws {
    self.name = name
    let store = try await Store.open(
      .memory, schema: try schema ?? SampleSchema.todo(),
      options: StoreOptions(clock: time.clock))
    synced = SyncedStore(
      store: store, registry: Registry([]),
      options: options ?? SyncEngine.Options(deviceName: name))
    if let cloud { try await use(cloud) }
  }

  func use(_ cloud: MemoryCloud, login: MemoryLogin? = nil) async throws {
    try await synced.use(
      FaultyTransport(
        MemoryTransport(cloud: cloud, login: login), panel: panel, sleep: { _ in }))
  }

  @discardableResult
  func sync() async throws -> SyncReport { try await synced.syncNow() }

  /// The names of all items, in the order of their ids.
  func names() async throws -> [String] {
    try await store.read { try $0.records(Query("TodoItem")).compactMap { $0["name"].text } }
  }

  func logHead() async throws -> Int64 {
    try await store.read { try $0.sealedHead()?.sequence ?? 0 }
  }

  func status() async throws -> StatusSnapshot? {
    try await store.status(deviceName: name).first
  }

  /// What lost, as `property = value`.
  func conflicts() async throws -> Set<String> {
    Set(
      try await store.conflictItems(ownName: name).map {
        "\($0.property) = \($0.lostValue.text ?? "\($0.lostValue)")"
      })
  }

  @discardableResult
  func insert(_ name: String, id: RecordID = RecordID()) async throws -> RecordID {
    try await store.write { try $0.insert("TodoItem", id: id, values: ["name": .text(name)]) }
  }

  func rename(_ id: RecordID, _ name: String) async throws {
    try await store.write { try $0.update("TodoItem", id, values: ["name": .text(name)]) }
  }
}
