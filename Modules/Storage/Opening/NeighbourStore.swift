import Foundation
import StrandlineModels

/// Another store in the folder in which one is to be made.
///
/// Whoever renames a store's file, or changes the name that an app looks for, would otherwise see
/// an empty store and take everything for lost.
struct NeighbourStore {
  let name: String
  /// How many records it holds and when it was last changed; nil where that cannot be read
  /// without touching it.
  let contents: (records: Int64, lastChange: Int64?)?

  /// How many entries of a folder are looked at.
  private static let limit = 1_000

  /// Finds a store beside a path at which none is.
  static func find(beside path: String) -> NeighbourStore? {
    let own = URL(fileURLWithPath: path)
    let folder = own.deletingLastPathComponent().path
    // A folder that is missing or cannot be listed shows no store.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let kind = own.pathExtension
    let candidates = names.filter { name in
      name != own.lastPathComponent && !name.hasPrefix(".")
        && !StoreFile.suffixes.contains { name.hasSuffix($0) }
    }.sorted { first, second in
      let (a, b) = (first.hasSuffix(kind), second.hasSuffix(kind))
      return a == b ? first < second : a
    }
    for name in candidates.prefix(limit) {
      if let found = look(at: folder + "/" + name, name) { return found }
    }
    return nil
  }

  private static func look(at path: String, _ name: String) -> NeighbourStore? {
    do {
      let file = try StoreFile(at: path)
      guard file.state == .present, try StoreHeader(of: file).isStore else { return nil }
      return NeighbourStore(name: name, contents: file.hasLog ? nil : try count(path))
    } catch {
      // What is no readable database is not a store either.
      return nil
    }
  }

  private static func count(_ path: String) throws -> (Int64, Int64?) {
    let connection = try Connection(untouchedPath: path)
    let tables = try connection.map(
      """
      SELECT name FROM sqlite_schema WHERE type = 'table'
        AND name LIKE 'strandline\\_shadow\\_%' ESCAPE '\\'
      """
    ) { $0.text(0) }
    var records: Int64 = 0
    for table in tables {
      records += try connection.integer(
        "SELECT count(*) FROM \(table.quoted) WHERE born > died")
    }
    let last = try connection.first("SELECT max(time) FROM strandline_transaction") {
      $0.optionalInteger(0)
    }
    return (records, last ?? nil)
  }

  /// Why a store is not made at a path.
  func error(for path: String) -> StorageError {
    var facts = ""
    var context = ["other": name]
    if let contents {
      facts = " with \(contents.records) \(contents.records == 1 ? "record" : "records")"
      context["records"] = String(contents.records)
      if let time = contents.lastChange {
        facts += ", last changed \(Timestamp.text(time))"
        context["lastChange"] = String(time)
      }
    }
    return StorageError(
      .anotherStoreBeside,
      "Could not make the store '\(path)', its folder holds the store '\(name)'\(facts).",
      advice: "Open that one by its own path, or move it away. To keep two stores in one folder, "
        + "open with mayStandBesideOthers.",
      context: context)
  }
}
