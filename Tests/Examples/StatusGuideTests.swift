import Strandline
import StrandlineMemoryTransport
import Testing

/// The code of the guide about the status.
@MainActor @Suite(.timeLimit(.minutes(10))) struct StatusGuideTests {
  @Test func `a monitor tells what every store says, again after each change`() async throws {
    let notes = try await SyncedStore.open(
      .memory, schema: try Schema([Book.self, Author.self, Shelf.self]),
      registry: Registry([.memory]), options: SyncEngine.Options(deviceName: "laptop"))
    try await notes.use(TransportConfiguration(specification: .init("memory:status-guide")))
    try await notes.store.write { try $0.save(Shelf(name: "by the window")) }

    let monitor = StatusMonitor(["notes": notes.store], deviceName: "laptop")
    monitor.start()
    for await stores in monitor.updates() {
      let summary = StatusSummary(stores)
      guard let worst = summary.worst?.snapshot else { continue }
      print(Wording().standing(worst) { Timestamp.text($0) })
      for failure in summary.failures { print(failure.store, failure.message, failure.advice) }
      if summary.pending == 1 { break }
    }

    #expect(monitor.summary.pending == 1)
  }
}
