import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// What goes from the tables with pruned history, and what stays for the peers.
@Suite struct SweepTests {
  private let day = TestDay()

  @Test func `the token at a peer's acknowledgement outlives pruning`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 3)
    let peer = try await store.follow()
    try await store.change(peer) { $0.acknowledged = 4 }
    let token = try await store.read { try $0.transactionToken(endingAt: 4) }

    try await store.prune(RetentionPolicy(historyDays: 0))

    #expect(token != nil)
    #expect(try await store.read { try $0.transactionToken(endingAt: 4) } == token)
    #expect(try await store.read { try $0.transactionToken(endingAt: 2) } == nil)
  }

  @Test func `a peer that is new after everything was pruned is offered all that is here`()
    async throws
  {
    let store = try await HistoryFixture.store(on: day, days: 3)
    try await store.write { try $0.delete("Note", RecordID(text: "n0")) }
    try await store.write {
      try $0.insert("Word", values: ["word": .text("hello"), "count": .integer(2)])
    }
    try await store.prune(RetentionPolicy(historyDays: 0))

    let peer = try await store.follow()
    let deltas = try await store.pending(for: peer)
    let copy = try await HistoryFixture.store()
    try await copy.apply(deltas, from: try await copy.follow())

    for entity in ["Note", "Folder", "Word"] {
      #expect(try await copy.contents(entity) == (try await store.contents(entity)))
    }
    #expect(deltas.contains { $0.key.id == RecordID(text: "n0") && $0.death != nil })
    let counts = try await store.read { try $0.pendingCounts(after: 0, for: peer) }
    #expect(counts.values.reduce(0, +) == deltas.count)
  }

  @Test func `a long upload of pruned history still goes in portions`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 5)
    try await store.prune(RetentionPolicy(historyDays: 0))
    let peer = try await store.follow()

    let first = try await store.read { try $0.pendingChanges(after: 0, for: peer, limit: 2) }
    let head = first.head
    let rest = try await store.read { try $0.pendingChanges(after: head, for: peer) }

    #expect(first.records.count == 2)
    #expect(!first.isAll)
    #expect(first.headToken != 0)
    #expect(rest.records.count == 3)
  }

  @Test func `what stays of pruned history is one row a record, however much it changed`()
    async throws
  {
    let store = try await HistoryFixture.store(day: day)
    let id = RecordID(text: "n")
    for number in 0..<20 {
      try await store.write { try $0.insert("Note", id: id, values: [:]) }
      try await store.write { try $0.update("Note", id, values: ["text": .text("\(number)")]) }
      try await store.write { try $0.delete("Note", id) }
      try await store.prune(RetentionPolicy(historyDays: 0))
    }

    let counts = try await store.tables()
    #expect(counts["log"] == 1)
    #expect(counts["transaction"] == 1)
    #expect(counts["preserved"] == 0)
  }

  @Test func `a death that a peer told of an earlier life does not hide the record`() async throws {
    let store = try await HistoryFixture.store(day: day)
    let peer = try await store.follow()
    let key = RecordKey(entity: "Note", id: RecordID(text: "n"))
    let born = Stamp(milliseconds: 90)
    let text = Version(life: born, stamp: born, value: .text("alive"))
    try await store.apply(
      [RecordDelta(key: key, birth: born, versions: ["text": text])], from: peer)
    try await store.apply(
      [RecordDelta(key: key, death: Death(life: Stamp(milliseconds: 5), stamp: born))], from: peer)
    try await store.change(peer) { $0.examined = 2 }
    try await store.prune(RetentionPolicy(historyDays: 0))

    let delta = try await store.pending(for: try await store.follow("directory:/x")).first

    #expect(delta?.birth == born)
    #expect(delta?.versions["text"] == text)
    #expect(delta?.death?.life == Stamp(milliseconds: 5))
  }

  @Test func `a pruning that was cut short is ended by the next one`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 5)
    try await store.administer {
      try $0.connection.run(
        "INSERT INTO strandline_meta(key, value) VALUES ('historyPruned', 6)")
    }
    await #expect(throws: HistoryError.self) { try await store.history(after: store.token(5)) }
    #expect(try await store.history(after: store.token(6)).count == 4)

    try await store.prune(RetentionPolicy(historyDays: 100))

    // Three births stay, and four whole transactions.
    #expect(try await store.tables()["log"] == 7)
    #expect(try await store.tables()["preserved"] == 2)
  }

  @Test func `one transaction longer than a portion goes too`() async throws {
    let store = try await HistoryFixture.store(day: day)
    try await store.write { write in
      for number in 0..<2500 {
        try write.insert("Note", id: RecordID(text: "n\(number)"), values: [:])
      }
    }
    try await store.write { write in
      for number in 0..<2500 { try write.delete("Note", RecordID(text: "n\(number)")) }
    }

    let report = try await store.prune(RetentionPolicy(historyDays: 0))

    #expect(report.changes == 5000)
    let counts = try await store.tables()
    #expect(counts["log"] == 2500)
    #expect(counts["transaction"] == 1)
  }

  @Test func `names of authors go with their history`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 2)
    try await store.prune(RetentionPolicy(historyDays: 0))

    let names = try await store.read {
      try $0.connection.integer(
        "SELECT count(*) FROM strandline_transaction WHERE author IS NOT NULL")
    }
    #expect(names == 0)
  }

  @Test func `deliveries, reports and old events go, but for the latest`() async throws {
    let store = try await HistoryFixture.store(on: day, days: 3)
    let peer = try await store.follow()
    let now = day.milliseconds
    try await store.administer { transaction in
      for sequence in [2, 4, 6] as [Int64] {
        try transaction.addDelivery(peer: peer, sequence: sequence, position: sequence, at: now)
        for device in ["a", "b"] where device == "a" || sequence == 2 {
          try transaction.addReceipt(
            peer: peer,
            ReceiptRow(device: device, name: device, position: sequence, reported: now), at: now)
        }
        let event = try transaction.beginEvent(peer: peer, kind: "export", process: 1, at: now)
        try transaction.endEvent(event, at: now, records: 0, error: nil)
      }
    }
    try await store.change(peer) { $0.acknowledged = 6 }
    day.advance(days: 60)

    try await store.prune(RetentionPolicy(historyDays: 30))

    let counts = try await store.tables()
    #expect(counts["delivery"] == 1)
    #expect(counts["receipt"] == 2)
    #expect(counts["event"] == 2)
    let reports = try await store.read { try $0.latestReceipts(at: peer) }
    #expect(reports.map(\.position) == [6, 2])
  }

  @Test func `orphans are counted as before when the changes that made them are gone`()
    async throws
  {
    let store = try await HistoryFixture.store(on: day, days: 1)
    let peer = try await store.follow()
    try await store.importChanges(from: peer) { _ in }
    try ForeignWriter(store).run("UPDATE Note SET folder = 'nowhere'")
    try await store.sealOtherClients()
    let before = try await store.read { try $0.orphanCount() }
    try await store.change(peer) { $0.acknowledged = 3 }

    try await store.prune(RetentionPolicy(historyDays: 0))

    #expect(before == 1)
    #expect(try await store.read { try $0.orphanCount() } == before)
  }
}
