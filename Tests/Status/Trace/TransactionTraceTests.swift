import Strandline
import StrandlineFaults
import StrandlineHistory
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import Testing

/// The gates that a transaction passes, each only once it was seen.
@Suite struct TransactionTraceTests {
  private let time = TestTime()
  private let cloud: MemoryCloud

  init() {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
  }

  private func head(_ device: SyncedDevice) async throws -> HistoryToken {
    let sequence = try await device.store.read { try $0.sealedHead()?.sequence ?? 0 }
    return HistoryToken(store: device.store.id, sequence: sequence)
  }

  @Test func `gate after gate is told once it was observed`() async throws {
    let phone = try await SyncedDevice("phone", cloud, time)
    let laptop = try await SyncedDevice("laptop", cloud, time)
    try await laptop.sync()
    try await phone.store.write(author: "ann", context: "list") { transaction in
      try transaction.insert("Tag", values: [:])
      try transaction.insert("Tag", values: [:])
    }
    let token = try await head(phone)

    let saved = try #require(try await phone.store.trace(transaction: token))
    #expect(saved.savedAt == time.milliseconds)
    #expect(saved.records == 2)
    #expect([saved.author, saved.context] == ["ann", "list"])
    #expect(saved.peers.map(\.exportedAt) == [nil])

    time.advance()
    try await phone.sync()
    let exported = try #require(try await phone.store.trace(transaction: token))
    #expect(exported.peers.first?.exportedAt == time.milliseconds)
    #expect(exported.peers.first?.importedBy.map(\.at) == [nil])
    let gate = try #require(exported.peers.first?.importedBy.first)
    #expect(gate.lastHeard != nil)
    #expect(Wording().receipt(gate, now: time.milliseconds) == "laptop last heard from just now")

    time.advance()
    try await laptop.sync()
    let imported = time.milliseconds
    time.advance()
    try await phone.sync()
    let seen = try #require(try await phone.store.trace(transaction: token))
    let receipt = try #require(seen.peers.first?.importedBy.first)
    #expect(receipt.at == imported)
    time.advance(1000)
    #expect(
      Wording(.short).receipt(receipt, now: time.milliseconds) == "laptop 2 s ago")
  }

  @Test func `an imported transaction names the peer, and a consumer is a gate`() async throws {
    let phone = try await SyncedDevice("phone", cloud, time)
    let laptop = try await SyncedDevice("laptop", cloud, time)
    try await laptop.insert("bread")
    try await laptop.store.consume("view") { _ in }
    try await phone.insert("milk")
    try await phone.sync()
    try await laptop.sync()
    let token = try await head(laptop)

    let before = try #require(try await laptop.store.trace(transaction: token))
    #expect(before.importedFrom == "memory")
    #expect(before.peers.isEmpty)
    #expect(before.consumers.map(\.at) == [nil])

    try await laptop.store.consume("view") { _ in }
    let after = try #require(try await laptop.store.trace(transaction: token))
    #expect(after.consumers.map(\.consumer) == ["view"])
    #expect(after.consumers.first?.at != nil)
  }

  @Test func `a refused record makes the transaction incomplete there`() async throws {
    let phone = try await SyncedDevice("phone", cloud, time)
    let id = RecordID()
    phone.panel.update { $0.refusedRecords = [id] }
    try await phone.store.write { transaction in
      try transaction.insert("TodoItem", id: id, values: [:])
      try transaction.insert("Tag", values: [:])
    }
    let token = try await head(phone)

    try await phone.sync()

    let trace = try #require(try await phone.store.trace(transaction: token))
    #expect(trace.setAside == ["memory": 1])
    #expect(trace.peers.first?.exportedAt != nil)
  }

  @Test func `a place in no transaction has no trace, and one of another store is refused`()
    async throws
  {
    let phone = try await SyncedDevice("phone", cloud, time)
    try await phone.insert("milk")

    #expect(
      try await phone.store.trace(
        transaction: HistoryToken(store: phone.store.id, sequence: 99)) == nil)
    let error = await #expect(throws: HistoryError.self) {
      try await phone.store.trace(transaction: HistoryToken(store: "other", sequence: 1))
    }
    #expect(error?.code == .tokenFromAnotherStore)
  }
}
