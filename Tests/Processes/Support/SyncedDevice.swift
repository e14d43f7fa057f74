import Strandline
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Synchronization

/// A device in this process, which syncs in the background when it is told to, and whose safety
/// net comes once a day: whatever it does before that, it does for a reason.
final class SyncedDevice: Sendable {
  let synced: SyncedStore
  private let running = Mutex<Task<Void, Never>?>(nil)
  private let told = Told()

  /// The errors that the background cycles told.
  private final class Told: Sendable {
    let codes = Mutex<[String]>([])
  }

  init(_ name: String, at location: StoreLocation, _ transport: any Transport) async throws {
    synced = try await SyncedStore.open(
      location, schema: try StepperModel.schema(), registry: Registry([]),
      options: SyncEngine.Options(deviceName: name, interval: .seconds(86_400)))
    try await synced.use(transport)
  }

  deinit {
    running.withLock { $0?.cancel() }
  }

  /// Saves items in one transaction.
  func save(_ names: [String], bytes: Int = 0) async throws {
    try await synced.store.write { write in
      for name in names {
        try write.insert(
          "Item",
          values: ["name": .text(name), "note": .text(String(repeating: "x", count: bytes))])
      }
    }
  }

  func names() async throws -> Set<String> {
    try await synced.store.read { read in
      Set(try read.records(Query("Item")).map { $0["name"].text ?? "" })
    }
  }

  func status() async throws -> StatusSnapshot {
    let all = try await synced.store.status(deviceName: "device")
    guard let first = all.first else { throw SetupError(description: "There is no status.") }
    return first
  }

  /// Keeps syncing until the device is gone.
  func run() {
    let (synced, told) = (synced, told)
    let task = Task {
      await synced.run { report in
        if let error = report.error { told.codes.withLock { $0.append(error.codeName) } }
      }
    }
    running.withLock { $0 = task }
  }

  /// The errors that the background cycles told, by their codes.
  var toldCodes: [String] { told.codes.withLock { $0 } }
}
