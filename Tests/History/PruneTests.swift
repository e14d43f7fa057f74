import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// Taking old history away, and what holds it back.
@Suite struct PruneTests {
  private let day = TestDay()

  /// A store with a note a day, made of two transactions each.
  private func store(days: Int) async throws -> Store {
    let store = try await HistoryFixture.store(day: day)
    for number in 0..<days {
      let id = RecordID(text: "n\(number)")
      day.advance(days: 0.5)
      try await store.write(author: "ann") { try $0.insert("Note", id: id, values: [:]) }
      try await store.write { try $0.update("Note", id, values: ["text": .text("\(number)")]) }
      day.advance(days: 0.5)
    }
    return store
  }

  private func tables(_ store: Store) async throws -> [String: Int64] {
    try await store.read { read in
      var counts: [String: Int64] = [:]
      for table in ["log", "transaction", "preserved", "delivery", "receipt", "event"] {
        counts[table] = try read.connection.integer("SELECT count(*) FROM strandline_\(table)")
      }
      return counts
    }
  }

  @Test func `history younger than the policy says stays`() async throws {
    let store = try await store(days: 10)

    let report = try await store.prune(RetentionPolicy(historyDays: 4))

    #expect(report.transactions == 12)
    #expect(report.changes == 12)
    #expect(report.preservedValues == 6)
    #expect(report.prunedTo.sequence == 12)
    #expect(report.holds.isEmpty)
    #expect(try await store.history(after: report.prunedTo).count == 8)
    let error = await #expect(throws: HistoryError.self) {
      try await store.history(after: store.token(11))
    }
    #expect(error?.code == .historyExpired)
    #expect(try await store.history(of: RecordID(text: "n2")).isEmpty)
    #expect(try await store.history(of: RecordID(text: "n8")).count == 2)
    #expect(try await tables(store)["preserved"] == 4)
  }

  @Test func `a preview tells the same and takes nothing`() async throws {
    let store = try await store(days: 6)
    let policy = RetentionPolicy(historyDays: 2)
    let before = try await tables(store)

    let preview = try await store.previewPrune(policy)

    #expect(try await tables(store) == before)
    #expect(try await store.history().count == 12)
    #expect(try await store.prune(policy) == preview)
  }

  @Test func `unlimited history is never pruned`() async throws {
    let store = try await store(days: 3)
    day.advance(days: 5000)

    #expect(try await store.prune(.unlimited).transactions == 0)
    #expect(try await store.pruneIfDue(.unlimited) == nil)
    #expect(try await store.history().count == 6)
  }

  @Test func `when all is pruned, places are exact and numbers go on`() async throws {
    let store = try await store(days: 3)
    let end = try await store.historyToken()

    let report = try await store.prune(RetentionPolicy(historyDays: 0))
    let empty = try await store.history(after: end)
    try await store.write { try $0.insert("Note", values: [:]) }

    #expect(report.prunedTo == end)
    #expect(empty.isEmpty)
    #expect(try await store.history(after: end).map(\.token.sequence) == [7])
    await #expect(throws: HistoryError.self) { try await store.history() }
    let other = try await Store.open(.file(store.path), schema: store.schema)
    try await other.write { try $0.insert("Note", values: [:]) }
    #expect(try await other.history(after: end).map(\.changes.count) == [1, 1])
  }

  @Test func `a live consumer holds its history, a silent one does not for ever`() async throws {
    let store = try await store(days: 4)
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
    let store = try await store(days: 4)
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
    let store = try await store(days: 2)
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
    let store = try await store(days: 3)
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

  @Test func `the token at a peer's acknowledgement outlives pruning`() async throws {
    let store = try await store(days: 3)
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
    let store = try await store(days: 3)
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
    let store = try await store(days: 5)
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

    let counts = try await tables(store)
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
    let store = try await store(days: 5)
    try await store.administer {
      try $0.connection.run(
        "INSERT INTO strandline_meta(key, value) VALUES ('historyPruned', 6)")
    }
    await #expect(throws: HistoryError.self) { try await store.history(after: store.token(5)) }
    #expect(try await store.history(after: store.token(6)).count == 4)

    try await store.prune(RetentionPolicy(historyDays: 100))

    // Three births stay, and four whole transactions.
    #expect(try await tables(store)["log"] == 7)
    #expect(try await tables(store)["preserved"] == 2)
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
    let counts = try await tables(store)
    #expect(counts["log"] == 2500)
    #expect(counts["transaction"] == 1)
  }

  @Test func `a transaction from the future does not keep what is old`() async throws {
    let store = try await store(days: 1)
    day.advance(days: 4000)
    try await store.write { try $0.insert("Note", values: [:]) }
    day.advance(days: -4000)
    try await store.write { try $0.insert("Note", values: [:]) }
    day.advance(days: 10)

    let report = try await store.prune(RetentionPolicy(historyDays: 5))

    #expect(report.transactions == 4)
  }

  @Test func `names of authors go with their history`() async throws {
    let store = try await store(days: 2)
    try await store.prune(RetentionPolicy(historyDays: 0))

    let names = try await store.read {
      try $0.connection.integer(
        "SELECT count(*) FROM strandline_transaction WHERE author IS NOT NULL")
    }
    #expect(names == 0)
  }

  @Test func `deliveries, reports and old events go, but for the latest`() async throws {
    let store = try await store(days: 3)
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

    let counts = try await tables(store)
    #expect(counts["delivery"] == 1)
    #expect(counts["receipt"] == 2)
    #expect(counts["event"] == 2)
    let reports = try await store.read { try $0.latestReceipts(at: peer) }
    #expect(reports.map(\.position) == [6, 2])
  }

  @Test func `orphans are counted as before when the changes that made them are gone`()
    async throws
  {
    let store = try await store(days: 1)
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

  @Test func `pruning stands in the event log`() async throws {
    let store = try await store(days: 3)
    try await store.prune(RetentionPolicy(historyDays: 100))
    #expect(try await store.read { try $0.events(limit: 5) }.isEmpty)

    try await store.prune(RetentionPolicy(historyDays: 1))

    let events = try await store.read { try $0.events(limit: 5) }
    #expect(events.map(\.kind) == ["prune"])
    #expect(events.first?.succeeded == true)
    #expect(events.first?.records == 4)
  }

  @Test func `it is due once a day, also by a clock that was set back`() async throws {
    let store = try await store(days: 3)
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
    let store = try await store(days: 1)
    try ForeignWriter(store).run("INSERT INTO Note(id, text) VALUES ('f', 'x')")
    day.advance(days: 10)

    let report = try await store.prune(RetentionPolicy(historyDays: 5))

    #expect(report.transactions == 2)
    #expect(try await store.history(after: report.prunedTo).map(\.origin) == [.anotherClient])
  }
}
