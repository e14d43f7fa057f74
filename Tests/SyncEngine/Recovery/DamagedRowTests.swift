import Strandline
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineTransport
import Testing

/// One pending row that cannot be read is set aside, and everything else goes on.
@Suite struct DamagedRowTests {
  private let scene = RecoveryScene()

  /// What another program did to a store whose triggers it switched off.
  static let damage: [(String, [String])] = [
    (
      "something else in the place of its id",
      [
        "INSERT INTO strandline_log(entity, record, kind, stamp) SELECT number, 12345, 1, 99 FROM strandline_entity WHERE key = 'TodoItem'"
      ]
    ),
    (
      "row is missing",
      [
        "INSERT INTO strandline_shadow_TodoItem(id, born, died, deleted) VALUES (x'00112233445566778899aabbccddeeff', 99, 0, 0)",
        "INSERT INTO strandline_log(entity, record, kind, stamp) SELECT number, x'00112233445566778899aabbccddeeff', 1, 99 FROM strandline_entity WHERE key = 'TodoItem'",
      ]
    ),
    (
      "stamps are missing",
      [
        "INSERT INTO strandline_log(entity, record, kind, stamp) SELECT number, 'nowhere', 1, 99 FROM strandline_entity WHERE key = 'TodoItem'"
      ]
    ),
    (
      "stamp of it makes no sense",
      [
        "UPDATE strandline_shadow_TodoItem SET stamp_name = 'soon' WHERE id = (SELECT id FROM TodoItem WHERE name = 'hurt')"
      ]
    ),
    (
      "properties that were never there",
      [
        "INSERT INTO strandline_log(entity, record, kind, properties, stamp) SELECT number, (SELECT id FROM TodoItem WHERE name = 'hurt'), 2, 1 << 50, 99 FROM strandline_entity WHERE key = 'TodoItem'"
      ]
    ),
  ]

  @Test(arguments: damage)
  func `a damaged pending row is set aside with its reason`(
    reason: String, statements: [String]
  ) async throws {
    let (a, b) = (try await scene.device("a"), try await scene.device("b"))
    try await a.insert("hurt")
    try await a.insert("sound")
    let client = try Connection(path: a.store.path, readOnly: false)
    for statement in statements { try client.run(statement) }

    let report = try await a.sync()
    try await a.insert("later")
    try await a.sync()
    try await b.sync()

    #expect(report.error == nil)
    #expect(try await b.names().contains("sound"))
    #expect(try await b.names().contains("later"))
    let item = try #require(try await a.store.setAsideItems().first)
    #expect(item.code == "damagedRow")
    #expect(item.reason.contains(reason))
    #expect(try await a.status()?.setAside == 1)
    #expect(try await a.status()?.pending == 0)
    for _ in 0..<3 { #expect(try await a.sync().exported == 0) }
  }

  @Test func `a damaged record goes out when it is whole again`() async throws {
    let (a, b) = (try await scene.device("a"), try await scene.device("b"))
    let id = try await a.insert("hurt")
    let client = try Connection(path: a.store.path, readOnly: false)
    try client.run("UPDATE strandline_shadow_TodoItem SET stamp_name = 'soon'")
    try await a.sync()
    #expect(try await a.status()?.setAside == 1)
    try client.run("UPDATE strandline_shadow_TodoItem SET stamp_name = NULL")

    try await a.store.retrySetAside()
    try await a.sync()
    try await b.sync()

    #expect(try await b.name(id) == "hurt")
    #expect(try await a.status()?.setAside == 0)
  }

  @Test func `a refused schema says what to deploy, and goes on by itself after that`()
    async throws
  {
    let a = try await scene.device("a") { $0.environment = .production }
    try await a.insert("milk")

    let refused = try await a.sync()
    let blocked = try #require(try await a.status())
    // The schema is known in development first, and is deployed from there.
    let developer = try await scene.device("developer")
    try await developer.insert("test")
    try await developer.sync()
    try scene.cloud.deploySchema()
    let accepted = try await a.sync()

    #expect(refused.error?.codeName == "schemaRefused")
    #expect(blocked.standing == .blocked)
    #expect(blocked.reason?.contains("production does not know entity") == true)
    #expect(blocked.cure?.isEmpty == false)
    #expect(accepted.exported == 1)
    #expect(try await a.status()?.standing == .caughtUp)
  }
}
