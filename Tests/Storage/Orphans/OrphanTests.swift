import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// References to records that are not here, counted by what changed.
@Suite struct OrphanTests {
  private let folder: TemporaryFolder
  private let store: Store

  init() async throws {
    folder = try TemporaryFolder()
    store = try await Store.open(
      .file(folder.path("store.sqlite")), schema: try SampleSchema.todo())
  }

  private func orphans() async throws -> [String] {
    try await store.read { read in
      try read.orphans(limit: 100).map { "\($0.id.description) \($0.property) \($0.destination)" }
    }
  }

  @Test func `a reference is listed until its record arrives`() async throws {
    let item = RecordID(text: "item")
    let list = RecordID(text: "list")
    let client = try ForeignClient(store.path)
    try client.run("INSERT INTO TodoItem(id, name, list) VALUES ('item', 'milk', 'list')")
    #expect(try await orphans() == ["\(item) list TodoList"])
    #expect(
      try await store.read { try $0.fetch($0.fetch(TodoItem.self, id: item)?.list) } == nil)

    try client.run("INSERT INTO TodoList(id, title) VALUES ('list', 'Shopping')")
    #expect(try await orphans().isEmpty)
    #expect(
      try await store.read { try $0.fetch($0.fetch(TodoItem.self, id: item)?.list)?.id } == list)
  }

  @Test func `an orphan of which the limit takes one is counted whole`() async throws {
    let client = try ForeignClient(store.path)
    try client.run("INSERT INTO TodoItem(id, list) VALUES ('a', 'gone'), ('b', 'gone')")
    #expect(try await store.read { try $0.orphans(limit: 1).count } == 1)
    #expect(try await store.read { try $0.orphanCount() } == 2)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `whatever happens, those listed are those that a look at all records finds`(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let client = try ForeignClient(store.path)
    for step in 0..<60 {
      let item = "'i\(Int.random(in: 0..<6, using: &random))'"
      let list = "'l\(Int.random(in: 0..<4, using: &random))'"
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1:
        try client.run("INSERT OR REPLACE INTO TodoItem(id, list) VALUES (\(item), \(list))")
      case 2: try client.run("UPDATE TodoItem SET list = \(list) WHERE id = \(item)")
      case 3: try client.run("UPDATE TodoItem SET list = NULL WHERE id = \(item)")
      case 4: try client.run("DELETE FROM TodoItem WHERE id = \(item)")
      case 5: try client.run("INSERT OR IGNORE INTO TodoList(id) VALUES (\(list))")
      case 6: try client.run("DELETE FROM TodoList WHERE id = \(list)")
      // An import brings the table up to date, whatever it applies.
      default: try await store.receive([], from: 1)
      }
      let listed = try await store.read {
        (try $0.orphans(limit: 100).map(\.id), try $0.orphanCount())
      }
      let found = try client.run(
        """
        SELECT id FROM TodoItem WHERE list IS NOT NULL AND list NOT IN (SELECT id FROM TodoList)
        ORDER BY id
        """
      ).compactMap { $0.first.flatMap { RecordID($0) } }
      #expect(listed.0 == found, "seed \(seed), step \(step)")
      #expect(listed.1 == found.count, "seed \(seed), step \(step)")
    }
  }

  @Test func `a store whose model changes lists what it listed`() async throws {
    let client = try ForeignClient(store.path)
    try client.run("INSERT INTO TodoItem(id, list) VALUES ('item', 'list')")
    let path = store.path
    let later = try await Store.open(
      .file(path), schema: try Schema([TodoList.self, TodoItem.self, Tag.self]))
    #expect(try await later.read { try $0.orphanCount() } == 1)
  }
}
