import CSQLite
import Foundation
import Strandline
import StrandlineModels
import StrandlineTesting

/// The files of a store at rest, as a backup program copies them.
struct StoreFiles: Sendable {
  static let name = "store.sqlite"
  private let contents: [String: Data]

  /// Copies what stands in a store's home; nobody may be writing there.
  init(from home: String) throws {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: home)
    where !name.hasSuffix("-shm") && !name.hasSuffix("-lease") {
      contents[name] = try Data(contentsOf: URL(fileURLWithPath: home + "/" + name))
    }
    self.contents = contents
  }

  /// Writes the copy into another home.
  func write(to home: String) throws {
    for (name, content) in contents {
      try content.write(to: URL(fileURLWithPath: home + "/" + name))
    }
  }

  /// A store without records, made once, so that not every device has to make its own tables.
  static func template(_ schema: Schema, in place: FleetPlace) async throws -> StoreFiles {
    let home = try place.folder("template")
    let store = try await Store.open(
      .file(home + "/" + name), schema: schema, options: StoreOptions(readerCount: 1))
    store.close()
    return try StoreFiles(from: home)
  }

  /// Gives a store in a home an identity that follows from a seed.
  static func identify(_ home: String, _ random: inout SeededGenerator) throws {
    let device = DeviceID.random(using: &random)
    let store = RecordID(milliseconds: 0, random: random.next(), more: random.next())
    let salt = Int64.random(in: 0..<0x4000, using: &random)
    let statements = """
      UPDATE strandline_meta SET value = '\(device)' WHERE key = 'device';
      UPDATE strandline_meta SET value = '\(store)' WHERE key = 'store';
      UPDATE strandline_clock SET salt = \(salt);
      """
    var handle: OpaquePointer?
    let path = home + "/" + name
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open(path, &handle) == SQLITE_OK,
      sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK
    else {
      throw StorageError(
        .cannotOpen,
        "Could not give '\(path)' its identity, \(String(cString: sqlite3_errmsg(handle))).",
        advice: "Look at the store.")
    }
  }
}
