import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// Taking old history away, and what holds it back.
@Suite struct PruneTests {
  private let day = TestDay()

  @Test func `history younger than the policy says stays`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 10)

    let report = try await store.prune(RetentionPolicy(historyDays: 4))

    #expect(report.transactions == 12)
    #expect(report.changes == 12)
    #expect(report.preservedValues == 6)
    #expect(report.prunedTo.sequence == 12)
    #expect(report.holds.isEmpty)
    #expect(try await store.checkup().filter { $0.level == .problem } == [])
    #expect(try await store.history(after: report.prunedTo).count == 8)
    let error = await #expect(throws: HistoryError.self) {
      try await store.history(after: store.token(11))
    }
    #expect(error?.code == .historyExpired)
    #expect(try await store.history(of: RecordID(text: "n2")).isEmpty)
    #expect(try await store.history(of: RecordID(text: "n8")).count == 2)
    #expect(try await store.tables()["preserved"] == 4)
  }

  @Test func `a preview tells the same and takes nothing`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 6)
    let policy = RetentionPolicy(historyDays: 2)
    let before = try await store.tables()

    let preview = try await store.previewPrune(policy)

    #expect(try await store.tables() == before)
    #expect(try await store.history().count == 12)
    #expect(try await store.prune(policy) == preview)
  }

  @Test func `unlimited history is never pruned`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 3)
    day.advance(days: 5000)

    #expect(try await store.prune(.unlimited).transactions == 0)
    #expect(try await store.pruneIfDue(.unlimited) == nil)
    #expect(try await store.history().count == 6)
  }

  @Test func `when all is pruned, places are exact and numbers go on`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 3)
    let end = try await store.historyToken()

    let report = try await store.prune(RetentionPolicy(historyDays: 0))
    let empty = try await store.history(after: end)
    try await store.write { try $0.insert("Note", values: [:]) }

    #expect(report.prunedTo == end)
    #expect(try await store.checkup().filter { $0.level == .problem } == [])
    #expect(empty.isEmpty)
    #expect(try await store.history(after: end).map(\.token.sequence) == [7])
    await #expect(throws: HistoryError.self) { try await store.history() }
    let other = try await Store.open(.file(store.path), schema: store.schema)
    try await other.write { try $0.insert("Note", values: [:]) }
    #expect(try await other.history(after: end).map(\.changes.count) == [1, 1])
  }

  @Test func `a live consumer holds its history, a silent one does not for ever`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 4)
    try await store.save(store.token(2), for: "index")
    let policy = RetentionPolicy(historyDays: 1, consumerDays: 30)

    let held = try await store.prune(policy)
    #expect(held.prunedTo.sequence == 2)
    #expect(held.holds.map(\.name) == ["index"])
    #expect(held.holds.first?.kind == .consumer)
    #expect(held.holds.first?.transactions == 4)
    #expect(held.expiredConsumers.isEmpty)

    day.advance(days: 31)
    let freed = try await store.prune(policy)
    #expect(freed.prunedTo.sequence == 8)
    #expect(freed.expiredConsumers == ["index"])
    #expect(try await store.consumers().first?.isExpired == true)
  }

  @Test func `a consumer that was passed is told, and a reload brings it back`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 4)
    try await store.save(store.token(2), for: "index")
    let report = try await store.prune(RetentionPolicy(historyDays: 0), passing: ["index"])
    #expect(report.expiredConsumers == ["index"])

    let error = await #expect(throws: HistoryError.self) {
      try await store.consume("index") { _ in }
    }
    var known = 0
    try await store.reload("index") {
      try $0.count(Query("Note"))
    } then: {
      known = $0
    }
    try await store.write(author: "new") { try $0.insert("Note", values: [:]) }
    var authors: [String?] = []
    try await store.consumeAll("index") { authors += $0.map(\.author) }

    #expect(error?.code == .historyExpired)
    #expect(error?.message.contains("index") == true)
    #expect(known == 4)
    #expect(authors == ["new"])
  }

  @Test func `a consumer that never saved a place is told when the beginning is gone`() async throws
  {
    let store = try await HistoryFixture.store(on: day, days: 2)
    try await store.prune(RetentionPolicy(historyDays: 0))

    let error = await #expect(throws: HistoryError.self) {
      try await store.consume("late") { _ in }
    }
    #expect(error?.code == .historyExpired)
    let saving = await #expect(throws: HistoryError.self) {
      try await store.save(store.token(1), for: "late")
    }
    #expect(saving?.code == .historyExpired)
  }

  @Test func `a known peer holds what it has not acknowledged, followed or not`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 3)
    let peer = try await store.follow()
    try await store.change(peer) { $0.acknowledged = 4 }
    try await store.administer { try $0.unfollowPeers() }

    let held = try await store.prune(RetentionPolicy(historyDays: 0))
    let pending = try await store.pending(for: peer, after: 4)
    try await store.administer { try $0.connection.run("DELETE FROM strandline_peer") }
    let freed = try await store.prune(RetentionPolicy(historyDays: 0))

    #expect(held.prunedTo.sequence == 4)
    #expect(held.holds.map(\.kind) == [.peer])
    #expect(pending.map(\.key.id) == [RecordID(text: "n2")])
    #expect(freed.prunedTo.sequence == 6)
  }

  @Test func `a transaction from the future does not keep what is old`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 1)
    day.advance(days: 4000)
    try await store.write { try $0.insert("Note", values: [:]) }
    day.advance(days: -4000)
    try await store.write { try $0.insert("Note", values: [:]) }
    day.advance(days: 10)

    let report = try await store.prune(RetentionPolicy(historyDays: 5))

    #expect(report.transactions == 4)
  }

  @Test func `pruning stands in the event log`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 3)
    try await store.prune(RetentionPolicy(historyDays: 100))
    #expect(try await store.read { try $0.events(limit: 5) }.isEmpty)

    try await store.prune(RetentionPolicy(historyDays: 1))

    let events = try await store.read { try $0.events(limit: 5) }
    #expect(events.map(\.kind) == ["prune"])
    #expect(events.first?.succeeded == true)
    #expect(events.first?.records == 4)
  }

  @Test func `it is due once a day, also by a clock that was set back`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 3)
    let policy = RetentionPolicy(historyDays: 1)

    #expect(try await store.pruneIfDue(policy)?.transactions == 4)
    day.advance(days: 0.9)
    #expect(try await store.pruneIfDue(policy) == nil)
    day.advance(days: 0.2)
    #expect(try await store.pruneIfDue(policy)?.transactions == 2)
    day.advance(days: -100)
    #expect(try await store.pruneIfDue(policy) != nil)
  }

  @Test func `rows of another client count from when they are sealed`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 1)
    try ForeignWriter(store).run("INSERT INTO Note(id, text) VALUES ('f', 'x')")
    day.advance(days: 10)

    let report = try await store.prune(RetentionPolicy(historyDays: 5))

    #expect(report.transactions == 2)
    #expect(try await store.history(after: report.prunedTo).map(\.origin) == [.anotherClient])
  }
}
