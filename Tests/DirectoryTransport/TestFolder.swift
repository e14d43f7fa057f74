import Foundation

/// A folder of its own for one test, removed when the test is over.
final class TestFolder: Sendable {
  let path: String
  private let isOwn: Bool

  /// A folder that is there and stays, such as the place of a mount.
  init(at path: String) {
    self.path = path
    isOwn = false
  }

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("strandline-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
    isOwn = true
  }

  deinit {
    if isOwn { try? FileManager.default.removeItem(atPath: path) }
  }

  /// All files below the folder, by their paths in it.
  func files() throws -> [String] {
    var found: [String] = []
    for item in try FileManager.default.subpathsOfDirectory(atPath: path) {
      let type = try FileManager.default.attributesOfItem(atPath: path + "/" + item)[.type]
      if type as? FileAttributeType == .typeRegular { found.append(item) }
    }
    return found.sorted()
  }

  /// The segment files below the folder.
  func segments() throws -> [String] { try files().filter { $0.hasSuffix(".seg") } }

  func read(_ file: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + file)))
  }

  func write(_ bytes: [UInt8], to file: String) throws {
    let url = URL(fileURLWithPath: path + "/" + file)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  func remove(_ file: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + file)
  }

  /// Copies one file to the same place in another folder.
  func carry(_ file: String, to other: TestFolder) throws {
    try other.write(read(file), to: file)
  }

  /// Copies all files to another folder.
  func carryAll(to other: TestFolder) throws {
    for file in try files() { try carry(file, to: other) }
  }
}
