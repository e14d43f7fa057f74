import Strandline
import StrandlineMemoryTransport
import StrandlineTestSupport
import Testing

/// The code of the guide about the switch.
@Suite struct SwitchGuideTests {
  private func ask(_ sentences: [String]) async -> Bool { !sentences.isEmpty }

  private func ago(_ milliseconds: Int64) -> String { "a while ago" }

  @Test func `an app shows the consequences, asks, and switches off with a purge`() async throws {
    let notes = try await SyncedStore.open(
      .memory, schema: try Schema([Book.self, Author.self, Shelf.self]), registry: Registry([]),
      options: SyncEngine.Options(deviceName: "laptop"))
    try await notes.store.write { try $0.save(Shelf(name: "by the window")) }
    try await notes.use(MemoryTransport(cloud: MemoryCloud(), isEphemeral: false))
    try await notes.syncNow()

    let consequences = try await notes.consequences(of: .offWithPurge)
    guard await ask(consequences.sentences(ago)) else { return }
    let state = try await notes.switchOff(purge: true)
    print(SwitchWording.sentence(state))
    for outcome in try await notes.purge() {
      print(outcome.peer, outcome.error?.description ?? "is purged")
    }

    #expect(try await !notes.store.switchState().isWanted)
    #expect(try await notes.store.switchState().purges.isEmpty)
  }
}
