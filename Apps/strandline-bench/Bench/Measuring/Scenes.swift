import Strandline
import StrandlineMemoryTransport

/// What several rows look at, and which is made once.
actor Scenes {
  /// A store with so many records, all of them sent to a cloud in this process.
  struct Scene: Sendable {
    let synced: SyncedStore
    let cloud: MemoryCloud
    let zone: String
  }

  private let workshop: Workshop
  private var made: [Int: Scene] = [:]
  private var definition: String?

  init(_ workshop: Workshop) {
    self.workshop = workshop
  }

  /// The scene of a size.
  func scene(records count: Int) async throws -> Scene {
    if let scene = made[count] { return scene }
    Console.note("preparing \(FigureTable.number(Double(count))) records in a cloud …")
    let cloud = MemoryCloud()
    let synced = SyncedStore(
      store: try await workshop.store(records: count), registry: Registry([]),
      options: SyncEngine.Options(deviceName: "bench"))
    try await synced.use(MemoryTransport(cloud: cloud))
    while try await synced.syncNow().caughtUpAt == nil {}
    let scene = Scene(synced: synced, cloud: cloud, zone: "default")
    made[count] = scene
    return scene
  }

  /// The statement that makes the records' table in a store.
  func tableDefinition() async throws -> String {
    if let definition { return definition }
    let store = try await workshop.store()
    defer { store.close() }
    let rows = try await store.read {
      try $0.table(of: "SELECT sql FROM sqlite_schema WHERE name = 'BenchTodo'").rows
    }
    guard case .text(let sql)? = rows.first?.first else {
      throw BenchError("Could not read how a store makes its table.", advice: "")
    }
    definition = sql
    return sql
  }

  /// Closes all of them.
  func close() async {
    for scene in made.values { await scene.synced.close() }
    made = [:]
  }
}
