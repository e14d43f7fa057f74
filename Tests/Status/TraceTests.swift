import StrandlineHistory
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import Testing

/// The gates that a change passes: saved, exported, imported by others.
@Suite struct TraceTests {
  @Test func `an unknown record has no trace`() async throws {
    let fixture = try await StatusFixture()

    #expect(try await fixture.store.trace(RecordID(text: "nobody")) == nil)
  }

  @Test func `a change that was only saved has passed no gate beyond`() async throws {
    let fixture = try await StatusFixture()
    let id = try await fixture.store.write { try $0.insert("Tag", values: [:]) }
    try await fixture.receive(position: 3)

    let trace = try #require(try await fixture.store.trace(id))

    #expect(trace.entity == "Tag")
    #expect(trace.savedAt == 5000)
    #expect(trace.importedFrom == nil)
    let gates = try #require(trace.peers.first)
    #expect(gates.exportedAt == nil)
    #expect(gates.importedBy.map(\.device) == ["phone"])
    #expect(gates.importedBy.map(\.at) == [nil])
  }

  @Test func `an acknowledged change is exported, and not imported before a report says so`()
    async throws
  {
    let fixture = try await StatusFixture()
    let id = try await fixture.store.write { try $0.insert("Tag", values: [:]) }
    try await fixture.acknowledge(1, position: 4)
    try await fixture.receive(position: 3)
    let before = try #require(try await fixture.store.trace(id)?.peers.first)

    try await fixture.receive(position: 4)

    let after = try #require(try await fixture.store.trace(id)?.peers.first)
    #expect(before.exportedAt == 6000)
    #expect(before.importedBy.map(\.at) == [nil])
    #expect(after.importedBy.map(\.at) == [7004])
  }

  @Test func `a later edit begins at the first gate again`() async throws {
    let fixture = try await StatusFixture()
    let id = try await fixture.store.write { try $0.insert("Tag", values: [:]) }
    try await fixture.acknowledge(1, position: 4)
    try await fixture.store.write { try $0.update("Tag", id, values: ["name": .text("new")]) }

    #expect(try await fixture.store.trace(id)?.peers.first?.exportedAt == nil)
  }

  @Test func `an imported change names its peer and has no gates there`() async throws {
    let fixture = try await StatusFixture()
    let id = RecordID(text: "t")
    try await fixture.store.importChanges(from: fixture.peer) { transaction in
      try transaction.apply(
        RecordDelta(key: RecordKey(entity: "Tag", id: id), birth: Stamp(milliseconds: 1)))
    }

    let trace = try #require(try await fixture.store.trace(id))

    #expect(trace.importedFrom == "memory")
    #expect(trace.peers.isEmpty)
  }
}

extension StatusFixture {
  fileprivate func acknowledge(_ sequence: Int64, position: Int64) async throws {
    let peer = peer
    try await change { $0.acknowledged = sequence }
    try await store.administer {
      try $0.addDelivery(peer: peer, sequence: sequence, position: position, at: 6000)
    }
  }

  fileprivate func receive(position: Int64) async throws {
    let peer = peer
    try await store.administer { transaction in
      _ = try transaction.addReceipt(
        peer: peer,
        ReceiptRow(device: "d", name: "phone", position: position, reported: 7000 + position),
        at: 8000)
    }
  }

  @Test func `a consumer has merged a change once it has processed it`() async throws {
    let fixture = try await StatusFixture()
    let store = fixture.store
    let id = try await store.write { try $0.insert("Tag", values: [:]) }
    try await store.consume("list") { _ in }
    try await store.write { try $0.update("Tag", id, values: ["name": .text("new")]) }

    let before = try #require(try await store.trace(id)?.consumers.first)
    try await store.consume("list") { _ in }
    let after = try #require(try await store.trace(id)?.consumers.first)

    #expect(before.consumer == "list")
    #expect(before.at == nil)
    #expect(after.at == 5000)
  }

  @Test func `a place that was set by hand says nothing of what was merged`() async throws {
    let fixture = try await StatusFixture()
    let id = try await fixture.store.write { try $0.insert("Tag", values: [:]) }

    try await fixture.store.resetConsumer("list")

    #expect(try await fixture.store.trace(id)?.consumers.map(\.at) == [nil])
  }
}
