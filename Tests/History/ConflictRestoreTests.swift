import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// Values that lost, set again.
@Suite struct ConflictRestoreTests {
  private let id = RecordID(text: "n")

  /// A store in which a peer's text won over an own one that is listed.
  private func contested() async throws -> (Store, Int64) {
    let store = try await HistoryFixture.store(try HistoryFixture.notes(preserving: false))
    let peer = try await store.follow()
    try await store.write { try $0.insert("Note", id: id, values: ["text": .text("mine")]) }
    let key = RecordKey(entity: "Note", id: id)
    let own = try #require(try await store.pending(for: peer).first)
    let born = try #require(own.birth)
    let late = Stamp(milliseconds: 4_000_000_000_000)
    let version = Version(life: born, stamp: late, value: .text("theirs"))
    let device = store.device.description
    try await store.importChanges(from: peer) { transaction in
      let applied = try transaction.apply(RecordDelta(key: key, versions: ["text": version]))
      for loser in applied.outcome.losers {
        try transaction.addConflict(
          peer: peer, entity: try transaction.number(ofEntity: "Note"), record: key.id,
          property: loser.property, loser: loser.version, device: device, at: 1, isUnsent: true)
      }
    }
    return (store, peer)
  }

  @Test func `a losing value is set again and leaves the list, and the peer is still told of it`()
    async throws
  {
    let (store, peer) = try await contested()
    let row = try #require(try await store.read { try $0.conflicts() }.first)

    let restoration = try await store.restoreConflict(row.id)

    #expect(restoration.properties(.restored) == ["text"])
    #expect(try await store.contents("Note").first?["text"] == .text("mine"))
    #expect(try await store.read { try $0.conflicts() }.isEmpty)
    #expect(try await store.read { try $0.unsentConflicts(to: peer) }.map(\.id) == [row.id])
    #expect(
      try await store.pending(for: peer, after: 2).map { $0.versions.keys.sorted() } == [["text"]])
    try await store.administer { try $0.markConflictsSent(to: peer, upTo: row.id) }
    #expect(try await store.read { try $0.unsentConflicts(to: peer) }.isEmpty)
    #expect(try await store.read { try $0.conflicts() }.isEmpty)
  }

  @Test func `history finds an earlier value in the list of values that lost`() async throws {
    let (store, _) = try await contested()

    let difference = try await store.difference(of: "Note", id, since: store.token(1))

    #expect(difference.changes.map(\.old) == [.known(.text("mine"))])
  }

  @Test func `a losing value of a deleted record begins a new life with all that is held`()
    async throws
  {
    let (store, _) = try await contested()
    try await store.write { try $0.delete("Note", id) }
    let row = try #require(try await store.read { try $0.conflicts() }.first)

    let restoration = try await store.restoreConflict(row.id)

    #expect(restoration.isNewLife)
    #expect(try await store.contents("Note").first?["text"] == .text("mine"))
    #expect(try await store.read { try $0.conflicts() }.isEmpty)
  }

  @Test func `a number that is not in the list is refused`() async throws {
    let (store, _) = try await contested()

    let error = await #expect(throws: HistoryError.self) { try await store.restoreConflict(99) }

    #expect(error?.code == .unknownConflict)
  }
}
