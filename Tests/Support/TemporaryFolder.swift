package import Foundation

/// A folder that is gone with the last reference to it.
package final class TemporaryFolder: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("strandline-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      print("Could not remove \(url.path), \(error).")
    }
  }

  package func path(_ name: String) -> String {
    url.appendingPathComponent(name).path
  }

  package func read(_ name: String) throws -> String {
    try String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)
  }

  package func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: url.appendingPathComponent(name))
  }

  /// Writes a file, and the folders on its way.
  package func write(_ text: String, to name: String) throws {
    try write(Data(text.utf8), to: name)
  }

  package func write(_ data: Data, to name: String) throws {
    let file = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
  }

  package func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      at: url.appendingPathComponent(name), withIntermediateDirectories: true)
  }

  /// The names in a folder, sorted; none where it does not exist.
  package func names(in name: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: path(name)) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
  }

  /// The names and contents of all files in the folder itself.
  package func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      contents[name] = try Data(contentsOf: url.appendingPathComponent(name))
    }
    return contents
  }
}
