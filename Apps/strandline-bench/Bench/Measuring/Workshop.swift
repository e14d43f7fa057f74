import Foundation
import Strandline
import Synchronization

/// A temporary folder for one run, with stores made in it.
final class Workshop: Sendable {
  let folder: URL
  private let made = Mutex(0)

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strandline-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Removes everything.
  func remove() {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      Console.note("Could not remove the folder '\(folder.path)', \(error).")
    }
  }

  /// A path that nothing has used.
  func path(_ name: String) -> String {
    let number = made.withLock { made in
      made += 1
      return made
    }
    return folder.appendingPathComponent("\(number)-\(name)").path
  }

  /// A folder that nothing has used.
  func newFolder(_ name: String) throws -> String {
    let path = path(name)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  /// An empty store of the model.
  func store() async throws -> Store {
    try await Store.open(
      .file(newFolder("store") + "/store.sqlite"), schema: Schema([BenchTodo.self]))
  }

  /// A store with so many records, saved in transactions of a size that memory bears.
  func store(records count: Int) async throws -> Store {
    let store = try await store()
    try await Self.fill(store, count)
    return store
  }

  /// Saves so many records.
  static func fill(_ store: Store, _ count: Int) async throws {
    for start in stride(from: 0, to: count, by: 50_000) {
      let end = min(count, start + 50_000)
      try await store.write { write in
        for number in start..<end { try write.save(BenchTodo(number: number)) }
      }
    }
  }

  /// The size of a closed store: its file and what stands beside it.
  static func size(ofStore path: String) throws -> Int {
    var sum = 0
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
      let found = try FileManager.default.attributesOfItem(atPath: path + suffix)
      sum += (found[.size] as? Int) ?? 0
    }
    return sum
  }
}
