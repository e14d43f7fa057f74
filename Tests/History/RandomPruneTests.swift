import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// Whatever happened before: pruning takes away what it says, and no record from a new peer.
@Suite struct RandomPruneTests {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `history after pruning is the end of what it was, and a new peer gets every record`(
    seed: UInt64
  ) async throws {
    let world = try await PruneWorld(seed: seed)
    for step in 0..<40 {
      try await world.step()
      if step % 8 == 7 {
        let findings = try await world.pruneAndCheck()
        #expect(findings == [], "seed \(seed), step \(step)")
      }
    }
  }
}

/// Two stores that edit and exchange at random; the first one prunes.
actor PruneWorld {
  private let day = TestDay()
  private let store: Store
  private let other: Store
  private let peer: Int64
  private let otherPeer: Int64
  private var random: SeededGenerator

  init(seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    store = try await HistoryFixture.store(day: day)
    other = try await HistoryFixture.store(day: day)
    peer = try await store.follow("other")
    otherPeer = try await other.follow("store")
  }

  func step() async throws {
    day.advance(days: Double.random(in: 0...2, using: &random))
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<4: try await edit(store)
    case 4..<6: try await edit(other)
    case 6..<8: try editAsForeigner()
    default: try await exchange()
    }
  }

  private func edit(_ store: Store) async throws {
    var edits: [(String, RecordID, Int)] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let number = Int.random(in: 0..<6, using: &random)
      let entity = number == 5 ? "Word" : "Note"
      edits.append(
        (entity, RecordID(text: "r\(number)"), Int.random(in: 0..<100, using: &random)))
    }
    let chosen = edits
    try await store.write(author: "random") { write in
      for (entity, id, number) in chosen {
        let value: [String: Value] =
          entity == "Word" ? ["count": .integer(Int64(number))] : ["text": .text("\(number)")]
        if try write.record(entity, id) == nil {
          let key: [String: Value] = entity == "Word" ? ["word": .text("r5")] : [:]
          try write.insert(entity, id: id, values: value.merging(key) { first, _ in first })
        } else if number % 3 == 0 {
          try write.delete(entity, id)
        } else {
          try write.update(entity, id, values: value)
        }
      }
    }
  }

  private func editAsForeigner() throws {
    let writer = try ForeignWriter(store, recursiveTriggers: Bool.random(using: &random))
    let id = "r\(Int.random(in: 0..<5, using: &random))"
    let number = Int.random(in: 0..<100, using: &random)
    switch number % 4 {
    case 0: try writer.run("DELETE FROM Note WHERE id = '\(id)'")
    case 1: try writer.run("INSERT OR REPLACE INTO Note(id, text) VALUES ('\(id)', '\(number)')")
    case 2: try writer.run("INSERT OR IGNORE INTO Note(id, text) VALUES ('\(id)', '\(number)')")
    default: try writer.run("UPDATE Note SET text = '\(number)' WHERE id = '\(id)'")
    }
  }

  /// Each side takes what the other has not acknowledged, and acknowledges it.
  private func exchange() async throws {
    try await exchange(from: store, peer, to: other, otherPeer)
    try await exchange(from: other, otherPeer, to: store, peer)
  }

  private func exchange(
    from source: Store, _ target: Int64, to store: Store, _ origin: Int64
  ) async throws {
    let place = try await source.read { try $0.peer(target)?.acknowledged ?? 0 }
    let deltas = try await source.pending(for: target, after: place)
    let head = try await source.historyToken().sequence
    try await source.change(target) { $0.acknowledged = head }
    try await store.apply(deltas, from: origin)
  }

  func pruneAndCheck() async throws -> [String] {
    try await store.sealOtherClients()
    let start = try await store.read { try $0.prunedSequence() }
    let before = try await store.history(after: store.token(start))
    let report = try await store.prune(
      RetentionPolicy(historyDays: Int.random(in: 0...6, using: &random)))
    var findings: [String] = []
    let after = try await store.history(after: report.prunedTo)
    if after != Array(before.suffix(after.count)) { findings.append("history is another one") }
    if before.count - after.count != report.transactions { findings.append("the count is wrong") }
    findings += try await findingsOfNewPeer()
    let acknowledged = try await store.read { try $0.peer(peer)?.acknowledged ?? 0 }
    if report.prunedTo.sequence > acknowledged { findings.append("the peer was passed") }
    return findings
  }

  private func findingsOfNewPeer() async throws -> [String] {
    let stranger = try await store.follow("stranger")
    let deltas = try await store.pending(for: stranger)
    // It is forgotten again, so that it does not hold history back.
    try await store.administer {
      try $0.connection.run("DELETE FROM strandline_peer WHERE id = ?", [.integer(stranger)])
    }
    let copy = try await HistoryFixture.store(day: day)
    try await copy.apply(deltas, from: try await copy.follow())
    var findings: [String] = []
    for entity in ["Note", "Word"] {
      if try await copy.contents(entity) != (try await store.contents(entity)) {
        findings.append("a new peer lacks records of \(entity)")
      }
      let dead = try await store.deaths(of: entity)
      if try await copy.deaths(of: entity) != dead { findings.append("deaths are missing") }
    }
    return findings
  }
}

extension Store {
  /// The lives that ended, by record.
  fileprivate func deaths(of entity: String) async throws -> [RecordID: Int64] {
    try await read { read in
      let layout = try read.catalog.layout(named: entity)
      let rows = try read.connection.map(
        "SELECT id, died FROM \(layout.shadow) WHERE died > 0"
      ) { (RecordID($0.value(0)) ?? RecordID(text: ""), $0.integer(1)) }
      return Dictionary(rows) { first, _ in first }
    }
  }
}
