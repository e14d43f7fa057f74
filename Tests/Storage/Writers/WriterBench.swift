import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport

/// One open store into which the contents of other store files are copied, to be looked at.
///
/// To open a store for each statement of each writer would take minutes.
final class WriterBench {
  let store: Store
  private let client: ForeignClient
  private let tables: [String]
  private var attached: String?

  init(_ path: String) async throws {
    store = try await Self.open(path)
    client = try ForeignClient(path)
    client.setTriggers(false)
    tables = try client.run(
      "SELECT name FROM sqlite_schema WHERE type = 'table'"
    ).compactMap { $0[0].text }
  }

  static func open(_ path: String) async throws -> Store {
    try await Store.open(
      .file(path), schema: SampleSchema.todo(), options: StoreOptions(readerCount: 1))
  }

  /// Puts another file's contents in the place of this one's, without a trace.
  func load(_ path: String) throws {
    if attached != path {
      if attached != nil { try client.script("DETACH other") }
      try client.run("ATTACH ? AS other", [.text(path)])
      attached = path
    }
    let copies = tables.map { table in
      "DELETE FROM main.\(table.quoted); "
        + "INSERT INTO main.\(table.quoted) SELECT * FROM other.\(table.quoted);"
    }
    try client.script("BEGIN; \(copies.joined()) COMMIT")
  }
}
