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
  var milliseconds: Int64 { now.withLock { $0 } }

  func advance(_ milliseconds: Int64 = 1000) { now.withLock { $0 += milliseconds } }
}

/// A device over a cloud in memory, with switches for faults.
struct SyncedDevice: Sendable {
  let synced: SyncedStore
  let panel = FaultPanel(seed: 1)
  let name: String
  var store: Store { synced.store }

  init(
    _ name: String, _ cloud: MemoryCloud?, _ time: TestTime, at location: StoreLocation = .memory,
    options: SyncEngine.Options? = nil
  ) async throws {
    self.name = name
    let store = try await Store.open(
      location, schema: try SampleSchema.todo(), options: StoreOptions(clock: time.clock))
    synced = SyncedStore(
      store: store, registry: Registry([]),
      options: options ?? SyncEngine.Options(deviceName: name))
    if let cloud {
      try await synced.use(
        FaultyTransport(MemoryTransport(cloud: cloud), panel: panel, sleep: { _ in }))
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

  func status() async throws -> StatusSnapshot {
    guard let first = try await store.status(deviceName: name).first else {
      throw StorageError(.damaged, "Could not read the status, there is none.", advice: "")
    }
    return first
  }
}
