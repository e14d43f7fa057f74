import Foundation
import Strandline

/// A folder for the files of one run, in memory where the system has a place for that.
package final class FleetPlace: Sendable {
  package let path: String

  package init() throws {
    let memory = "/dev/shm"
    let base =
      FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
    path = base + "/strandline-simulation-\(UUID().uuidString.lowercased())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("Could not remove \(path), \(error).")
    }
  }

  /// Makes a folder below this one, and tells its path.
  package func folder(_ name: String) throws -> String {
    let folder = path + "/" + name
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Writes a store's file into a folder, where none is open.
  func write(_ contents: Data, to home: String) throws -> String {
    let file = try folder(home) + "/store.sqlite"
    try contents.write(to: URL(fileURLWithPath: file))
    return file
  }
}

/// Stores without records, made once for each model, so that not every device makes its tables.
actor StoreTemplates {
  private var contents: [Schema: Data] = [:]

  /// The bytes of an empty store of a model.
  func empty(_ schema: Schema) async throws -> Data {
    if let known = contents[schema] { return known }
    let place = try FleetPlace()
    let path = try place.folder("template") + "/store.sqlite"
    let store = try await Store.open(
      .file(path), schema: schema, options: StoreOptions(readerCount: 1))
    let made = try RawClient(path: path).copy()
    store.close()
    contents[schema] = made
    return made
  }
}
