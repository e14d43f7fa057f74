import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport

/// A copy of a store that a released version wrote.
struct Fixture {
  let folder: TemporaryFolder
  var path: String { folder.path("store.sqlite") }

  private static let place = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures")

  /// The model that the fixtures were written with.
  static func schema() throws -> Schema {
    try Schema(parsing: modelText())
  }

  static func modelText() throws -> String {
    try String(contentsOf: place.appending(path: "model.json"), encoding: .utf8)
  }

  /// Copies `format-N.sqlite`, with the log of a killed process if that is wanted.
  init(format: Int, variant: String = "", isKilled: Bool = false) throws {
    folder = try TemporaryFolder()
    let name = "format-\(format)"
    try folder.write(try Self.bytes(name + variant + ".sqlite"), to: "store.sqlite")
    if isKilled { try folder.write(try Self.bytes(name + "-killed.wal"), to: "store.sqlite-wal") }
  }

  private static func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: place.appending(path: name))
  }

  func open(_ options: StoreOptions = StoreOptions()) async throws -> Store {
    try await Store.open(.file(path), schema: Self.schema(), options: options)
  }

  /// The whole contents of a database: every definition and every row, by table.
  static func dump(_ path: String) throws -> [String: [[Value]]] {
    let client = try ForeignClient(path)
    var dump = [
      "": try client.run("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
        + client.run("PRAGMA user_version") + client.run("PRAGMA application_id")
    ]
    let tables = try client.run("SELECT name FROM sqlite_schema WHERE type = 'table'")
    for case .text(let table) in tables.map({ $0[0] }) where !table.hasPrefix("sqlite_stat") {
      dump[table] = try client.run("SELECT * FROM \"\(table)\"")
        .sorted { $0.lexicographicallyPrecedes($1) }
    }
    return dump
  }
}
