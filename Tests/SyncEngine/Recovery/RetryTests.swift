import Strandline
import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// C17: each refused record has its own wait, and none keeps another.
@Suite struct RetryTests {
  private let scene = RecoveryScene()

  @Test func `C17: a refused record is offered again by itself when its wait is over`()
    async throws
  {
    let (a, b) = (try await scene.device("a"), try await scene.device("b"))
    let bad = try await a.insert("refused")
    a.panel.update { $0.refusedRecords = [bad] }
    try await a.sync()
    a.panel.update { $0.refusedRecords = [] }

    #expect(try await a.sync().exported == 0)
    scene.time.advance(59_000)
    #expect(try await a.sync().exported == 0)
    scene.time.advance(1_000)
    #expect(try await a.sync().exported == 1)
    try await b.sync()

    #expect(try await b.names() == ["refused"])
    #expect(try await a.status()?.setAside == 0)
    #expect(try await a.store.setAsideItems() == [])
  }

  @Test func `C17: a record that is refused for ever costs a call at its due times alone`()
    async throws
  {
    let a = try await scene.device("a")
    let bad = try await a.insert("refused")
    a.panel.update { $0.refusedRecords = [bad] }

    for _ in 0..<1440 {
      try await a.sync()
      scene.time.advance(60_000)
    }

    let item = try #require(try await a.store.setAsideItems().first)
    #expect((10...16).contains(item.attempts))
    #expect(a.panel.counts.refusedRecords == item.attempts)
    #expect(item.nextAttempt.map { $0 - item.refusedAt } == Int64(6 * 3_600_000))
    #expect(item.reason.contains("a test refuses it"))
    #expect(try await a.status()?.standing == .caughtUp)
  }

  @Test func `C17: an edit of another record goes at once, with and without the refused one`()
    async throws
  {
    let (a, b) = (try await scene.device("a"), try await scene.device("b"))
    let bad = try await a.insert("refused")
    a.panel.update { $0.refusedRecords = [bad] }
    try await a.sync()

    for step in 0..<6 {
      try await a.insert("good \(step)")
      #expect(try await a.sync().exported == 1)
      scene.time.advance(step.isMultiple(of: 2) ? 3_600_000 : 1000)
    }

    try await b.sync()
    #expect(try await b.names().count == 6)
    #expect(try await a.status()?.setAside == 1)
  }

  @Test func `C17: a person's word offers what is set aside at once`() async throws {
    let (a, b) = (try await scene.device("a"), try await scene.device("b"))
    let bad = try await a.insert("refused")
    a.panel.update { $0.refusedRecords = [bad] }
    try await a.sync()
    a.panel.update { $0.refusedRecords = [] }

    #expect(try await a.store.retrySetAside() == 1)
    #expect(try await a.sync().exported == 1)

    try await b.sync()
    #expect(try await b.names() == ["refused"])
  }

  @Test func `F29: a record that is too large is set aside and named, the rest goes on`()
    async throws
  {
    let scene = RecoveryScene(limits: TransportLimits(recordBytes: 1000))
    let (a, b) = (try await scene.device("a"), try await scene.device("b"))
    let large = try await a.insert(String(repeating: "x", count: 2000))
    try await a.insert("small")

    #expect(try await a.sync().error == nil)
    try await b.sync()

    #expect(try await b.names() == ["small"])
    let item = try #require(try await a.store.setAsideItems().first)
    #expect(item.code == "tooLarge")
    #expect(item.cure.contains("smaller"))
    for _ in 0..<10 { #expect(try await a.sync().exported == 0) }
    try await a.rename(large, "shorter")
    try await a.sync()
    try await b.sync()
    #expect(Set(try await b.names()) == ["small", "shorter"])
  }

  @Test func `a value that the model cannot hold is carried, and shows when a model can`()
    async throws
  {
    func schema(_ type: String) throws -> Schema {
      try Schema(
        parsing: """
          {"version":1,"entities":{"Note":{"attributes":{"size":{"type":"\(type)","optional":true}}}}}
          """)
    }
    let old = try await scene.device("old", schema: try schema("integer"))
    let new = try await scene.device("new", schema: try schema("text"))
    let third = try await scene.device("third", schema: try schema("text"))
    let id = RecordID()
    try await new.store.write {
      try $0.insert("Note", id: id, values: ["size": .text("7")])
    }
    try await new.sync()

    try await old.sync()

    #expect(try await old.store.read { try $0.record("Note", id)?["size"] } == .null)
    #expect(try await old.store.setAsideItems().map(\.code) == ["valueCarried"])
    try await old.sync()
    #expect(try await old.status()?.setAside == 1)
    // It goes on to another zone as it came.
    let second = scene.cloud.named("second")
    try await old.use(second)
    try await third.use(second)
    try await old.sync()
    try await third.sync()
    #expect(try await third.store.read { try $0.record("Note", id)?["size"] } == .text("7"))
    // The model is upgraded.
    await old.synced.close()
    let upgraded = try await Store.open(.file(old.store.path), schema: try schema("text"))
    #expect(try await upgraded.read { try $0.record("Note", id)?["size"] } == .text("7"))
  }
}
