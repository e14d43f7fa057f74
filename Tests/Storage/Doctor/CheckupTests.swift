import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// A way to break a store with plain SQL, and the check that finds it.
struct Breakage: Sendable, CustomTestStringConvertible {
  let check: String
  let level: CheckupFinding.Level
  let sql: String
  var withoutTriggers = false

  var testDescription: String { "\(check): \(sql.prefix(60))" }

  static let all = [
    Breakage(check: "records", level: .problem, sql: "DELETE FROM TodoItem", withoutTriggers: true),
    Breakage(
      check: "records", level: .problem, sql: "INSERT INTO TodoItem(id) VALUES ('untracked')",
      withoutTriggers: true),
    Breakage(
      check: "records", level: .problem,
      sql: "UPDATE strandline_shadow_TodoItem SET died = born"),
    Breakage(
      check: "stamps", level: .problem,
      sql: "UPDATE strandline_shadow_TodoItem SET stamp_name = born << 1"),
    Breakage(
      check: "stamps", level: .problem,
      sql: "UPDATE strandline_shadow_TodoItem SET stamp_name = -1"),
    Breakage(check: "stamps", level: .problem, sql: "UPDATE strandline_clock SET seen = 1"),
    Breakage(
      check: "transactions", level: .problem,
      sql: "DELETE FROM strandline_transaction WHERE id = 2"),
    Breakage(
      check: "transactions", level: .problem,
      sql: "UPDATE strandline_transaction SET first = first - 1 WHERE id = 2"),
    Breakage(
      check: "transactions", level: .problem,
      sql: "UPDATE sqlite_sequence SET seq = 0 WHERE name = 'strandline_log'"),
    Breakage(
      check: "transactions", level: .problem,
      sql: "DELETE FROM strandline_transaction WHERE id = 1"),
    Breakage(check: "log", level: .problem, sql: "UPDATE strandline_log SET kind = 77"),
    Breakage(
      check: "triggers", level: .problem, sql: "DROP TRIGGER strandline_update0_TodoItem"),
    Breakage(
      check: "triggers", level: .problem,
      sql: """
        DROP TRIGGER strandline_delete_Tag;
        CREATE TRIGGER "strandline_delete_Tag" AFTER DELETE ON Tag BEGIN SELECT 1; END
        """),
    Breakage(check: "format", level: .problem, sql: "PRAGMA application_id = 1"),
    Breakage(
      check: "orphans", level: .warning, sql: "UPDATE TodoItem SET list = 'nowhere'"),
    Breakage(
      check: "ownObjects", level: .warning,
      sql: "INSERT INTO strandline_meta VALUES ('own_object.view.v', 'CREATE VIEW v AS SELECT 1')"),
    Breakage(
      check: "keptValues", level: .warning,
      sql: """
        INSERT INTO strandline_unknown_value(entity, record, property, stamp, value)
          SELECT e.number, s.id, 'priority', s.born + 1, 'high'
          FROM strandline_shadow_TodoItem AS s, strandline_entity AS e WHERE e.key = 'TodoItem'
        """),
  ]
}

/// The checkup finds what is broken, and nothing in a store that is whole.
@Suite struct CheckupTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("store.sqlite") }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func makeStore() async throws -> Store {
    let store = try await Store.open(.file(path), schema: SampleSchema.todo())
    for name in ["a", "b", "c"] { try await store.write { try $0.save(TodoItem(name)) } }
    return store
  }

  private func finding(_ name: String, in store: Store) async throws -> CheckupFinding? {
    try await store.checkup().first { $0.name == name }
  }

  @Test func `a whole store has nothing wrong`() async throws {
    let store = try await makeStore()
    try ForeignClient(path).script("UPDATE TodoItem SET note = 'by hand'")
    let before = try Fixture.dump(path)

    let findings = try await store.checkup()

    #expect(findings.filter { $0.level == .problem } == [])
    #expect(
      findings.map(\.name) == [
        "integrity", "format", "records", "stamps", "transactions", "log", "triggers",
        "ownObjects", "keptValues", "orphans", "conflicts", "file", "writeAheadLog", "space",
        "lease",
      ])
    #expect(findings.first { $0.name == "log" }?.message.contains("3 changes of other") == true)
    #expect(findings.allSatisfy { $0.level == .ok || !$0.cure.isEmpty })
    #expect(try Fixture.dump(path) == before)
  }

  @Test(arguments: Breakage.all)
  func `each breakage is found by its own check`(breakage: Breakage) async throws {
    let store = try await makeStore()
    #expect(try await finding(breakage.check, in: store)?.level == .ok)
    let client = try ForeignClient(path)
    if breakage.withoutTriggers { client.setTriggers(false) }

    try client.script(breakage.sql)

    let found = try await finding(breakage.check, in: store)
    #expect(found?.level == breakage.level, "\(found.map(\.message) ?? "no finding")")
    #expect(found?.cure.isEmpty == false)
  }

  @Test func `a trigger that was dropped is made anew when the store is opened`() async throws {
    let store = try await makeStore()
    try ForeignClient(path).script("DROP TRIGGER strandline_update0_TodoItem")
    #expect(try await finding("triggers", in: store)?.level == .problem)

    let again = try await Store.open(.file(path), schema: SampleSchema.todo())

    #expect(try await finding("triggers", in: again)?.level == .ok)
    try ForeignClient(path).script("UPDATE TodoItem SET note = 'seen'")
    #expect(
      try await again.read { try $0.log().suffix(3).map(\.kind) } == [.update, .update, .update])
  }

  @Test func `damaged pages are told and nothing else is asked of them`() async throws {
    do { _ = try await makeStore() }
    try ForeignClient(path).run("PRAGMA wal_checkpoint(TRUNCATE)")
    let page =
      try ForeignClient(path).run(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'strandline_log'")[0][0].integer ?? 0
    var bytes = try folder.bytes("store.sqlite")
    for index in (Int(page - 1) * 4096)..<(Int(page) * 4096) { bytes[index] = 0xA5 }
    try folder.write(bytes, to: "store.sqlite")

    let store = try await Store.open(
      .file(path), schema: SampleSchema.todo(), options: StoreOptions(isReadOnly: true))
    let findings = try await store.checkup()

    #expect(findings.first?.name == "integrity")
    #expect(findings.first?.level == .problem)
    #expect(!findings.contains { $0.name == "records" })
  }

  @Test func `a second name of the file is told, and who syncs`() async throws {
    let store = try await makeStore()
    let lease = try SyncLease.take(for: store)
    #expect(try await finding("lease", in: store)?.message.contains("syncs the store") == true)
    withExtendedLifetime(lease) {}
    link(path, folder.path("second.sqlite"))

    let found = try await finding("file", in: store)

    #expect(found?.level == .warning)
    #expect(found?.message.hasPrefix("The file has 2 names") == true)
  }

  @Test func `a file that is gone is told`() async throws {
    let store = try await makeStore()
    try FileManager.default.removeItem(atPath: path)

    #expect(try await finding("file", in: store)?.level == .problem)
  }

  @Test func `a store without a write-ahead log is told`() async throws {
    do { _ = try await makeStore() }
    try ForeignClient(path).run("PRAGMA journal_mode = DELETE")

    let store = try await Store.open(
      .file(path), schema: SampleSchema.todo(), options: StoreOptions(isReadOnly: true))

    #expect(try await finding("format", in: store)?.level == .warning)
  }
}
