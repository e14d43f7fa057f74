import Strandline
import StrandlineDirectoryTransport
import StrandlineMemoryTransport
import StrandlineTestSupport
import Testing

/// The code of the guide about recovery.
@Suite struct RecoveryGuideTests {
  /// Asks the person; here a program that always takes the same answer.
  private func choose(_ question: PeerQuestion) async -> PeerAnswer { .upload }

  @Test func `an app shows what a peer asks and passes the answer on`() async throws {
    let cloud = MemoryCloud()
    let notes = try await SyncedStore.open(
      .memory, schema: try Schema([Book.self, Author.self, Shelf.self]), registry: Registry([]),
      options: SyncEngine.Options(deviceName: "laptop"))
    try await notes.store.write { try $0.save(Shelf(name: "by the window")) }
    try await notes.use(MemoryTransport(cloud: cloud, isEphemeral: false))
    try await notes.syncNow()
    try await notes.use(MemoryTransport(cloud: MemoryCloud(), isEphemeral: false))
    _ = try await notes.syncNow()

    for peer in try await notes.store.peerItems() {
      guard let question = peer.question else { continue }
      try await notes.answer(question, of: peer.id, with: await choose(question))
    }

    #expect(try await notes.syncNow().exported == 1)
  }

  @Test func `an app chooses what counts in the first sync`() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("share")
    let notes = try await SyncedStore.open(
      .memory, schema: try Schema([Book.self, Author.self, Shelf.self]),
      registry: Registry([.directory]),
      options: SyncEngine.Options(deviceName: "laptop"))
    let share = TransportConfiguration(
      specification: .init("directory:" + folder.path("share")))

    try await notes.follow(share, firstSync: .keepLocal)

    #expect(try await notes.store.peerItems().first?.firstSync == .keepLocal)
  }
}
