import Foundation
import Strandline
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTestSupport

/// A writer in a process of its own, its folder, and a device in this process that reads it.
final class PublisherWorld: Sendable {
  let folder: TemporaryFolder
  let reader: SyncedStore
  private let root: String

  init() async throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("shared")
    root = folder.path("shared")
    reader = try await SyncedStore.open(
      .memory, schema: try SampleSchema.todo(), registry: Registry([]),
      options: SyncEngine.Options(deviceName: "reader"))
    try await reader.use(DirectoryTransport(path: root))
  }

  /// The writer's process, which ends itself at a step if one is named.
  func writer(transactions: Int, killedAt step: String? = nil, occurrence: Int = 1) throws
    -> ChildProcess
  {
    var arguments = [folder.path("writer.sqlite"), root, String(transactions)]
    if let step { arguments += [step, String(occurrence)] }
    return ChildProcess(
      folder: folder, executable: try BuiltTool.path("PublisherFixture"), arguments: arguments)
  }

  /// How many items of each transaction the reader has after a sync.
  func read() async throws -> [String: Int] {
    let report = try await reader.syncNow()
    if let error = report.error { throw error }
    let items = try await reader.store.read { try $0.fetch(TodoItem.self) }
    return Dictionary(items.map { ($0.note ?? "", 1) }, uniquingKeysWith: +)
  }

  /// How many items of each transaction the writer's store holds.
  func written() async throws -> [String: Int] {
    let store = try await Store.open(
      .file(folder.path("writer.sqlite")), schema: try SampleSchema.todo(),
      options: StoreOptions(mayCreate: false, readerCount: 1))
    let items = try await store.read { try $0.fetch(TodoItem.self) }
    store.close()
    return Dictionary(items.map { ($0.note ?? "", 1) }, uniquingKeysWith: +)
  }

  /// All files below the folder, by their paths.
  private func paths() -> [String] {
    let found = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return found.sorted()
  }

  /// The published segments, and what tells whether one was written again.
  func segments() throws -> [String: String] {
    var segments: [String: String] = [:]
    for path in paths() where path.hasSuffix(".seg") {
      var status = stat()
      guard lstat(root + "/" + path, &status) == 0 else { continue }
      let content = try Data(contentsOf: URL(fileURLWithPath: root + "/" + path))
      segments[path] = "\(status.st_ino) \(content.hashValue) \(content.count)"
    }
    return segments
  }

  /// The files that a writer has begun and not named.
  func temporaries() -> [String] { paths().filter { $0.hasSuffix(".tmp") } }
}
